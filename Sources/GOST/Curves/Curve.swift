// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// A parameter set of GOST R 34.10: a curve y² = x³ + ax + b over GF(p) and a point P of prime order q.
package struct Curve: Sendable {
    /// The parameter set's name in its standard, such as `id-GostR3410-2001-CryptoPro-A-ParamSet`.
    package let name: String
    /// The parameter set's object identifier in DER, tag and length included.
    package let oid: [UInt8]

    let parameters: CurveParameters

    /// The number of bytes of a coordinate, a scalar, and half a signature: 32 or 64.
    package var coordinateSize: Int { parameters.p.count }

    /// The number of points of the curve divided by q: 1 or 4.
    package var cofactor: Int { parameters.cofactor }

    init(_ set: gost_curve_name) {
        (name, oid) = unsafe Self.identity(gost_curve_set_at(set)?.pointee)
        parameters = CurveParameters(set)
    }

    private static func identity(_ set: gost_curve_set?) -> (name: String, oid: [UInt8]) {
        guard let set = unsafe set, let name = unsafe set.name else { return ("", []) }
        return unsafe (String(cString: name), [UInt8](UnsafeBufferPointer(start: set.oid, count: set.oid_length)))
    }

    /// The curve of ``all`` with this object identifier, tag and length included.
    package init?(oid: [UInt8]) {
        guard let curve = Curve.all.first(where: { $0.oid == oid }) else { return nil }
        self = curve
    }
}

extension Curve: Hashable {
    package static func == (left: Curve, right: Curve) -> Bool { left.oid == right.oid }
    package func hash(into hasher: inout Hasher) { hasher.combine(oid) }
}

extension Curve: CustomStringConvertible {
    /// The parameter set's name.
    package var description: String { name }
}

/// The parameter sets that have an object identifier. Some share their numbers and differ in the identifier alone.
extension Curve {
    /// All parameter sets.
    package static let all: [Curve] = [
        test2001, cryptoProA, cryptoProB, cryptoProC, cryptoProXchA, cryptoProXchB,
        tc26256A, tc26256B, tc26256C, tc26256D, tc26512Test, tc26512A, tc26512B, tc26512C,
    ]

    /// For the example of GOST R 34.10-2001 only (RFC 4357, 11.4).
    package static let test2001 = Curve(.test_2001)

    /// RFC 4357, 11.4.
    package static let cryptoProA = Curve(.cryptopro_a)

    /// RFC 4357, 11.4.
    package static let cryptoProB = Curve(.cryptopro_b)

    /// RFC 4357, 11.4.
    package static let cryptoProC = Curve(.cryptopro_c)

    /// For key agreement; the numbers of ``cryptoProA`` (RFC 4357, 11.4).
    package static let cryptoProXchA = Curve(.cryptopro_xch_a)

    /// For key agreement; the numbers of ``cryptoProC`` (RFC 4357, 11.4).
    package static let cryptoProXchB = Curve(.cryptopro_xch_b)

    /// RFC 7836, A.2. Cofactor 4.
    package static let tc26256A = Curve(.tc26_256_a)

    /// The numbers of ``cryptoProA`` (RFC 9215).
    package static let tc26256B = Curve(.tc26_256_b)

    /// The numbers of ``cryptoProB`` (RFC 9215).
    package static let tc26256C = Curve(.tc26_256_c)

    /// The numbers of ``cryptoProC`` (RFC 9215).
    package static let tc26256D = Curve(.tc26_256_d)

    /// For the example of GOST R 34.10-2012 only (RFC 9215, E).
    package static let tc26512Test = Curve(.tc26_512_test)

    /// RFC 7836, A.1.
    package static let tc26512A = Curve(.tc26_512_a)

    /// RFC 7836, A.1.
    package static let tc26512B = Curve(.tc26_512_b)

    /// RFC 7836, A.2. Cofactor 4.
    package static let tc26512C = Curve(.tc26_512_c)
}
