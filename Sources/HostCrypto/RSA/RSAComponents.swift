// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// The numbers of a private key of RSA (RFC 8017, 3.2), each with its most significant byte first.
package struct RSAComponents: ~Copyable, Sendable {
    /// n.
    package var modulus: [UInt8]
    /// e.
    package var publicExponent: [UInt8]
    /// d.
    package var privateExponent: Secret
    /// Factors that make computing four times as fast. They follow from the others.
    package var factors: RSAFactors?

    package init(
        modulus: [UInt8], publicExponent: [UInt8], privateExponent: consuming Secret, factors: consuming RSAFactors?
    ) {
        self.modulus = modulus
        self.publicExponent = publicExponent
        self.privateExponent = privateExponent
        self.factors = factors
    }

    /// A second set of the same numbers.
    package func copy() -> RSAComponents {
        var copy = RSAComponents(
            modulus: modulus, publicExponent: publicExponent, privateExponent: privateExponent.copy(), factors: nil)
        switch factors {
        case .none: break
        case .some(let factors): copy.factors = .some(factors.copy())
        }
        return copy
    }
}

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
}
