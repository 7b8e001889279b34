// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import CReserve
import Cryptoki
import HostProcess
import PCSC
import Secrets
import Token
import Tokens

/// Runs one entry point with the library.
///
/// - Parameters:
///   - isAlone: Whether an application that locks with functions of its own gets one call at a time. False for a
///     function that may take as long as the user likes.
///   - givesBack: Whether the function releases resources, for which less memory is enough.
func call(
    _ name: StaticString = #function, isAlone: Bool = true, givesBack: Bool = false,
    _ body: (Library) throws(CKError) -> Void
) -> CK_RV {
    guard let entry = Entry(givesBack: givesBack) else { return CK_RV(CKR_HOST_MEMORY) }
    defer { entry.leave() }
    do throws(CKError) {
        let initialised = try Process.current.initialised()
        let mutex = isAlone ? initialised.mutex : nil
        try mutex?.lock()
        defer { mutex?.unlock() }
        try body(initialised.library)
    } catch {
        return answer(error, of: name)
    }
    return answer(nil, of: name)
}

/// As `call`, for the functions that work without `C_Initialize`.
func callUninitialised(
    _ name: StaticString = #function, givesBack: Bool = false, _ body: () throws(CKError) -> Void
) -> CK_RV {
    guard let entry = Entry(givesBack: givesBack) else { return CK_RV(CKR_HOST_MEMORY) }
    defer { entry.leave() }
    do throws(CKError) { try body() } catch { return answer(error, of: name) }
    return answer(nil, of: name)
}

/// The time of a thread in the library: forks wait for its end, and the thread is cancelled after it.
private struct Entry {
    private let cancellation: Cancellation

    /// - Returns: nil without memory, of which even a line of the log would need some.
    init?(givesBack: Bool) {
        guard reserve_is_whole() || givesBack && reserve_has_half() else { return nil }
        cancellation = .withhold()
        ForkGate.enterLibrary()
    }

    func leave() {
        ForkGate.leaveLibrary()
        cancellation.restore()
    }
}

/// The only place where an error becomes a return value, and where calls are logged.
private func answer(_ error: CKError?, of name: StaticString) -> CK_RV {
    ProviderLog.call(name, error)
    return error?.rawValue ?? CK_RV(CKR_OK)
}

/// An entry point that is not supported.
func notSupported(_ name: StaticString = #function) -> CK_RV {
    call(name) { _ throws(CKError) in throw .functionNotSupported }
}

/// More bytes than any buffer has: addresses have fewer than 48 bits.
private let addressLimit = 1 << 47 - 1

/// A length from outside.
///
/// - Throws: `CKR_ARGUMENTS_BAD` for a length that no buffer can have.
func length(_ count: CK_ULONG) throws(CKError) -> Int {
    guard let count = Int(exactly: count), count <= addressLimit else {
        throw .argumentsBad("the length \(hex: count) is more than any buffer has")
    }
    return count
}

/// The most bytes that an attribute, a mechanism's parameter, a signature, a PIN or a random number can have. A greater
/// length is a mistake, and nothing of the buffer is read.
let valueLimit = 1 << 24

/// The most bytes that a signed message, a certificate or a list of revoked ones can have.
let documentLimit = 1 << 30

/// The most elements that a template, or another list of the caller's, can have.
let listLimit = 1 << 12

/// Refuses a call on this many bytes if the memory for its results is missing. For few bytes the reserve has enough.
///
/// - Throws: `CKR_HOST_MEMORY`.
func requireMemory(for count: Int) throws(CKError) {
    guard count <= Int(RESERVE_SIZE) / 32 || reserve_is_beside(3 * count) else { throw .hostMemory }
}

/// The caller's elements. NULL stands for none.
///
/// - Parameters:
///   - name: The caller's argument, or its target.
///   - limit: The most elements, where they are copied.
/// - Throws: `CKR_ARGUMENTS_BAD` for more than `limit`, with nothing read; `CKR_HOST_MEMORY`.
func input<Element>(
    _ pointer: UnsafePointer<Element>?, _ count: CK_ULONG, _ name: StaticString = "an argument",
    atMost limit: Int = .max
) throws(CKError) -> UnsafeBufferPointer<Element> {
    guard let count = Int(exactly: count), count <= min(limit, addressLimit) else {
        throw .argumentsBad("\(name) has the length \(count), the most is \(min(limit, addressLimit))")
    }
    guard unsafe pointer != nil || count == 0 else {
        throw .argumentsBad("\(name) is NULL, and its length \(count)")
    }
    if limit < .max { try requireMemory(for: count * MemoryLayout<Element>.stride) }
    return unsafe UnsafeBufferPointer(start: pointer, count: count)
}

/// As `input`, for C's pointers without `const` to data that are not changed.
func input<Element>(
    _ pointer: UnsafeMutablePointer<Element>?, _ count: CK_ULONG, _ name: StaticString = "an argument",
    atMost limit: Int = .max
) throws(CKError) -> UnsafeBufferPointer<Element> {
    try unsafe input(pointer.map { unsafe UnsafePointer($0) }, count, name, atMost: limit)
}

/// A copy of the caller's bytes.
func bytes(
    _ pointer: UnsafeMutablePointer<UInt8>?, _ count: CK_ULONG, _ name: StaticString = "an argument",
    atMost limit: Int = valueLimit
) throws(CKError) -> [UInt8] {
    try unsafe Array(input(pointer, count, name, atMost: limit))
}

/// A place for one result.
///
/// - Throws: `CKR_ARGUMENTS_BAD` for NULL.
func output<Element>(
    _ pointer: UnsafeMutablePointer<Element>?, _ name: StaticString = "a place for a result"
) throws(CKError) -> UnsafeMutablePointer<Element> {
    guard let pointer = unsafe pointer else { throw .argumentsBad("\(name) is NULL") }
    return unsafe pointer
}

/// Writes text into a field of fixed size, padded with blanks and without NUL (PKCS #11 v2.40, 3.1).
func pad<Field>(_ field: inout Field, with text: some Sequence<UInt8>) {
    let text = Array(text).wholeCharacters(fitting: MemoryLayout<Field>.size)
    unsafe withUnsafeMutableBytes(of: &field) { bytes in
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: " "))
        for (index, byte) in zip(bytes.indices, text) { unsafe bytes[index] = byte }
    }
}

/// The bytes of a field of fixed size.
func bytes<Field: BitwiseCopyable>(of field: Field) -> [UInt8] {
    unsafe withUnsafeBytes(of: field) { bytes in unsafe Array(bytes) }
}

/// Writes bytes into a field of fixed size, without changing the rest.
func copy<Field>(_ bytes: some Sequence<UInt8>, into field: inout Field) {
    unsafe withUnsafeMutableBytes(of: &field) { field in
        for (index, byte) in zip(field.indices, bytes) { unsafe field[index] = byte }
    }
}
