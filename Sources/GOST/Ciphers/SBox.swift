// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// A set of the eight substitution rows that GOST 28147-89 leaves to its users (RFC 5830, 4).
package struct SBox: Sendable {
    /// The parameter set's name in its standard, such as `id-Gost28147-89-CryptoPro-A-ParamSet`.
    package let name: String
    /// The parameter set's object identifier in DER, tag and length included.
    package let oid: [UInt8]

    /// The name that the kernels have for it. A type of C is no part of what other modules hold.
    var set: gost_sbox_name {
        var name = gost_sbox_name.tc26_z
        _ = unsafe oid.span.withUnsafeBufferPointer { unsafe gost_sbox_named($0.baseAddress, $0.count, &name) }
        return name
    }

    init(_ set: gost_sbox_name) {
        (name, oid) = unsafe Self.identity(gost_sbox_set_at(set)?.pointee)
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
