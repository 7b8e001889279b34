// SPDX-License-Identifier: Apache-2.0
import COpenSSL

/// Computing modulo p in constant time, for what libcrypto does with points by branches: adding them.
@safe
struct Field: ~Copyable {
    private let p, inverseExponent: Integer
    private let montgomery, workspace: Handle

    /// - Parameter p: The prime p, most significant octet first; not 2.
    init(_ p: [UInt8]) throws(GOSTError) {
        let workspace = try LibraryContext.workspace()
        let number = try Integer(bigEndian: p.span)
        let exponent = try Integer(bigEndian: p.span)
        try unsafe check(BN_sub_word(exponent.pointer, 2))
        let montgomery = try unsafe Handle(BN_MONT_CTX_new(), free: BN_MONT_CTX_free)
        try unsafe check(BN_MONT_CTX_set(montgomery.pointer, number.pointer, workspace.pointer))
        self.p = number
        inverseExponent = exponent
        self.montgomery = montgomery
        self.workspace = workspace
    }

    func multiply(_ a: borrowing Integer, _ b: borrowing Integer) throws(GOSTError) -> Integer {
        let product = try Integer()
        let context = unsafe workspace.pointer
        try unsafe check(BN_to_montgomery(product.pointer, a.pointer, montgomery.pointer, context))
        try unsafe check(
            BN_mod_mul_montgomery(product.pointer, product.pointer, b.pointer, montgomery.pointer, context))
        return product
    }

    /// a − b, as a + (p − b): libcrypto's subtraction modulo p compares.
    func subtract(_ a: borrowing Integer, _ b: borrowing Integer) throws(GOSTError) -> Integer {
        let difference = try Integer()
        try unsafe check(BN_usub(difference.pointer, p.pointer, b.pointer))
        try unsafe check(BN_mod_add_quick(difference.pointer, difference.pointer, a.pointer, p.pointer))
        return difference
    }

    /// a^(p − 2).
    func inverse(_ a: borrowing Integer) throws(GOSTError) -> Integer {
        let inverse = try Integer()
        try unsafe check(
            BN_mod_exp_mont_consttime(
                inverse.pointer, a.pointer, inverseExponent.pointer, p.pointer, workspace.pointer, montgomery.pointer))
        return inverse
    }
}
