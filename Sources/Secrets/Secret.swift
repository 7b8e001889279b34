// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Bytes that must not outlive their use: a PIN, a password, a key, or anything computed from one.
///
/// A `Secret` is moved or borrowed, never copied by accident, has no printable form, and overwrites its bytes when its
/// owner lets it go. They are in no core dump, and a forked child has zeros in their place.
@safe
package struct Secret: ~Copyable, @unchecked Sendable {
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// A secret of `count` zero bytes, to be filled through ``mutableBytes``. A negative count counts as zero.
    package init(count: Int) {
        unsafe storage = Secret.allocate(max(count, 0))
    }

    /// A copy of `bytes`. The original stays, and is the caller's to wipe.
    package init(copying bytes: Span<UInt8>) {
        self.init(copying: bytes, zeros: 0)
    }

    /// A copy of `bytes` with `zeros` zero bytes after them, to be filled through ``mutableBytes``. A negative number of
    /// them counts as zero.
    package init(copying bytes: Span<UInt8>, zeros: Int) {
        unsafe storage = Secret.allocate(bytes.count + max(zeros, 0))
        let storage = unsafe storage
        unsafe bytes.withUnsafeBufferPointer { _ = unsafe storage.update(fromContentsOf: $0) }
    }

    /// A copy of `bytes`, for values that an array held anyway.
    package init(copying bytes: [UInt8]) {
        self.init(copying: bytes.span)
    }

    deinit {
        guard unsafe !storage.isEmpty, let base = unsafe storage.baseAddress else { return }
        unsafe SecretMemory.release(base, storage.count)
    }

    /// Zero bytes. The address of an empty secret is not used but not 0 either, which C functions would take for NULL.
    private static func allocate(_ count: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let start =
            unsafe count == 0
            ? UnsafeMutablePointer(bitPattern: 64)
            : SecretMemory.allocate(count).bindMemory(to: UInt8.self, capacity: count)
        return unsafe UnsafeMutableBufferPointer(start: start, count: count)
    }

    /// The number of bytes.
    package var count: Int { unsafe storage.count }

    /// Whether the secret is empty.
    package var isEmpty: Bool { count == 0 }

    /// The bytes, for as long as the secret is borrowed.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { unsafe _overrideLifetime(storage.span, borrowing: self) }
    }

    /// The bytes, to be written.
    package var mutableBytes: MutableSpan<UInt8> {
        @_lifetime(&self)
        mutating get { unsafe _overrideLifetime(storage.mutableSpan, mutating: &self) }
    }

    /// A second secret with the same bytes.
    package func copy() -> Secret { Secret(copying: bytes) }

    /// A secret with the bytes of `range`; bytes outside this secret are left out.
    package func extracting(_ range: Range<Int>) -> Secret {
        let range = range.clamped(to: 0..<count)
        return Secret(copying: bytes.extracting(range))
    }

    /// A secret with this one's bytes followed by `other`'s.
    package func appending(_ other: Span<UInt8>) -> Secret {
        let result = Secret(count: count + other.count)
        let rest = unsafe result.storage.extracting(count...)
        _ = unsafe result.storage.update(fromContentsOf: storage)
        unsafe other.withUnsafeBufferPointer { _ = unsafe rest.update(fromContentsOf: $0) }
        return result
    }
}

extension [UInt8] {
    /// A copy of bytes that are not secret.
    package init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// A copy of a secret's bytes that need not be secret, such as the digest of public data.
    package init(copying secret: borrowing Secret) {
        self.init(copying: secret.bytes)
    }

    /// Overwrites the array's bytes with zeros, for arrays that had to hold a secret.
    package mutating func wipe() {
        for index in indices { self[index] = 0 }
        unsafe withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { unsafe explicit_bzero(base, bytes.count) }
        }
    }
}

/// Whether `left` and `right` hold the same bytes. Constant time in the contents; the lengths are public.
package func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
}

extension Secret {
    /// Calls `body` with the bytes.
    package borrowing func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        let bytes = bytes
        return try body(bytes)
    }
}
