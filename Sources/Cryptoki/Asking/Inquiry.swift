// SPDX-License-Identifier: Apache-2.0
import Locking

/// The questions about the token in a slot, one at a time.
///
/// A thread that wants an answer while another thread's question for the same is open waits for it, and shares its end:
/// if the user said no, this is the answer to both.
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
        let error: CKError
    }

    /// An activation that the user did not want, of this token, since this insertion of it.
    struct Refusal: Equatable {
        let serial: [UInt8]
        /// The reader's count of insertions and removals.
        let events: Int?
    }

    /// Runs `body`, which asks, when no other question is open.
    func take<Result>(_ subject: Subject, _ body: () throws(CKError) -> Result) throws(CKError) -> Result {
        let seen = count.withLock { $0 }
        return try turn.withLock { last throws(CKError) in
            let hasWaited = count.withLock { $0 } != seen
            // Two uses of a key are not the same question.
            if hasWaited, let last, last.subject == subject, subject != .consent { throw last.error }
            last = nil
            defer { count.withLock { $0 &+= 1 } }
            do throws(CKError) { return try body() } catch {
                if error.unanswered != nil { last = Unanswered(subject: subject, error: error) }
                throw error
            }
        }
    }

    /// Whether the user did not want this token to be activated, and it has not left its reader since.
    func isRefused(_ refusal: Refusal) -> Bool { self.refusal.withLock { $0 == refusal } }

    func refuse(_ refusal: Refusal) { self.refusal.withLock { $0 = refusal } }
}
