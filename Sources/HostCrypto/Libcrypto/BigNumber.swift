// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// A number of libcrypto that may be secret: it is wiped, and libcrypto uses its constant-time paths with it.
@safe
struct BigNumber {
    private let handle: Handle
    var pointer: OpaquePointer { unsafe handle.pointer }

    /// Zero, to be overwritten.
    init() throws(HostCryptoError) {
        handle = try unsafe Handle(BN_secure_new(), free: BN_clear_free)
        unsafe BN_set_flags(handle.pointer, BN_FLG_CONSTTIME)
    }

    /// The number whose most significant byte comes first.
    init(_ bytes: Span<UInt8>) throws(HostCryptoError) {
        try self.init()
        let number = unsafe pointer
        let read = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe BN_bin2bn(bytes.baseAddress, Int32(clamping: bytes.count), number) != nil
        }
        guard read else { throw .libraryFailure }
    }

    /// Owns a number that libcrypto made.
    init(owning made: OpaquePointer?) throws(HostCryptoError) {
        handle = try unsafe Handle(made, free: BN_clear_free)
    }

    /// The number in as few bytes as hold it, most significant byte first.
    func bytes() throws(HostCryptoError) -> Secret {
        try bytes(count: Int((unsafe BN_num_bits(pointer) + 7) / 8))
    }

    /// The number in `count` bytes, most significant byte first. Constant time.
    func bytes(count: Int) throws(HostCryptoError) -> Secret {
        var bytes = Secret(count: count)
        var span = bytes.mutableBytes
        let written = unsafe span.withUnsafeMutableBufferPointer { bytes in
            unsafe BN_bn2binpad(pointer, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        guard written == Int32(clamping: count) else { throw .libraryFailure }
        return bytes
    }

    /// Whether two numbers are the same. The answer shows, and in its time how much of them is.
    static func == (left: BigNumber, right: BigNumber) -> Bool {
        unsafe BN_cmp(left.pointer, right.pointer) == 0
    }
}
