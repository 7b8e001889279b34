// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels

/// What `body` computes with secrets. What it leaves on the stack and in registers is cleared, whatever of it the compiler
/// has put there.
@inline(__always)
func clearingTraces<Result: ~Copyable>(_ body: () throws(GOSTError) -> Result) throws(GOSTError) -> Result {
    defer { gost_clear_stack() }
    return try apart(body)
}

/// Runs `body` below the frame of the caller, where what it leaves can be cleared.
@inline(never)
private func apart<Result: ~Copyable>(_ body: () throws(GOSTError) -> Result) throws(GOSTError) -> Result {
    try body()
}

/// An answer that is no secret, whatever it comes of: a code is right, a number is in range. To branch on such an answer is
/// to publish it first. The kernel's function is the only one that the proof of constant time lets branch on a secret; what it
/// gives is a constant.
package func published(_ answer: Bool) -> Bool { gost_public_answer(answer) }
