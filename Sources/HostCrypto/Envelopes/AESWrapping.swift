// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The wrapping of a content key by AES under a key of ECDH (RFC 5753, 7.1 and 7.2).
struct AESWrapping: Sendable {
    let hash: DigestAlgorithm
    let keySize: Int
    /// The AlgorithmIdentifier of the wrapping, as the message has it.
    let identifier: [UInt8]
    let ukm: [UInt8]?

    /// The key that wraps (SEC 1, 3.6.1, with ECC-CMS-SharedInfo).
    func kek(from secret: borrowing Secret) throws(HostCryptoError) -> Secret {
        let bits = DERTag.octetString.element([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (8 * keySize) >> $0) })
        let ukm = ukm.map { DERTag.context0.element(DERTag.octetString.element($0)) } ?? []
        let info = DERTag.sequence.element(identifier + ukm + DERTag.context2.element(bits))
        return try X963KDF.derive(from: secret, info: info, count: keySize, hash)
    }

    /// The names of agreements, the hash functions being in the order of the arcs: dhSinglePass-stdDH and, which is the same on
    /// curves with cofactor 1, dhSinglePass-cofactorDH (SEC 1, C.1).
    static func hash(of oid: [UInt8]) -> DigestAlgorithm? {
        if [2, 3].contains(where: { oid == [0x06, 0x09, 0x2B, 0x81, 0x05, 0x10, 0x86, 0x48, 0x3F, 0, $0] }) {
            return .sha1
        }
        let hashes: [DigestAlgorithm] = [.sha224, .sha256, .sha384, .sha512]
        return hashes.first { hash in [11, 14].contains { oid == Self.oid($0, hashes.firstIndex(of: hash) ?? 0) } }
    }

    /// dhSinglePass-stdDH-sha256kdf-scheme.
    static let stdDHSHA256 = oid(11, 1)

    private static func oid(_ scheme: UInt8, _ hash: Int) -> [UInt8] {
        DERTag.objectIdentifier.element([0x2B, 0x81, 0x04, 0x01, scheme, UInt8(truncatingIfNeeded: hash)])
    }

    static func keySize(of oid: [UInt8]) -> Int? { [16, 24, 32].first { oid == ContentCipher.aes($0, 5) } }
}
