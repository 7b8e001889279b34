// SPDX-License-Identifier: Apache-2.0

import Secrets

/// The beginning of a message block of `size` bytes, until the rest of it comes.
struct PartialBlock<let size: Int>: BitwiseCopyable, Sendable {
    private var storage = InlineArray<size, UInt8>(repeating: 0)
    private(set) var count = 0

    var isFull: Bool { count == size }

    /// The block's bytes; those that have not come are zero.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { storage.span }
    }

    /// Consumes bytes from the front of `data` until the block is full, and returns the rest of `data`.
    @_lifetime(copy data)
    mutating func fill(from data: Span<UInt8>) -> Span<UInt8> {
        let taken = min(size - count, data.count)
        for index in 0..<taken { storage[count + index] = data[index] }
        count += taken
        return data.extracting(droppingFirst: taken)
    }

    mutating func append(_ byte: UInt8) {
        guard count < size else { return }
        storage[count] = byte
        count += 1
    }

    mutating func clear() { self = PartialBlock() }
}
