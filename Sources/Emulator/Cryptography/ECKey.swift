// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Secrets

/// A private key for ECDSA and ECDH. All numbers are little-endian, 32 bytes long.
@safe
struct ECKey: ~Copyable {
    enum Curve {
        /// FIPS 186-4, D.1.2.3.
        case p256
        /// SEC 2, 2.4.1.
        case secp256k1

        fileprivate var number: Int32 { self == .p256 ? NID_X9_62_prime256v1 : NID_secp256k1 }
    }

    static let size = 32
    private let group: OpaquePointer
    private let scalar: Number

    /// Throws unless the scalar is between 1 and the order.
    init(_ value: borrowing Secret, on curve: Curve) throws(LibraryFailure) {
        guard value.count == ECKey.size else { throw LibraryFailure() }
        let number = try Number(littleEndian: value.bytes)
        let group = try unsafe ECKey.newGroup(curve)
        guard !number.isZero, unsafe BN_cmp(number.pointer, EC_GROUP_get0_order(group)) < 0 else {
            unsafe EC_GROUP_free(group)
            throw LibraryFailure()
        }
        unsafe self.group = unsafe group
        scalar = number
    }

    /// Zero, to be overwritten.
    private init(on curve: Curve) throws(LibraryFailure) {
        let number = try Number()
        unsafe group = try unsafe ECKey.newGroup(curve)
        scalar = number
    }

    private static func newGroup(_ curve: Curve) throws(LibraryFailure) -> OpaquePointer {
        guard let group = unsafe EC_GROUP_new_by_curve_name_ex(Libcrypto.context, nil, curve.number) else {
            throw LibraryFailure()
        }
        return unsafe group
    }

    deinit { unsafe EC_GROUP_free(group) }

    /// A new key.
    static func generate(on curve: Curve) throws(LibraryFailure) -> ECKey {
        let key = try ECKey(on: curve)
        try key.randomise(key.scalar)
        return key
    }

    func value() throws(LibraryFailure) -> Secret { try scalar.littleEndian(count: ECKey.size) }

    /// X ‖ Y.
    func publicKey() throws(LibraryFailure) -> [UInt8] {
        let point = try multiply(scalar)
        return [UInt8](copying: try point.x.littleEndian(count: ECKey.size))
            + [UInt8](copying: try point.y.littleEndian(count: ECKey.size))
    }

    /// Throws unless X ‖ Y is a point of the curve, which is not O then. The order is prime, so it has that order.
    static func validate(publicKey: Span<UInt8>, on curve: Curve) throws(LibraryFailure) {
        let key = try ECKey(on: curve)
        unsafe EC_POINT_free(try key.point(publicKey))
    }

    /// The point X ‖ Y, to be freed.
    private func point(_ publicKey: Span<UInt8>) throws(LibraryFailure) -> OpaquePointer {
        guard publicKey.count == 2 * ECKey.size else { throw LibraryFailure() }
        let workspace = try Workspace()
        let x = try Number(littleEndian: publicKey.extracting(first: ECKey.size))
        let y = try Number(littleEndian: publicKey.extracting(last: ECKey.size))
        guard let point = unsafe EC_POINT_new(group) else { throw LibraryFailure() }
        do throws(LibraryFailure) {
            try unsafe check(EC_POINT_set_affine_coordinates(group, point, x.pointer, y.pointer, workspace.pointer))
        } catch {
            unsafe EC_POINT_free(point)
            throw error
        }
        return unsafe point
    }

    /// The secret that both sides of ECDH get: X of the product with the other side's X ‖ Y.
    func agree(with publicKey: Span<UInt8>) throws(LibraryFailure) -> Secret {
        let workspace = try Workspace()
        let point = try unsafe self.point(publicKey)
        defer { unsafe EC_POINT_clear_free(point) }
        try unsafe check(EC_POINT_mul(group, point, nil, point, scalar.pointer, workspace.pointer))
        let x = try Number()
        try unsafe check(EC_POINT_get_affine_coordinates(group, point, x.pointer, nil, workspace.pointer))
        return try x.littleEndian(count: ECKey.size)
    }

