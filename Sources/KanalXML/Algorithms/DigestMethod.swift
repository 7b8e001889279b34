// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import KanalKit

/// A hash function by its identifier in signatures.
enum DigestMethod {
    private static let gost: [(name: String, digest: DigestAlgorithm)] = [
        ("gostr34112012-256", .streebog256), ("gostr34112012-512", .streebog512), ("gostr3411", .gostR341194),
    ]
    private static let others: [(identifier: String, digest: DigestAlgorithm)] = [
        ("http://www.w3.org/2001/04/xmlenc#sha256", .sha256),
        ("http://www.w3.org/2001/04/xmldsig-more#sha384", .sha384),
        ("http://www.w3.org/2001/04/xmlenc#sha512", .sha512),
    ]

    static func identifier(of digest: DigestAlgorithm, _ names: AlgorithmNames) throws(XMLFault) -> String {
        if let found = gost.first(where: { $0.digest == digest }) {
            return (digest == .gostR341194 ? AlgorithmNames.older : names.prefix) + found.name
        }
        guard let found = others.first(where: { $0.digest == digest }) else { throw .unknownAlgorithm("\(digest)") }
        return found.identifier
    }

    /// - Throws: ``XMLFault/unknownAlgorithm(_:)``, also for SHA-1, whose collisions can be computed.
    static func digest(_ element: XMLElement?) throws(XMLFault) -> DigestAlgorithm {
        guard let identifier = element?["Algorithm"] else {
            throw .malformedSignature("a digest has no algorithm")
        }
        let bare = AlgorithmNames.bare(identifier)
        if let found = gost.first(where: { $0.name == bare }) { return found.digest }
        guard let found = others.first(where: { $0.identifier == identifier }) else {
            throw .unknownAlgorithm(identifier)
        }
        return found.digest
    }

    /// The digest of bytes that come piece by piece.
    static func digest(
        by algorithm: DigestAlgorithm, _ write: ((Span<UInt8>) -> Void) throws -> Void
    ) throws -> [UInt8] {
        let digests = try host { () throws(HostCryptoError) in try ContentDigests([algorithm]) }
        try write(digests.update)
        return try host { () throws(HostCryptoError) in try digests.finalize() }[algorithm] ?? []
    }

    static func host<Value>(_ body: () throws(HostCryptoError) -> Value) throws(KanalError) -> Value {
        do throws(HostCryptoError) { return try body() } catch { throw KanalError(host: error) }
    }
}
