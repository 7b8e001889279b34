// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// A set of the eight substitution rows that GOST 28147-89 leaves to its users (RFC 5830, 4).
package struct SBox: Sendable {
    /// The parameter set's name in its standard, such as `id-Gost28147-89-CryptoPro-A-ParamSet`.
    package let name: String
    /// The parameter set's object identifier in DER, tag and length included.
    package let oid: [UInt8]

    let substitution: Substitution

    init(_ set: gost_sbox_name) {
        (name, oid) = unsafe Self.identity(gost_sbox_set_at(set)?.pointee)
        substitution = Substitution(set)
    }

    private static func identity(_ set: gost_sbox_set?) -> (name: String, oid: [UInt8]) {
        guard let set = unsafe set, let name = unsafe set.name else { return ("", []) }
        return unsafe (String(cString: name), [UInt8](UnsafeBufferPointer(start: set.oid, count: set.oid_length)))
    }
}

extension SBox: Hashable {
    package static func == (left: SBox, right: SBox) -> Bool { left.oid == right.oid }
    package func hash(into hasher: inout Hasher) { hasher.combine(oid) }
}

extension SBox: CustomStringConvertible {
    /// The parameter set's name.
    package var description: String { name }
}

extension SBox {
    /// Every set that has an object identifier.
    package static let all: [SBox] = [
        gost28147Test, cryptoProA, cryptoProB, cryptoProC, cryptoProD, tc26Z, r341194Test, r341194CryptoPro,
    ]

    /// RFC 4357, 11.1: for the examples of the standard only.
    package static let gost28147Test = SBox(.test_28147)

    /// RFC 4357, 11.1.
    package static let cryptoProA = SBox(.cryptopro_a)

    /// RFC 4357, 11.1.
    package static let cryptoProB = SBox(.cryptopro_b)

    /// RFC 4357, 11.1.
    package static let cryptoProC = SBox(.cryptopro_c)

    /// RFC 4357, 11.1.
    package static let cryptoProD = SBox(.cryptopro_d)

    /// RFC 4357, 11.2: the hash function's set of RFC 5831's examples.
    package static let r341194Test = SBox(.test_341194)

    /// RFC 4357, 11.2: the hash function's set.
    package static let r341194CryptoPro = SBox(.cryptopro_341194)

    /// RFC 7836, Appendix C; also Magma's set.
    package static let tc26Z = SBox(.tc26_z)
}

/// The eight substitution rows of GOST 28147-89 as one polynomial, so that no table is indexed by secret data.
///
/// A digit of four bits b3 b2 b1 b0 is replaced by the sum modulo 2 of the coefficients of all products of its bits
/// (the algebraic normal form). The 32-bit coefficients hold one digit for each of the eight rows, and every lane
/// substitutes a word of its own. Constant time in the words; the rows are public.
struct Substitution: BitwiseCopyable, Sendable {
    /// The substitutes of rows K1…K8 for 0, 1, …, F, sixteen bytes for each row.
    let rows: InlineArray<128, UInt8>

    /// The coefficient at index m belongs to the product of those bits that are set in m.
    private let coefficients: InlineArray<16, UInt32>

    /// The rows of a parameter set.
    init(_ set: gost_sbox_name) {
        let rows = unsafe gost_sbox_set_at(set)?.pointee.rows
        var coefficients = InlineArray<16, UInt32>(repeating: 0)
        var digits = InlineArray<128, UInt8>(repeating: 0)
        for place in 0..<8 {
            for value in 0..<16 {
                let digit = unsafe rows?[16 * place + value] ?? 0
                digits[16 * place + value] = digit
                coefficients[value] |= UInt32(digit) << UInt32(4 * place)
            }
        }
        for bit in [1, 2, 4, 8] {
            for value in 0..<16 where value & bit != 0 { coefficients[value] ^= coefficients[value ^ bit] }
        }
        self.rows = digits
        self.coefficients = coefficients
    }

    /// Replaces the eight digits of every word.
    @inline(__always)
    func callAsFunction(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let b0 = Self.mask(words)
        let b1 = Self.mask(words &>> 1)
        let b2 = Self.mask(words &>> 2)
        let b3 = Self.mask(words &>> 3)

        @inline(__always) func pair(_ m: Int) -> SIMD4<UInt32> { term(m) ^ (term(m + 1) & b0) }
        @inline(__always) func quad(_ m: Int) -> SIMD4<UInt32> { pair(m) ^ (pair(m + 2) & b1) }
        @inline(__always) func half(_ m: Int) -> SIMD4<UInt32> { quad(m) ^ (quad(m + 4) & b2) }
        return half(0) ^ (half(8) & b3)
    }

    @inline(__always)
    private func term(_ index: Int) -> SIMD4<UInt32> { SIMD4(repeating: coefficients[index]) }

    /// F in every digit whose lowest bit is set, 0 in the others.
    @inline(__always)
    private static func mask(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        let bits = words & SIMD4(repeating: 0x1111_1111)
        return (bits &<< 4) &- bits
    }
}
