// SPDX-License-Identifier: Apache-2.0
import CStack
import GOST
import Secrets

/// An operation with secrets of a curve. Its remains on the stack and in registers must not reveal them.
struct TracedOperation {
    typealias Work = () throws -> Void

    let name: String
    /// Makes everything that the operation needs, with a secret of that number.
    let prepare: (UInt8) throws -> Work

    init(_ name: String, prepare: @escaping (UInt8) throws -> Work) {
        self.name = name
        self.prepare = prepare
    }

    /// Whether its remains reveal no secret.
    ///
    /// - Throws: The operation's error.
    func leavesNothing() throws -> Bool {
        // Objects of the first use are made now.
        for _ in 0..<2 { try prepare(0)() }
        for round in 0..<Int32(stack_rounds) {
            for value in 0..<UInt8(stack_values) { try observe(prepare(value), Int32(value), round) }
        }
        return stack_leaks() == 0
    }

    private func observe(_ work: @escaping Work, _ value: Int32, _ round: Int32) throws {
        var run = Run(work: work)
        unsafe withUnsafeMutablePointer(to: &run) {
            unsafe stack_observe(value, round, { unsafe $0?.assumingMemoryBound(to: Run.self).pointee() }, $0)
        }
        if let error = run.error { throw error }
    }

    private struct Run {
        let work: Work
        var error: (any Error)?

        mutating func callAsFunction() {
            do { try work() } catch { self.error = error }
        }
    }
}

/// A value that an operation consumes, and so removes from here.
final class Held<Value: ~Copyable> {
    private var value: Value?

    init(_ value: consuming Value) { self.value = consume value }

    func take() throws -> Value {
        guard let taken = value.take() else { throw GOSTError.libraryFailure }
        return taken
    }
}

/// Random bytes that are the same for one secret, as a number below every q of their length.
final class Draws: RandomSource {
    private let value: UInt8

    init(value: UInt8) { self.value = value }

    func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices {
            let byte = UInt8(truncatingIfNeeded: (bytes.count - index) &* 37) ^ value &* 0x5B
            bytes[index] = index + 1 == bytes.count ? 0x11 : byte
        }
    }
}
