// SPDX-License-Identifier: Apache-2.0

import Asking
import Locking
import Secrets
import Token
import Translation

/// The questions about the token in a slot, one at a time.
///
/// A thread that wants an answer while another thread's question for the same is open waits for it, and shares its end:
/// if the user refused, this is the answer to both.
final class Inquiry: Sendable {
    private let turn = Lock(Unanswered?.none)
    private let count = Lock(0)
    private let refusal = Lock(Refusal?.none)

    /// The subject of a question.
    enum Subject: Equatable {
        case activation
        case pins([PINRequest])
        case consent
    }

    /// A question that ended without an answer.
    private struct Unanswered {
        let subject: Subject
        let error: AskingError
    }

    /// An activation that the user did not want, of this token, since this insertion of it.
    struct Refusal: Equatable {
        let serial: [UInt8]
        /// The reader's count of insertions and removals.
        let events: Int?
    }

    /// Runs `body`, which asks, when no other question is open.
    func take<Result, Failure: TokenCallError>(
        _ subject: Subject, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let seen = count.withLock { $0 }
        return try turn.withLock { last throws(Failure) in
            let hasWaited = count.withLock { $0 } != seen
            // Two uses of a key are not the same question.
            if hasWaited, let last, last.subject == subject, subject != .consent {
                throw Failure(.unanswered(last.error))
            }
            last = nil
            defer { count.withLock { $0 &+= 1 } }
            do throws(Failure) { return try body() } catch {
                if let answer = error.unanswered { last = Unanswered(subject: subject, error: answer) }
                throw error
            }
        }
    }

    /// Whether the user did not want this token to be activated, and it has not left its reader since.
    func isRefused(_ refusal: Refusal) -> Bool { self.refusal.withLock { $0 == refusal } }

    func refuse(_ refusal: Refusal) { self.refusal.withLock { $0 = refusal } }
}
