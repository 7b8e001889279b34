// SPDX-License-Identifier: Apache-2.0

import GOST
import HostCrypto
import Token
import Tokens
import Translation

extension Session {
    /// The certificates on the token.
    public func certificates() throws(KanalError) -> [TokenCertificate] {
        TokenCertificate.all(
            in: try call { session throws(TokensError) in try session.objects(with: .certificates) })
    }

    /// Stores a certificate on the token.
    ///
    /// - Parameters:
    ///   - value: The certificate in DER.
    ///   - id: The identifier of its key pair, so that programs find both together.
    public func importCertificate(_ value: [UInt8], id: [UInt8], label: String) throws(KanalError) -> TokenCertificate {
        let (stored, keys) = try call { session throws(TokensError) in
            (
                try session.storeCertificate(value, id: id, label: Array(label.utf8)),
                try session.objects().filter { $0.key?.half == .privateKey }
            )
        }
        let hasPrivateKey = keys.contains { $0.identifier == stored.identifier }
        guard let certificate = TokenCertificate(stored, hasPrivateKey: hasPrivateKey) else { throw .objectNotFound }
        return certificate
    }

    /// Removes a certificate from the token. Its key pair stays.
    public func delete(_ certificate: TokenCertificate) throws(KanalError) { try delete(certificate.reference) }
}

extension KeyKind {
    init(_ info: PublicKeyInfo) {
        self =
            switch info {
            case .gost(let info):
                switch info.algorithm.algorithm {
                case .gostR34102001: .gost2001
                case .gostR34102012256: .gost256
                case .gostR34102012512: .gost512
                }
            case .rsa(let key): .rsa(bits: key.modulus.count * 8)
            case .ec(let key): key.curve == .p256 ? .p256 : .other
            }
    }
}
