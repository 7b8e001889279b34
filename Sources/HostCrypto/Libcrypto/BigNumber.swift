// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// A number of libcrypto that may be secret: it is wiped, and libcrypto takes its constant-time paths with it.
@safe
struct BigNumber {
    private let handle: Handle
    var pointer: OpaquePointer { unsafe handle.pointer }

    /// Zero, to be overwritten.
    init() throws(HostCryptoError) {
        handle = try unsafe Handle(BN_secure_new(), free: BN_clear_free)
        unsafe BN_set_flags(handle.pointer, BN_FLG_CONSTTIME)
    }

    /// The number whose most significant octet comes first.
    init(_ octets: Span<UInt8>) throws(HostCryptoError) {
        try self.init()
        let number = unsafe pointer
        let read = unsafe octets.withUnsafeBufferPointer { octets in
            unsafe BN_bin2bn(octets.baseAddress, Int32(clamping: octets.count), number) != nil
        }
        guard read else { throw .libraryFailure }
    }

    /// Owns a number that libcrypto made.
    init(owning made: OpaquePointer?) throws(HostCryptoError) {
        handle = try unsafe Handle(made, free: BN_clear_free)
    }

    /// The number in as few octets as hold it, most significant octet first.
    func octets() throws(HostCryptoError) -> Secret {
        try octets(count: Int((unsafe BN_num_bits(pointer) + 7) / 8))
    }

    /// The number in `count` octets, most significant octet first. Constant time.
    func octets(count: Int) throws(HostCryptoError) -> Secret {
        var octets = Secret(count: count)
        var span = octets.mutableBytes
        let written = unsafe span.withUnsafeMutableBufferPointer { octets in
            unsafe BN_bn2binpad(pointer, octets.baseAddress, Int32(clamping: octets.count))
        }
        guard written == Int32(clamping: count) else { throw .libraryFailure }
        return octets
    }

    /// Whether two numbers are the same. The answer shows, and in its time how much of them is.
    static func == (left: BigNumber, right: BigNumber) -> Bool {
        unsafe BN_cmp(left.pointer, right.pointer) == 0
    }
}

/// Room for what libcrypto computes on the way, which is wiped.
@safe
struct Workspace {
    private let handle: Handle
    var pointer: OpaquePointer { unsafe handle.pointer }

    init() throws(HostCryptoError) {
        guard let library = unsafe LibraryContext.context else { throw .libraryFailure }
        handle = try unsafe Handle(BN_CTX_secure_new_ex(library), free: BN_CTX_free)
    }
}
