// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import Secrets

/// An object of libcrypto, cleared and freed when its owner lets it go.
@safe
struct Handle: ~Copyable {
    let pointer: OpaquePointer
    private let free: (OpaquePointer?) -> Void

    /// Owns what a function of libcrypto made.
    ///
    /// - Throws: ``GOSTError/libraryFailure`` if it made nothing.
    init(_ made: OpaquePointer?, free: @escaping (OpaquePointer?) -> Void) throws(GOSTError) {
        guard let made = unsafe made else { throw .libraryFailure }
        unsafe pointer = made
        unsafe self.free = free
    }

    deinit { unsafe free(pointer) }
}

/// A number of libcrypto that may be secret: libcrypto takes its constant-time paths with it.
@safe
struct Integer: ~Copyable {
    private let handle: Handle
    var pointer: OpaquePointer { unsafe handle.pointer }

    /// Zero, to be overwritten.
    init() throws(GOSTError) {
        handle = try Self.zero()
    }

    /// The number whose most significant octet comes first.
    init(bigEndian octets: Span<UInt8>) throws(GOSTError) {
        let handle = try Self.zero()
        let read = unsafe octets.withUnsafeBufferPointer { octets in
            unsafe BN_bin2bn(octets.baseAddress, Int32(clamping: octets.count), handle.pointer) != nil
        }
        guard read else { throw .libraryFailure }
        self.handle = handle
    }

    /// The number whose least significant octet comes first. Constant time.
    ///
    /// libcrypto passes over zeros at the end of the octets one by one, and would show how many a nonce has; a one
    /// behind them, taken away again, leaves it nothing to pass over.
    init(littleEndian octets: Span<UInt8>) throws(GOSTError) {
        let handle = try Self.zero()
        let marked = Secret(copying: octets).appending([1].span)
        let read = unsafe marked.bytes.withUnsafeBufferPointer { octets in
            unsafe BN_lebin2bn(octets.baseAddress, Int32(clamping: octets.count), handle.pointer) != nil
        }
        guard read else { throw .libraryFailure }
        try unsafe check(BN_clear_bit(handle.pointer, Int32(clamping: 8 * octets.count)))
        self.handle = handle
    }

    private static func zero() throws(GOSTError) -> Handle {
        let handle = try unsafe Handle(BN_secure_new(), free: BN_clear_free)
        unsafe BN_set_flags(handle.pointer, BN_FLG_CONSTTIME)
        return handle
    }

    /// The number in `count` octets, least significant first. Constant time.
    func littleEndian(count: Int) throws(GOSTError) -> Secret {
        var octets = Secret(count: count)
        var span = octets.mutableBytes
        let written = unsafe span.withUnsafeMutableBufferPointer { octets in
            unsafe BN_bn2lebinpad(pointer, octets.baseAddress, Int32(clamping: octets.count))
        }
        guard written == Int32(clamping: count) else { throw .libraryFailure }
        return octets
    }

    /// Whether the number is 0; constant time.
    var isZero: Bool { unsafe BN_is_zero(pointer) == 1 }

    /// - Warning: leaks both numbers through timing; for public values only.
    static func < (left: borrowing Integer, right: borrowing Integer) -> Bool {
        unsafe BN_cmp(left.pointer, right.pointer) < 0
    }

    /// - Warning: leaks both numbers through timing; for public values only.
    static func == (left: borrowing Integer, right: borrowing Integer) -> Bool {
        unsafe BN_cmp(left.pointer, right.pointer) == 0
    }
}
