// SPDX-License-Identifier: Apache-2.0

import COpenSSL
package import Secrets

/// The numbers of a private key of RSA for the Chinese remainder theorem (RFC 8017, 3.2).
package struct RSAFactors: ~Copyable, Sendable {
    /// p and q.
    package var prime1, prime2: Secret
    /// d modulo p − 1 and d modulo q − 1.
    package var exponent1, exponent2: Secret
    /// The inverse of q modulo p.
    package var coefficient: Secret

    package init(
        prime1: consuming Secret, prime2: consuming Secret, exponent1: consuming Secret,
        exponent2: consuming Secret, coefficient: consuming Secret
    ) {
        self.prime1 = prime1
        self.prime2 = prime2
        self.exponent1 = exponent1
        self.exponent2 = exponent2
        self.coefficient = coefficient
    }

    /// A second set of the same numbers.
    package func copy() -> RSAFactors {
        RSAFactors(
            prime1: prime1.copy(), prime2: prime2.copy(), exponent1: exponent1.copy(), exponent2: exponent2.copy(),
            coefficient: coefficient.copy())
    }

    /// e, for a key that comes without it: the inverse of its exponent modulo p − 1. That it belongs to the other numbers is
    /// seen when the key is read.
    ///
    /// - Throws: ``HostCryptoError/invalidKey`` for invalid key components; ``HostCryptoError/libraryFailure``.
    package func publicExponent() throws(HostCryptoError) -> [UInt8] {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        let (prime, exponent, inverse) = (try BigNumber(prime1.bytes), try BigNumber(exponent1.bytes), try BigNumber())
        let lengths = unsafe [BN_num_bits(prime.pointer), BN_num_bits(exponent.pointer)]
        guard lengths.allSatisfy({ (2...RSAPublicKey.sizes.upperBound).contains(Int($0)) }) else { throw .invalidKey }
        try unsafe check(BN_sub_word(prime.pointer, 1))
        let workspace = try Workspace()
        guard unsafe BN_mod_inverse(inverse.pointer, exponent.pointer, prime.pointer, workspace.pointer) != nil,
            unsafe (2...64).contains(BN_num_bits(inverse.pointer))
        else { throw .invalidKey }
        let bytes = try inverse.bytes()
        return [UInt8](copying: bytes.bytes)
    }
}
