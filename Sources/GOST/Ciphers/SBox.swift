// SPDX-License-Identifier: Apache-2.0

/// A set of the eight substitution rows that GOST 28147-89 leaves to its users (RFC 5830, 4).
package struct SBox: Sendable {
    /// The parameter set's name in its standard, such as `id-Gost28147-89-CryptoPro-A-ParamSet`.
    package let name: String
    /// The parameter set's object identifier in DER, tag and length included.
    package let oid: [UInt8]

    let substitution: Substitution

    /// Rows K1…K8; the sixteen hexadecimal digits of each are its substitutes for 0, 1, …, F. K1 acts on the least
    /// significant digit of a word.
    init(_ name: String, oid: [UInt8], rows: [UInt64]) {
        self.name = name
        self.oid = oid
        substitution = Substitution(rows: rows)
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
