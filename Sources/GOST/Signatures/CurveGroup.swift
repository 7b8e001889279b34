// SPDX-License-Identifier: Apache-2.0
import COpenSSL

/// What every computation on a curve needs of libcrypto. It is made once, lives as long as the process and is only read
/// from then on, so that threads share it.
///
/// libcrypto's curve is told the order and the cofactor, because without either it multiplies in variable time
/// (CVE-2019-1547).
@safe
final class CurveGroup: @unchecked Sendable {
    let p, q: Integer
    /// The curve with the point P (`EC_GROUP`).
    let curve: Handle
    /// For multiplying modulo q (`BN_MONT_CTX`).
    let montgomery: Handle

    private init(_ parameters: CurveParameters) throws(GOSTError) {
        let workspace = try LibraryContext.workspace()
        let p = try Integer(bigEndian: parameters.p.span)
        let q = try Integer(bigEndian: parameters.q.span)
        let curve = try Self.curve(parameters, p, q, workspace)
        let montgomery = try unsafe Handle(BN_MONT_CTX_new(), free: BN_MONT_CTX_free)
        try unsafe check(BN_MONT_CTX_set(montgomery.pointer, q.pointer, workspace.pointer))
        self.p = p
        self.q = q
        self.curve = curve
        self.montgomery = montgomery
    }

    private static func curve(
        _ parameters: CurveParameters, _ p: borrowing Integer, _ q: borrowing Integer, _ workspace: borrowing Handle
    ) throws(GOSTError) -> Handle {
        let context = unsafe workspace.pointer
        let a = try Integer(bigEndian: parameters.a.span)
        let b = try Integer(bigEndian: parameters.b.span)
        let x = try Integer(bigEndian: parameters.x.span)
        let y = try Integer(bigEndian: parameters.y.span)
        let cofactor = try Integer(bigEndian: [UInt8(truncatingIfNeeded: parameters.cofactor)].span)
        let curve = try unsafe Handle(
            EC_GROUP_new_curve_GFp(p.pointer, a.pointer, b.pointer, context), free: EC_GROUP_free)
        let base = try unsafe Point(on: curve.pointer)
        try unsafe check(
            EC_POINT_set_affine_coordinates(curve.pointer, base.pointer, x.pointer, y.pointer, context))
        try unsafe check(EC_GROUP_set_generator(curve.pointer, base.pointer, q.pointer, cofactor.pointer))
        return curve
    }

    /// The groups of all curves, by q; those that libcrypto had no memory for are missing.
    private static let all = Dictionary(
        Curve.all.map { ($0.parameters.q, try? CurveGroup($0.parameters)) }, uniquingKeysWith: { first, _ in first })

    /// The group of a curve.
    ///
    /// - Throws: ``GOSTError/libraryFailure``.
    static func of(_ curve: Curve) throws(GOSTError) -> CurveGroup {
        guard let group = all[curve.parameters.q].flatMap(\.self) else { throw .libraryFailure }
        return group
    }
}
