// SPDX-License-Identifier: Apache-2.0
import Secrets

/// Requires that a MAC is the expected one. Constant time but for the answer, which is public.
///
/// - Throws: ``GOSTError/authenticationFailed``.
func authenticate(_ code: Span<UInt8>, as expected: Span<UInt8>) throws(GOSTError) {
    guard published(constantTimeEqual(expected, code)) else { throw .authenticationFailed }
}
