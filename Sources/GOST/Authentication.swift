// SPDX-License-Identifier: Apache-2.0
import Secrets

/// Requires that a code is the expected one. Constant time but for the answer, which is public.
///
/// Not inlined, so that the proof of constant time tells the branch on the answer from all that its callers do.
///
/// - Throws: ``GOSTError/authenticationFailed``.
@inline(never)
func authenticate(_ code: Span<UInt8>, as expected: Span<UInt8>) throws(GOSTError) {
    guard constantTimeEqual(expected, code) else { throw .authenticationFailed }
}
