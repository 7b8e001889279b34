// SPDX-License-Identifier: Apache-2.0

/// The effect of cancelling a task whose work runs.
enum Cancellation: Sendable {
    /// The caller waits for the work, which is asked to end its own waiting. The closure does not block.
    case asks(@Sendable () -> Void)
    /// The caller goes on at once. The work ends on its own, and its result is discarded.
    case abandons
}
