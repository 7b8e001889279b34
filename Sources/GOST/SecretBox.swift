// SPDX-License-Identifier: Apache-2.0
import Secrets

/// A plain value in the memory of secrets, overwritten when its owner lets it go: round keys, hash states, gamma.
///
/// Moving the owner moves a reference, so that no copies of the value stay behind on the stack.
@safe
struct SecretBox<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    private let memory: WipedMemory

    init(_ value: Value) {
        memory = WipedMemory(MemoryLayout<Value>.stride)
        unsafe memory.start.initializeMemory(as: Value.self, to: value)
    }

    /// A second value that is the same, without a copy on the stack.
    init(copying other: borrowing SecretBox) {
        memory = WipedMemory(MemoryLayout<Value>.stride)
        unsafe other.withUnsafePointer {
            _ = unsafe memory.start.initializeMemory(as: Value.self, from: $0, count: 1)
        }
    }

    private var storage: UnsafeMutablePointer<Value> {
        @inline(__always) get { unsafe memory.start.assumingMemoryBound(to: Value.self) }
    }

    /// Lends the value in place, to code that uses its address.
    @inline(__always)
    func withUnsafePointer<Result>(_ body: (UnsafePointer<Value>) -> Result) -> Result {
        withExtendedLifetime(memory) { unsafe body(UnsafePointer(storage)) }
    }

    /// Lends the value in place, to code that writes through its address.
    @inline(__always)
    mutating func withUnsafeMutablePointer<Result>(_ body: (UnsafeMutablePointer<Value>) -> Result) -> Result {
        withExtendedLifetime(memory) { unsafe body(storage) }
    }

    var value: Value {
        @inline(__always) _read {
            yield unsafe storage.pointee
            withExtendedLifetime(memory) {}
        }
        @inline(__always) _modify {
            yield unsafe &storage.pointee
            withExtendedLifetime(memory) {}
        }
    }
}

/// The memory of a ``SecretBox`` value. A class, as the optimiser of Swift 6.2 splits structs without calling `deinit`.
@safe
private final class WipedMemory {
    let start: UnsafeMutableRawPointer
    private let count: Int

    init(_ count: Int) {
        self.count = count
        unsafe start = SecretMemory.allocate(count)
    }

    deinit {
        unsafe SecretMemory.release(start, count)
    }
}
