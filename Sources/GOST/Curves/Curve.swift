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
