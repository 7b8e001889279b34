// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Glibc
import HostProcess
import Locking
import Secrets
import Synchronization

/// The named values that make a key, or say how an operation works (`OSSL_PARAM`).
@safe
struct Parameters: ~Copyable {
    private let builder: Handle
    /// The numbers and copies that the builder only refers to until it is done.
    private var numbers: [BigNumber]
    private var copies: [UnsafeMutableBufferPointer<UInt8>]

    init() throws(HostCryptoError) {
        builder = try unsafe Handle(OSSL_PARAM_BLD_new(), free: OSSL_PARAM_BLD_free)
        // Set here: Swift 6.2 destroys default values twice if an initialiser throws.
        numbers = []
        unsafe copies = []
    }

    deinit { unsafe copies.forEach { unsafe $0.deallocate() } }

    mutating func add(_ name: StaticString, number: BigNumber) throws(HostCryptoError) {
        try unsafe check(OSSL_PARAM_BLD_push_BN(builder.pointer, name.cString, number.pointer))
        numbers.append(number)
    }

    mutating func add(_ name: StaticString, integer: Int) throws(HostCryptoError) {
        try unsafe check(OSSL_PARAM_BLD_push_int(builder.pointer, name.cString, Int32(clamping: integer)))
    }

    mutating func add(_ name: StaticString, text: StaticString) throws(HostCryptoError) {
        try unsafe check(OSSL_PARAM_BLD_push_utf8_string(builder.pointer, name.cString, text.cString, 0))
    }

    /// - Parameter bytes: They are not secret.
    mutating func add(_ name: StaticString, bytes: [UInt8]) throws(HostCryptoError) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe copy.initialize(fromContentsOf: bytes)
        unsafe copies.append(copy)
        try unsafe check(
            OSSL_PARAM_BLD_push_octet_string(builder.pointer, name.cString, copy.baseAddress, bytes.count))
    }

    /// Lends the values to functions of libcrypto.
    func lend(
        to body: (UnsafeMutablePointer<OSSL_PARAM>) throws(HostCryptoError) -> Void
    ) throws(HostCryptoError) {
        guard let values = unsafe OSSL_PARAM_BLD_to_param(builder.pointer) else { throw .libraryFailure }
        defer { unsafe OSSL_PARAM_free(values) }
        try unsafe body(values)
    }
}
