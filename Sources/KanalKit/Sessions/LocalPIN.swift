// SPDX-License-Identifier: Apache-2.0
import Tokens

/// A PIN by which one application protects its own files on a token. It belongs to no login, and does not open objects
/// that this library lists.
public struct LocalPIN: Sendable, Equatable {
    /// The numbers that a local PIN can have: 3 to 31.
    public static let numbers = Slots.localPINNumbers

    /// One of ``numbers``.
    public let number: Int
    /// Its limits and tries. It is never a default: a PIN is listed only after it was set.
    public let details: PINDetails
}
