// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import KanalKit

/// How the bytes of a signature are computed, by its identifier.
struct SignatureMethod: Sendable {
    let algorithm: SigningAlgorithm
    let digest: DigestAlgorithm
    private let kind: KeyKind?

    private static let gost: [(name: String, kind: KeyKind, digest: DigestAlgorithm)] = [
        ("gostr34102012-gostr34112012-256", .gost256, .streebog256),
        ("gostr34102012-gostr34112012-512", .gost512, .streebog512),
        ("gostr34102001-gostr3411", .gost2001, .gostR341194),
    ]
    private static let others: [(identifier: String, algorithm: SigningAlgorithm, digest: DigestAlgorithm)] = {
        let more = AlgorithmNames.older
        let newer = "http://www.w3.org/2007/05/xmldsig-more#"
        let hashes: [(String, SHA2, DigestAlgorithm)] = [
            ("sha256", .sha256, .sha256), ("sha384", .sha384, .sha384), ("sha512", .sha512, .sha512),
        ]
        return hashes.flatMap { name, hash, digest in
            let algorithms: [(String, SigningAlgorithm)] = [
                ("\(more)rsa-\(name)", .rsaPKCS1(hash)), ("\(more)ecdsa-\(name)", .ecdsa(hash)),
                ("\(newer)\(name)-rsa-MGF1", .rsaPSS(hash)),
            ]
            return algorithms.map { ($0, $1, digest) }
        }
    }()

    private init(_ algorithm: SigningAlgorithm, _ digest: DigestAlgorithm, kind: KeyKind? = nil) {
        (self.algorithm, self.digest, self.kind) = (algorithm, digest, kind)
    }

    /// The method of a key that signs.
    ///
    /// - Throws: `KanalError.invalidArgument` for a key of another kind.
    init(of kind: KeyKind) throws(KanalError) {
        switch kind {
        case .rsa: self.init(.rsaPKCS1(.sha256), .sha256)
        case .p256: self.init(.ecdsa(.sha256), .sha256)
        default:
            guard let found = Self.gost.first(where: { $0.kind == kind }) else {
                throw .invalidArgument("this kind of key pair cannot sign here")
            }
            self.init(.gost, found.digest, kind: kind)
        }
    }

    /// - Throws: ``XMLFault/unknownAlgorithm(_:)``, also for secret keys, and for SHA-1.
    init(_ element: XMLElement) throws(XMLFault) {
        guard let identifier = element["Algorithm"] else {
            throw .malformedSignature("the signature has no algorithm")
        }
        guard element.children.isEmpty else { throw .unknownAlgorithm(identifier) }
        let bare = AlgorithmNames.bare(identifier)
        if let found = Self.gost.first(where: { $0.name == bare }) {
            self.init(.gost, found.digest, kind: found.kind)
        } else if let found = Self.others.first(where: { $0.identifier == identifier }) {
            self.init(found.algorithm, found.digest)
        } else {
            throw .unknownAlgorithm(identifier)
        }
    }

    func identifier(_ names: AlgorithmNames) throws(XMLFault) -> String {
        if let found = Self.gost.first(where: { $0.kind == kind }) {
            return (kind == .gost2001 ? AlgorithmNames.older : names.prefix) + found.name
        }
        guard let found = Self.others.first(where: { $0.algorithm == algorithm }) else {
            throw .unknownAlgorithm("\(algorithm)")
        }
        return found.identifier
    }

    /// Whether signatures of the method are by keys of a kind.
    func isUsed(by kind: KeyKind) -> Bool { self.kind == nil || self.kind == kind }
}
