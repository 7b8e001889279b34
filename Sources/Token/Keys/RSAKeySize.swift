// SPDX-License-Identifier: Apache-2.0
import APDU
package import HostCrypto
import GOST
package import Secrets

/// A length of RSA keys that tokens have files for.
package struct RSAKeySize: Sendable, Equatable {
    package let bits: Int

    /// - Returns: nil unless there are 512 to 4096 bits, in steps of 256.
    package init?(bits: Int) {
        guard (512...4096).contains(bits), bits.isMultiple(of: 256) else { return nil }
        self.bits = bits
    }

    /// - Returns: nil if no private key file has this size.
    package init?(privateSize: Int) { self.init(bits: (privateSize - 8) / 5 * 16) }

    /// - Returns: nil if no public key file has this size.
    package init?(publicSize: Int) { self.init(bits: publicSize / 3 * 16) }

    /// Bytes of the modulus, and of each block.
    var blockSize: Int { bits / 8 }
    /// Sizes in bytes of the two key files: five numbers of half the modulus' length and two pauses of four bytes; the
    /// modulus, and the exponent in half its length.
    package var privateSize: Int { 5 * blockSize / 2 + 8 }
    package var publicSize: Int { 3 * blockSize / 2 }

    /// A private key in the card's form: p ‖ 00000000 ‖ q ‖ 00000000 ‖ the coefficient ‖ both exponents, each
    /// little-endian and half as long as the modulus.
    package func privateValue(_ factors: borrowing RSAFactors) -> Secret {
        let half = blockSize / 2
        var value = Secret(count: privateSize)
        var bytes = value.mutableBytes
        bytes.enter(factors.prime1, at: 0, upTo: half)
        bytes.enter(factors.prime2, at: half + 4, upTo: half)
        bytes.enter(factors.coefficient, at: 2 * half + 8, upTo: half)
        bytes.enter(factors.exponent1, at: 3 * half + 8, upTo: half)
        bytes.enter(factors.exponent2, at: 4 * half + 8, upTo: half)
        return value
    }
}
