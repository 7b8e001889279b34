// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import Secrets

/// libcrypto refused a computation: a number is out of range or not prime, or memory ran out.
struct LibraryFailure: Error {}

/// Throws unless a function of libcrypto reported success.
func check(_ result: Int32) throws(LibraryFailure) {
    guard result == 1 else { throw LibraryFailure() }
}

/// A number of libcrypto that may be secret: libcrypto takes its constant-time paths with it.
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
    init(littleEndian octets: Span<UInt8>) throws(LibraryFailure) {
        let made = unsafe octets.withUnsafeBufferPointer { octets in
            unsafe BN_lebin2bn(octets.baseAddress, Int32(clamping: octets.count), nil)
        }
        try unsafe self.init(owning: made)
    }

    deinit { unsafe BN_clear_free(pointer) }

    /// The number in `count` bytes, least significant first.
    func littleEndian(count: Int) throws(LibraryFailure) -> Secret {
        var octets = Secret(count: count)
        var span = octets.mutableBytes
        let written = unsafe span.withUnsafeMutableBufferPointer { octets in
            unsafe BN_bn2lebinpad(pointer, octets.baseAddress, Int32(clamping: octets.count))
        }
        guard written == Int32(clamping: count) else { throw LibraryFailure() }
        return octets
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

/// libcrypto, by which the emulator computes RSA and ECDSA.
package enum Libcrypto {
    /// Whether there is one. It is loaded now, if it was not.
    package static var isThere: Bool { COpenSSL_version() > 0 }

    /// The emulator's own library context.
    nonisolated(unsafe) static let context: OpaquePointer? = unsafe OSSL_LIB_CTX_new()
}
