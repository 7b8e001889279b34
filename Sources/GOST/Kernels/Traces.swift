// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels

/// The result of `body`, which computes with secrets. Everything that it leaves on the stack and in registers is
/// cleared, wherever the compiler has put it.
@inline(__always)
func clearingTraces<Result: ~Copyable>(_ body: () throws(GOSTError) -> Result) throws(GOSTError) -> Result {
    defer { gost_clear_stack() }
    return try apart(body)
}

/// Runs `body` below the frame of the caller, where its traces can be cleared.
@inline(never)
private func apart<Result: ~Copyable>(_ body: () throws(GOSTError) -> Result) throws(GOSTError) -> Result {
    try body()
}

/// A public answer that depends on secrets: a MAC is right, a number is in range. To branch on such an answer is to
/// publish it first. The kernel's function is the only one that the proof of constant time lets branch on a secret; its
/// result is a constant there.
package func published(_ answer: Bool) -> Bool { gost_public_answer(answer) }
