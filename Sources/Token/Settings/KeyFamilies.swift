// SPDX-License-Identifier: Apache-2.0

/// Key pairs, and the certificates of their public keys, by what programs know.
package struct KeyFamilies: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Keys of GOST R 34.10, of all editions.
    package static let gost = Self(rawValue: 1)
    /// Keys of elliptic curves other than P-256, P-384 and P-521, without GOST's.
    package static let otherCurves = Self(rawValue: 2)

    /// The families by their names in settings.
    package static let names: KeyValuePairs<String, Self> = ["gost": .gost, "other-curves": .otherCurves]

    /// - Returns: nil if a name is unknown.
    package init?(names: [String]) {
        self = []
        for name in names {
            guard let family = Self.names.first(where: { $0.key == name })?.value else { return nil }
            formUnion(family)
        }
    }
}
