// SPDX-License-Identifier: Apache-2.0

import COpenSSL
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

/// The numbers of ``RSAFactors`` in libcrypto.
struct FactorNumbers {
    let p, q, exponent1, exponent2, coefficient: BigNumber

    init(_ factors: borrowing RSAFactors, of key: RSAPublicKey) throws(HostCryptoError) {
        p = try key.number(factors.prime1)
        q = try key.number(factors.prime2)
        exponent1 = try key.number(factors.exponent1)
        exponent2 = try key.number(factors.exponent2)
        coefficient = try key.number(factors.coefficient)
    }

    /// Whether p·q is n, d is the exponents modulo p − 1 and q − 1, and q times the coefficient is 1 modulo p.
    ///
    /// libcrypto does not compute with d if it has the factors, nor with the factors if they give a wrong result: an
    /// operation does not show whether d or the factors are wrong.
    func belong(to key: RSAPublicKey, _ d: BigNumber) throws(HostCryptoError) -> Bool {
        let workspace = try Workspace()
        let (n, number) = (try BigNumber(key.modulus.span), try BigNumber())
        try unsafe check(BN_mul(number.pointer, p.pointer, q.pointer, workspace.pointer))
        guard number == n else { return false }
        for (prime, exponent) in [(p, exponent1), (q, exponent2)] {
            guard try d.remainder(dividingByOneLessThan: prime, workspace) == exponent else { return false }
        }
        try unsafe check(
            BN_mod_mul(number.pointer, q.pointer, coefficient.pointer, p.pointer, workspace.pointer), else: .invalidKey)
        return unsafe BN_is_one(number.pointer) == 1
    }

    func factors() throws(HostCryptoError) -> RSAFactors {
        RSAFactors(
            prime1: try p.bytes(), prime2: try q.bytes(), exponent1: try exponent1.bytes(),
            exponent2: try exponent2.bytes(), coefficient: try coefficient.bytes())
    }

    func add(to parameters: inout Parameters) throws(HostCryptoError) {
        try parameters.add("rsa-factor1", number: p)
        try parameters.add("rsa-factor2", number: q)
        try parameters.add("rsa-exponent1", number: exponent1)
        try parameters.add("rsa-exponent2", number: exponent2)
        try parameters.add("rsa-coefficient1", number: coefficient)
    }
}

extension FactorNumbers {
    /// Finds the factors of a key that works (NIST SP 800-56B, C.1): e·d − 1 is a multiple of the order of each number, so
    /// that a root of 1 that is neither 1 nor −1 turns up on the way to it from every other number on average, and shares
    /// a factor with n when 1 is taken from it.
    ///
    /// - Returns: nil for a modulus that is not a product of two primes; otherwise with a probability of 2⁻⁴⁰.
    ///
    /// Constant time in its secret inputs but for the number of times that e·d − 1 can be halved, and for how often
    /// another number had to be tried.
    init?(of key: RSAPublicKey, _ d: BigNumber) throws(HostCryptoError) {
        let workspace = try Workspace()
        let n = try BigNumber(key.modulus.span)
        guard let root = try Self.rootOfOne(of: key, d, workspace) else { return nil }

        var (larger, smaller) = (try BigNumber(), try BigNumber())
        try unsafe check(BN_sub_word(root.pointer, 1))
        try unsafe check(BN_gcd(larger.pointer, root.pointer, n.pointer, workspace.pointer))
        try unsafe check(BN_div(smaller.pointer, nil, n.pointer, larger.pointer, workspace.pointer))
        if unsafe BN_cmp(larger.pointer, smaller.pointer) < 0 { swap(&larger, &smaller) }
        for factor in [larger, smaller] {
            guard unsafe BN_check_prime(factor.pointer, workspace.pointer, nil) == 1 else { return nil }
        }
        (p, q) = (larger, smaller)
        exponent1 = try d.remainder(dividingByOneLessThan: p, workspace)
        exponent2 = try d.remainder(dividingByOneLessThan: q, workspace)
        coefficient = try BigNumber()
        guard unsafe BN_mod_inverse(coefficient.pointer, q.pointer, p.pointer, workspace.pointer) != nil else {
            return nil
        }
    }

    /// A number other than 1 and n − 1 whose square is 1 modulo n.
    private static func rootOfOne(
        of key: RSAPublicKey, _ d: BigNumber, _ workspace: Workspace
    ) throws(HostCryptoError) -> BigNumber? {
        let (n, e) = (try BigNumber(key.modulus.span), try BigNumber(key.publicExponent.span))
        let (order, minusOne) = (try BigNumber(), try BigNumber(key.modulus.span))
        try unsafe check(BN_mul(order.pointer, e.pointer, d.pointer, workspace.pointer))
        try unsafe check(BN_sub_word(order.pointer, 1))
        try unsafe check(BN_sub_word(minusOne.pointer, 1))
        var halvings = 0
        while unsafe BN_is_zero(order.pointer) == 0, unsafe BN_is_odd(order.pointer) == 0 {
            try unsafe check(BN_rshift1(order.pointer, order.pointer))
            halvings += 1
        }
        for _ in 0..<40 {
            guard let random = try? SystemRandom().bytes(key.size) else { throw .randomUnavailable }
            var power = try BigNumber()
            var square = try BigNumber(random.span)
            try unsafe check(BN_div(nil, square.pointer, square.pointer, n.pointer, workspace.pointer))
            try unsafe check(
                BN_mod_exp_mont_consttime(
                    power.pointer, square.pointer, order.pointer, n.pointer, workspace.pointer, nil))
            for _ in 0..<halvings where unsafe BN_is_one(power.pointer) == 0 && !(power == minusOne) {
                try unsafe check(
                    BN_mod_mul(square.pointer, power.pointer, power.pointer, n.pointer, workspace.pointer))
                if unsafe BN_is_one(square.pointer) == 1 { return power }
                swap(&power, &square)
            }
        }
        return nil
    }
}

extension BigNumber {
    /// The remainder of a division by a number less 1.
    fileprivate func remainder(
        dividingByOneLessThan divisor: BigNumber, _ workspace: Workspace
    ) throws(HostCryptoError) -> BigNumber {
        let (remainder, divisor) = (try BigNumber(), try BigNumber(copying: divisor))
        try unsafe check(BN_sub_word(divisor.pointer, 1))
        try unsafe check(
            BN_div(nil, remainder.pointer, pointer, divisor.pointer, workspace.pointer), else: .invalidKey)
        return remainder
    }

    private init(copying number: BigNumber) throws(HostCryptoError) {
        let bytes = try number.bytes()
        try self.init(bytes.bytes)
    }
}