    /// r ‖ s over a hash (FIPS 186-4, 6.4).
    func sign(_ hash: Span<UInt8>) throws(LibraryFailure) -> [UInt8] {
        let workspace = try Workspace()
        let order = unsafe EC_GROUP_get0_order(group)
        let e = try Number(littleEndian: hash)
        let k = try Number()
        let r = try Number()
        let s = try Number()
        // Once in 2²⁵⁶ times r or s is 0.
        for _ in 0..<4 {
            try randomise(k)
            let point = try multiply(k)
            try unsafe check(BN_div(nil, r.pointer, point.x.pointer, order, workspace.pointer))
            try unsafe check(BN_mod_mul(s.pointer, r.pointer, scalar.pointer, order, workspace.pointer))
            try unsafe check(BN_mod_add(s.pointer, s.pointer, e.pointer, order, workspace.pointer))
            guard unsafe BN_mod_inverse(k.pointer, k.pointer, order, workspace.pointer) != nil else { continue }
            try unsafe check(BN_mod_mul(s.pointer, s.pointer, k.pointer, order, workspace.pointer))
            guard !r.isZero, !s.isZero else { continue }
            return [UInt8](copying: try r.littleEndian(count: ECKey.size))
                + [UInt8](copying: try s.littleEndian(count: ECKey.size))
        }
        throw LibraryFailure()
    }

    /// Overwrites the number by a random one between 1 and the order.
    private func randomise(_ number: borrowing Number) throws(LibraryFailure) {
        let workspace = try Workspace()
        repeat {
            try unsafe check(BN_priv_rand_range_ex(number.pointer, EC_GROUP_get0_order(group), 0, workspace.pointer))
        } while number.isZero
    }

    /// The coordinates of that many times the generator.
    private func multiply(_ factor: borrowing Number) throws(LibraryFailure) -> AffinePoint {
        let workspace = try Workspace()
        guard let point = unsafe EC_POINT_new(group) else { throw LibraryFailure() }
        defer { unsafe EC_POINT_clear_free(point) }
        try unsafe check(EC_POINT_mul(group, point, factor.pointer, nil, nil, workspace.pointer))
        let x = try Number()
        let y = try Number()
        try unsafe check(EC_POINT_get_affine_coordinates(group, point, x.pointer, y.pointer, workspace.pointer))
        return AffinePoint(x: x, y: y)
    }
}

/// The coordinates of a point of a curve.
struct AffinePoint: ~Copyable {
    let x, y: Number
}

/// Throws unless a function of libcrypto reported success.
func check(_ result: Int32) throws(LibraryFailure) {
    guard result == 1 else { throw LibraryFailure() }
}

/// A number of libcrypto that may be secret: libcrypto computes with it on its constant-time paths.
@safe
struct Number: ~Copyable {
    let pointer: OpaquePointer

    /// Owns what libcrypto made.
    init(owning made: OpaquePointer?) throws(LibraryFailure) {
        guard let made = unsafe made else { throw LibraryFailure() }
        unsafe BN_set_flags(made, BN_FLG_CONSTTIME)
        unsafe pointer = made
    }

    /// Zero, to be overwritten.
    init() throws(LibraryFailure) { try unsafe self.init(owning: BN_new()) }

    /// The number whose least significant byte comes first.
    init(littleEndian bytes: Span<UInt8>) throws(LibraryFailure) {
        let made = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe BN_lebin2bn(bytes.baseAddress, Int32(clamping: bytes.count), nil)
        }
        try unsafe self.init(owning: made)
    }

    deinit { unsafe BN_clear_free(pointer) }

    /// The number in `count` bytes, least significant first.
    func littleEndian(count: Int) throws(LibraryFailure) -> Secret {
        var bytes = Secret(count: count)
        var span = bytes.mutableBytes
        let written = unsafe span.withUnsafeMutableBufferPointer { bytes in
            unsafe BN_bn2lebinpad(pointer, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        guard written == Int32(clamping: count) else { throw LibraryFailure() }
        return bytes
    }

    var isZero: Bool { unsafe BN_is_zero(pointer) == 1 }
    var isOdd: Bool { unsafe BN_is_odd(pointer) == 1 }
    var isOne: Bool { unsafe BN_is_one(pointer) == 1 }

    /// - Warning: leaks both numbers through timing; for public values only.
    static func < (left: borrowing Number, right: borrowing Number) -> Bool {
        unsafe BN_cmp(left.pointer, right.pointer) < 0
    }
}

/// Memory of libcrypto for one computation, which leaves nothing in the error queue.
@safe
struct Workspace: ~Copyable {
    let pointer: OpaquePointer

    init() throws(LibraryFailure) {
        guard let made = unsafe BN_CTX_secure_new_ex(Libcrypto.context) else { throw LibraryFailure() }
        unsafe pointer = made
        ERR_set_mark()
    }

    deinit {
        ERR_pop_to_mark()
        unsafe BN_CTX_free(pointer)
    }
}
