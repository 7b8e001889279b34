// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import Secrets

/// A public key of RSA.
package struct RSAPublicKey: Sendable {
    /// The number n, most significant byte first, without leading zeros.
    package let modulus: [UInt8]
    /// The number e, most significant byte first, without leading zeros.
    package let publicExponent: [UInt8]
    let key: Key

    /// The overhead of RSASSA- and RSAES-PKCS1-v1_5 in bytes.
    static let pkcs1Overhead = 11

    /// Reads and checks a key. Leading zeros of its numbers are ignored.
    ///
    /// - Parameters:
    ///   - modulus: n, most significant byte first: odd, of 512 to 4096 bits.
    ///   - publicExponent: e, most significant byte first: odd, at least 3 and less than n, and of at most 64 bits if n
    ///     has more than 3072, which is as much as libcrypto computes with.
    /// - Throws: ``HostCryptoError/unsupportedKeySize``; ``HostCryptoError/invalidKey``.
    package init(modulus: [UInt8], publicExponent: [UInt8]) throws(HostCryptoError) {
        let n = Array(modulus.drop { $0 == 0 })
        let e = Array(publicExponent.drop { $0 == 0 })
        guard Self.sizes.contains(n.bitCount) else { throw .unsupportedKeySize }
        let isExponent = (n.bitCount <= 3072 || e.bitCount <= 64) && e.isOdd && e != [1] && e.isBelow(n)
        guard n.isOdd, isExponent else { throw .invalidKey }
        let parameters = try Self.parameters(modulus: n, publicExponent: e)
        key = try quietly { () throws(HostCryptoError) in
            try Key(.rsa, .publicKey, from: parameters, else: .invalidKey)
        }
        self.modulus = n
        self.publicExponent = e
    }

    /// The lengths of a modulus in bits.
    package static let sizes = 512...4096

    /// The length of the modulus in bits.
    package var bitCount: Int { modulus.bitCount }

    /// The length of the modulus, and with it of every signature and ciphertext, in bytes.
    package var size: Int { modulus.count }

    static func parameters(modulus: [UInt8], publicExponent: [UInt8]) throws(HostCryptoError) -> Parameters {
        var parameters = try Parameters()
        try parameters.add("n", number: BigNumber(modulus.span))
        try parameters.add("e", number: BigNumber(publicExponent.span))
        return parameters
    }

    /// A number below the modulus, in as many bytes.
    ///
    /// - Throws: ``HostCryptoError/invalidLength``; ``HostCryptoError/valueOutOfRange``.
    func block(_ input: Span<UInt8>) throws(HostCryptoError) -> [UInt8] {
        guard input.count <= size else { throw .invalidLength }
        let block = [UInt8](repeating: 0, count: size - input.count) + [UInt8](copying: input)
        guard block.isBelow(modulus) else { throw .valueOutOfRange }
        return block
    }
}

extension RSAPublicKey: Equatable {
    package static func == (left: RSAPublicKey, right: RSAPublicKey) -> Bool {
        left.modulus == right.modulus && left.publicExponent == right.publicExponent
    }
}

/// Public numbers, most significant byte first.
extension [UInt8] {
    /// The number of bits, without leading zeros.
    fileprivate var bitCount: Int { 8 * count - (first?.leadingZeroBitCount ?? 0) }

    fileprivate var isOdd: Bool { (last ?? 0) & 1 == 1 }

    /// Whether the number is less than `other`, neither having leading zeros but to be as long as the other.
    func isBelow(_ other: [UInt8]) -> Bool {
        count == other.count ? lexicographicallyPrecedes(other) : count < other.count
    }
}
