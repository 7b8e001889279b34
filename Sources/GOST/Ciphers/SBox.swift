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
