// SPDX-License-Identifier: Apache-2.0

import GOST

/// A request for a time stamp (RFC 3161, 2.4.1), which asks for the authority's certificate.
package struct TimeStampRequest: Sendable {
    /// The hash function, and the digest by it of the bytes to be stamped.
    package let digest: DigestAlgorithm, imprint: [UInt8]
    /// An object identifier in DER; nil for any policy.
    let policy: [UInt8]?
    /// The bytes of a positive number, most significant first, the first not zero.
    let nonce: [UInt8]

    /// - Parameters:
    ///   - digest: A hash function that resists collisions.
    ///   - imprint: The digest.
    ///   - policy: The policy that the stamp must follow, an object identifier in dotted decimal; nil for any.
    ///   - nonce: 8 random bytes, which the reply must repeat.
    /// - Throws: ``HostCryptoError/invalidLength`` for the digest or the nonce; ``HostCryptoError/invalidParameter`` for the
    ///   hash function or the policy.
    package init(
        _ digest: DigestAlgorithm, _ imprint: [UInt8], policy: String? = nil, nonce: [UInt8]
    ) throws(HostCryptoError) {
        guard digest.resistsCollisions else { throw .invalidParameter }
        guard imprint.count == digest.size, nonce.count == Self.nonceSize else { throw .invalidLength }
        if let policy {
            guard let oid = Self.objectIdentifier(policy) else { throw .invalidParameter }
            self.policy = oid
        } else {
            self.policy = nil
        }
        (self.digest, self.imprint) = (digest, imprint)
        // Some authorities read numbers of 64 bits alone, and some drop zeros.
        self.nonce = [nonce[0] & 0x3F | 0x40] + nonce.dropFirst()
    }

    /// The number of bytes of a nonce.
    package static let nonceSize = 8

    /// The TimeStampReq in DER.
    package var der: [UInt8] {
        let version = DERTag.integer.element([1])
        let imprint = DERTag.sequence.element(digest.identifier + DERTag.octetString.element(imprint))
        let asksForCertificate = DERTag.boolean.element([0xFF])
        return DERTag.sequence.element(
            version + imprint + (policy ?? []) + DERTag.integer.element(nonce) + asksForCertificate)
    }

    /// The object identifier in DER that a text has in dotted decimal; nil for another text.
    static func objectIdentifier(_ text: String) -> [UInt8]? {
        let arcs = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0) }
        guard arcs.count >= 2, arcs.count <= 32, let first = arcs[0], let second = arcs[1], first <= 2,
            second < (first == 2 ? 1 << 16 : 40)
        else { return nil }
        var contents: [UInt8] = []
        for arc in [first * 40 + second] + arcs.dropFirst(2) {
            guard let arc else { return nil }
            var digits = [UInt8(arc & 0x7F)]
            var rest = arc >> 7
            while rest > 0 {
                digits.insert(0x80 | UInt8(rest & 0x7F), at: 0)
                rest >>= 7
            }
            contents += digits
        }
        let element = DERTag.objectIdentifier.element(contents)
        // Signs and leading zeros are not decimal.
        return String(objectIdentifier: element) == text ? element : nil
    }
}
