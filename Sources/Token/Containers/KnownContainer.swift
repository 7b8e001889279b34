// SPDX-License-Identifier: Apache-2.0
import Containers
import GOST
import HostCrypto

/// What is known of a container, none of which is secret. It is true as long as the header has its code.
struct KnownContainer {
    /// Empty if the token does not report it.
    var name: String
    let header: ContainerHeader
    /// The public keys of private keys that have no certificate, as far as they were computed.
    var publicKeys: [ContainedKey.Index: [UInt8]] = [:]
    /// The bytes of the files with the keys, as they were when last selected.
    var sizes: [ContainerFile: Int] = [:]

    init(name: String, header: ContainerHeader) {
        (self.name, self.header) = (name, header)
    }

    /// The key that a reference is to; nil if the container has it no more.
    func key(of reference: ContainerReference) -> ContainedKey? {
        guard let key = header[reference.key.index], key.fingerprint == reference.key.fingerprint else { return nil }
        return key
    }

    /// The private keys, and the public keys and certificates that are known.
    ///
    /// - Parameters:
    ///   - directory: The container's.
    ///   - isFolder: Whether the password is the PIN that User logs in with, and no use needs it again.
    func objects(in directory: UInt16, isFolder: Bool) -> [TokenObject] {
        header.keys.flatMap { key in
            let reference = ContainerReference(
                directory: directory, key: key, needsPassword: header.needsPassword && !isFolder)
            return reference.contents(publicKey: publicKeys[key.index]).map { content in
                // The files that describe them are User's.
                var object = TokenObject(
                    content, label: Array(label(of: key).utf8), id: key.fingerprint, isPrivate: true)
                object.container = reference
                object.file = directory
                object.isForeign = true
                return object
            }
        }
    }

    private func label(of key: ContainedKey) -> String {
        guard header.keys.count > 1 else { return name }
        return name + (key.role == .signature ? " (signature)" : " (exchange)")
    }
}

extension ContainerReference {
    /// - Parameter publicKey: The public key of a private key without a certificate, if it was computed.
    fileprivate func contents(publicKey: [UInt8]?) -> [TokenObject.Content] {
        var kind = GOSTKey(
            key.curve, gostR3411Parameters: key.digestParameterSet ?? key.algorithm.digestParameterSet,
            gost28147Parameters: (key.algorithm == .gostR34102001 ? SBox.cryptoProA : .tc26Z).oid)
        // It was not made on the token.
        let properties: TokenKey.Properties = key.allowsAgreement ? [.imported, .derives] : .imported
        let privateKey = TokenObject.Content.key(TokenKey(.privateKey, .gost(kind), properties))
        if let publicKey, key.certificate == nil {
            kind.value = publicKey
            return [.key(TokenKey(.publicKey, .gost(kind), properties)), privateKey]
        }
        // The certificate of another key stays out: each use of this one finds that, and fails.
        guard let certificate = key.certificate, let info = Self.publicKey(in: certificate) else { return [privateKey] }
        if case .gost(let info) = info { kind.take(info) }
        guard let point = kind.value, point.starts(with: key.fingerprint) else { return [privateKey] }
        return [
            .key(TokenKey(.publicKey, .gost(kind), properties)), privateKey,
            .certificate(subject: [], value: certificate),
        ]
    }

    private static func publicKey(in certificate: [UInt8]) -> PublicKeyInfo? {
        guard let info = try? Certificate(der: certificate.span).subjectPublicKeyInfo else { return nil }
        return try? PublicKeyInfo(der: info.span)
    }
}
