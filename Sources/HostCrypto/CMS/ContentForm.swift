// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// Whether a content, as it passes by, has the form of signed attributes (RFC 5652, 5.3): one SET OF Attribute in DER.
///
/// A signature without signed attributes covers the content, one with them covers the attributes. So a message with
/// attributes could be turned into one without, whose content they are, under the same signature.
package struct ContentForm: Sendable {
    /// As many bytes as hold the lengths of the set and of its first member, and the type of that.
    private var beginning: [UInt8] = []
    private var count = 0

    private static let limit = 256

    package init() {}

    package mutating func update(_ data: Span<UInt8>) {
        for index in 0..<min(data.count, Self.limit - beginning.count) { beginning.append(data[index]) }
        count = count.addingReportingOverflow(data.count).partialValue
    }

    /// Whether all that has passed by is a SET whose first member is a SEQUENCE of an OBJECT IDENTIFIER and a SET.
    package var isAttributes: Bool {
        var rest = beginning[...]
        guard let length = Self.length(0x31, &rest), length == count - (beginning.count - rest.count),
            Self.length(0x30, &rest) != nil, let type = Self.length(0x06, &rest)
        else { return false }
        // A type longer than what was kept counts too.
        let next = rest.dropFirst(type).first
        return next == nil || next == 0x31
    }

    /// Reads a tag and a length; nil for another tag.
    private static func length(_ tag: UInt8, _ bytes: inout ArraySlice<UInt8>) -> Int? {
        guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count >= count else { return nil }
        let length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        bytes = bytes.dropFirst(count)
        return length
    }
}

/// The parts of a message that no signature covers: versions, and the names of algorithms. In a message in order they
/// are as RFC 5652 requires, and match the signed parts.
struct MessageOrder {
    /// An AlgorithmIdentifier without parameters, or with NULL as parameters.
    ///
    /// - Returns: The object identifier in DER; nil for an identifier with other parameters.
    static func oid(of identifier: [UInt8]) throws(GOSTError) -> [UInt8]? {
        var reader = DERReader(identifier.span, .ber)
        var fields = try reader.nested(.sequence)
        let oid = try fields.objectIdentifier()
        guard !fields.isAtEnd else { return oid }
        guard fields.isAt(.null) else { return nil }
        guard try fields.contents(.null).isEmpty, fields.isAtEnd else { return nil }
        return oid
    }

    /// Whether a SignedData's version is that of its content, and it announces each hash function of its signers, and no
    /// other but those of countersigners (RFC 5652, 5.1), which programs announce or not.
    ///
    /// - Parameters:
    ///   - version: The contents of the INTEGER.
    ///   - announced: The AlgorithmIdentifiers, in DER.
    static func holds(
        version: [UInt8], contentType: [UInt8], announced: [[UInt8]], _ signers: [SignedData.Signer]
    ) throws(GOSTError) -> Bool {
        let isOfVersion3 = contentType != CMS.data || signers.contains { $0.identifier.version == 3 }
        guard version == [isOfVersion3 ? 3 : 1], signers.allSatisfy(\.isInOrder) else { return false }
        var names: [[UInt8]] = []
        for identifier in announced {
            guard let name = try oid(of: identifier) else { return false }
            names.append(name)
        }
        let own = Set(signers.map(\.digest.oid))
        let others = try signers.map { signer throws(GOSTError) in try signer.countersigners().map(\.digest.oid) }
        return own.isSubset(of: names) && own.union(others.joined()).isSuperset(of: names)
    }

    /// Whether a SignerInfo's version goes with the name of its signer, and its signature is by an algorithm that fits the
    /// hash function (RFC 5652, 5.3).
    ///
    /// - Parameters:
    ///   - version: The contents of the INTEGER.
    ///   - hash: The AlgorithmIdentifier in DER.
    static func holds(
        version: [UInt8], _ signer: SignerIdentifier, hash: [UInt8], _ algorithm: SignerAlgorithm,
        _ digest: DigestAlgorithm
    ) throws(GOSTError) -> Bool {
        guard version == [signer.version], try oid(of: hash) == digest.oid else { return false }
        return algorithm.isUsed(with: digest)
    }
}

/// The digests of a content by some hash functions, and its form, as it passes by.
package final class ContentDigests {
    package private(set) var form = ContentForm()
    private let hashes: [Hash]

    private final class Hash {
        let algorithm: DigestAlgorithm
        var digest: Digest?

        init(_ algorithm: DigestAlgorithm) throws(HostCryptoError) {
            self.algorithm = algorithm
            digest = try Digest(algorithm)
        }
    }

    /// - Parameter algorithms: Those that do not resist collisions are left out, for no signature by them counts.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package init(_ algorithms: some Sequence<DigestAlgorithm>) throws(HostCryptoError) {
        var hashes: [Hash] = []
        for algorithm in Set(algorithms) where algorithm.resistsCollisions { hashes.append(try Hash(algorithm)) }
        self.hashes = hashes
    }

    package func update(_ data: Span<UInt8>) {
        for hash in hashes { hash.digest?.update(data) }
        form.update(data)
    }

    /// Ends the content.
    ///
    /// - Returns: Nothing after the first time.
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func finalize() throws(HostCryptoError) -> [DigestAlgorithm: [UInt8]] {
        var values: [DigestAlgorithm: [UInt8]] = [:]
        for hash in hashes {
            guard let digest = hash.digest.take() else { continue }
            let bytes = try digest.finalize()
            values[hash.algorithm] = [UInt8](copying: bytes)
        }
        return values
    }
}
