// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import CReserve
import Cryptoki
import HostProcess
import PCSC
import Secrets
import Token
import Tokens

/// A place for results of a length that the caller may not know (PKCS #11 v2.40, 5.2): the only code that knows the
/// two-call rule.
@safe
struct Output<Element> {
    private let buffer: UnsafeMutablePointer<Element>?
    private let count: UnsafeMutablePointer<CK_ULONG>

    /// - Throws: `CKR_ARGUMENTS_BAD` if the place for the length is NULL.
    init(
        _ buffer: UnsafeMutablePointer<Element>?, _ count: UnsafeMutablePointer<CK_ULONG>?,
        _ name: StaticString = "the pointer to the result's length"
    ) throws(CKError) {
        guard let count = unsafe count else { throw .argumentsBad("\(name) is NULL") }
        unsafe self.buffer = unsafe buffer
        unsafe self.count = unsafe count
    }

    /// Whether the caller only asks for the length.
    var isQuery: Bool { unsafe buffer == nil }

    /// Whether there is a place, but not for so many elements.
    func isTooSmall(for size: Int) -> Bool { unsafe !isQuery && count.pointee < CK_ULONG(size) }

    /// Answers a question for the length, refuses a buffer that is too short, or else stores the result of `produce`.
    ///
    /// - Parameter size: The number of elements that `produce` will return.
    /// - Throws: `CKR_BUFFER_TOO_SMALL`, with the length stored; the errors of `produce`.
    func fill(size: Int, _ produce: () throws(CKError) -> [Element]) throws(CKError) {
        guard try hasRoom(for: size) else { return }
        let elements = try produce()
        guard elements.count <= size else { throw .deviceError }
        store(elements, atMost: size)
    }

    /// Whether the caller has a place for so many elements; false for a question for the length, which is answered.
    ///
    /// - Throws: `CKR_BUFFER_TOO_SMALL`, with the length stored.
    func hasRoom(for size: Int) throws(CKError) -> Bool {
        guard isQuery || isTooSmall(for: size) else { return true }
        unsafe count.pointee = CK_ULONG(size)
        guard isQuery else { throw .bufferTooSmall }
        return false
    }

    /// Stores a result in a place that has room for `size` elements.
    func store(_ elements: [Element], atMost size: Int) {
        for (index, element) in elements.prefix(size).enumerated() { unsafe buffer?[index] = element }
        unsafe count.pointee = CK_ULONG(min(elements.count, size))
    }
}

extension Output<UInt8> {
    /// As ``fill(size:_:)``, for bytes that must not be copied elsewhere.
    func fill(count size: Int, _ produce: () throws(CKError) -> Secret) throws(CKError) {
        var secret = Secret(count: 0)
        try fill(size: size) { () throws(CKError) in
            secret = try produce()
            guard secret.count <= size else { throw .deviceError }
            return []
        }
        guard !isQuery else { return }
        for index in 0..<secret.count { unsafe buffer?[index] = secret.bytes[index] }
        unsafe count.pointee = CK_ULONG(secret.count)
    }
}
