// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Secrets
import TokenEnd

/// An RSA private key as the card keeps it: p, 00000000, q, 00000000, q⁻¹ mod p, d mod p - 1 and d mod q - 1, each
/// little-endian and half as long as the modulus.
struct RSAKey: ~Copyable {
    /// Bytes of the modulus.
    let size: Int
    private let p, q, coefficient, exponentP, exponentQ: Number

    /// Reads the card's form. Throws unless p and q are odd and q⁻¹·q is 1 modulo p, which is hardly so by chance.
    init(_ value: borrowing Secret) throws(LibraryFailure) {
        let half = RSAKey.half(ofValue: value.count)
        guard half > 0, value.count == 5 * half + 8 else { throw LibraryFailure() }
        let p = try RSAKey.part(of: value, at: 0, half)
        let q = try RSAKey.part(of: value, at: half + 4, half)
        let coefficient = try RSAKey.part(of: value, at: 2 * half + 8, half)
        let exponentP = try RSAKey.part(of: value, at: 3 * half + 8, half)
        let exponentQ = try RSAKey.part(of: value, at: 4 * half + 8, half)
        try RSAKey.checkInverse(coefficient, of: q, modulo: p)
        for offset in [half, 2 * half + 4] {
            guard try RSAKey.part(of: value, at: offset, 4).isZero else { throw LibraryFailure() }
        }
        size = 2 * half
        self.p = p
        self.q = q
        self.coefficient = coefficient
        self.exponentP = exponentP
        self.exponentQ = exponentQ
    }

    private static func part(
        of value: borrowing Secret, at offset: Int, _ count: Int
    ) throws(LibraryFailure) -> Number {
        try Number(littleEndian: value.bytes.extracting(offset..<offset + count))
    }

    /// Bytes of a prime, from the bytes of a private key.
    static func half(ofValue count: Int) -> Int { (count - 8) / 5 }

    /// A new pair with the public exponent 65537, in the card's forms.
    static func generate(bits: Int) throws(LibraryFailure) -> (privateValue: SharedSecret, publicValue: [UInt8]) {
        let generation = try RSAGeneration()
        let key = try generation.generate(bits: bits)
        let half = bits / 16
        let separator = [0, 0, 0, 0] as [UInt8]
        var value = try key.number("rsa-factor1", count: half)
        value = value.appending(separator.span)
        for name in ["rsa-factor2", "rsa-coefficient1", "rsa-exponent1", "rsa-exponent2"] {
            let part = try key.number(name, count: half)
            value = value.appending(part.bytes)
            if name == "rsa-factor2" { value = value.appending(separator.span) }
        }
        let modulus = try key.number("n", count: 2 * half)
        let exponent = try key.number("e", count: half)
        return (SharedSecret(value), [UInt8](copying: modulus) + [UInt8](copying: exponent))
    }

    /// The block to the power of the private exponent, by the Chinese remainder theorem (RFC 8017, 5.1.2). Both are
    /// little-endian and as long as the modulus.
    ///
    /// - Throws: If the block is not below the modulus.
    func apply(_ block: Span<UInt8>) throws(LibraryFailure) -> [UInt8] {
        let workspace = try Workspace()
        let context = unsafe workspace.pointer
        let c = try Number(littleEndian: block)
        let n = try Number()
        try unsafe check(BN_mul(n.pointer, p.pointer, q.pointer, context))
        guard c < n else { throw LibraryFailure() }
        let m1 = try power(c, exponentP, modulo: p, workspace)
        let m2 = try power(c, exponentQ, modulo: q, workspace)
        let h = try Number()
        try unsafe check(BN_mod_sub(h.pointer, m1.pointer, m2.pointer, p.pointer, context))
        try unsafe check(BN_mod_mul(h.pointer, h.pointer, coefficient.pointer, p.pointer, context))
        let m = try Number()
        try unsafe check(BN_mul(m.pointer, h.pointer, q.pointer, context))
        try unsafe check(BN_add(m.pointer, m.pointer, m2.pointer))
        return [UInt8](copying: try m.littleEndian(count: size))
    }

    private func power(
        _ base: borrowing Number, _ exponent: borrowing Number, modulo prime: borrowing Number,
        _ workspace: borrowing Workspace
    ) throws(LibraryFailure) -> Number {
        let reduced = try Number()
        try unsafe check(BN_div(nil, reduced.pointer, base.pointer, prime.pointer, workspace.pointer))
        let result = try Number()
        try unsafe check(
            BN_mod_exp_mont_consttime(
                result.pointer, reduced.pointer, exponent.pointer, prime.pointer, workspace.pointer, nil))
        return result
    }

    private static func checkInverse(
        _ inverse: borrowing Number, of number: borrowing Number, modulo prime: borrowing Number
    ) throws(LibraryFailure) {
        let workspace = try Workspace()
        let product = try Number()
        guard prime.isOdd, number.isOdd else { throw LibraryFailure() }
        try unsafe check(
            BN_mod_mul(product.pointer, inverse.pointer, number.pointer, prime.pointer, workspace.pointer))
        guard product.isOne else { throw LibraryFailure() }
    }
}

/// Makes an RSA key pair.
@safe
struct RSAGeneration: ~Copyable {
    private let context: OpaquePointer

    init() throws(LibraryFailure) {
        guard let made = unsafe EVP_PKEY_CTX_new_from_name(Libcrypto.context, "RSA", nil) else {
            throw LibraryFailure()
        }
        unsafe context = made
    }

    deinit { unsafe EVP_PKEY_CTX_free(context) }

    func generate(bits: Int) throws(LibraryFailure) -> GeneratedKey {
        try unsafe check(EVP_PKEY_keygen_init(context))
        try unsafe check(EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(clamping: bits)))
        var key: OpaquePointer?
        try unsafe check(EVP_PKEY_generate(context, &key))
        guard let key = unsafe key else { throw LibraryFailure() }
        return unsafe GeneratedKey(key)
    }
}

/// A key pair of libcrypto.
@safe
struct GeneratedKey: ~Copyable {
    private let key: OpaquePointer

    init(_ key: OpaquePointer) { unsafe self.key = unsafe key }

    deinit { unsafe EVP_PKEY_free(key) }

    /// One of the numbers of the key, by libcrypto's name, little-endian.
    func number(_ name: String, count: Int) throws(LibraryFailure) -> Secret {
        var number: OpaquePointer?
        try unsafe check(EVP_PKEY_get_bn_param(key, name, &number))
        let owned = try unsafe Number(owning: number)
        return try owned.littleEndian(count: count)
    }
}
