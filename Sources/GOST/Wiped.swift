// SPDX-License-Identifier: Apache-2.0
import Secrets

/// A plain value in the memory of secrets, overwritten when its owner lets it go: round keys, hash states, gamma.
///
/// Moving the owner moves a pointer, so that no copies of the value stay behind on the stack.
@safe
struct Wiped<Value: BitwiseCopyable & Sendable>: ~Copyable, @unchecked Sendable {
    private let storage: UnsafeMutablePointer<Value>

    init(_ value: Value) {
        let memory = unsafe SecretMemory.allocate(MemoryLayout<Value>.stride)
        unsafe storage = memory.bindMemory(to: Value.self, capacity: 1)
        unsafe storage.initialize(to: value)
    }

    deinit {
        unsafe SecretMemory.release(storage, MemoryLayout<Value>.stride)
    }

    /// Lends the value in place, to code that takes its address.
    @inline(__always)
    func withUnsafePointer<Result>(_ body: (UnsafePointer<Value>) -> Result) -> Result {
        unsafe body(UnsafePointer(storage))
    }

    /// Lends the value in place, to code that writes through its address.
    @inline(__always)
    mutating func withUnsafeMutablePointer<Result>(_ body: (UnsafeMutablePointer<Value>) -> Result) -> Result {
        unsafe body(storage)
    }

    var value: Value {
        @inline(__always) _read { yield unsafe storage.pointee }
        @inline(__always) _modify { yield unsafe &storage.pointee }
    }
}
