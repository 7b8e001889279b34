// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Locking

/// The questions about the token in a slot, one at a time.
///
/// A thread that wants an answer while another one's question for the same is open waits for it, and shares its end: if
/// the user said no, this is the answer to both.
final class Inquiry: Sendable {
    private let turn = Lock(Unanswered?.none)
    private let count = Lock(0)
    private let refusal = Lock(Refusal?.none)

    /// What a question is about.
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
            // Two signatures are not the same question.
            if hasWaited, let last, last.subject == subject, subject != .consent { throw last.error }
            last = nil
            defer { count.withLock { $0 &+= 1 } }
            do throws(CKError) { return try body() } catch {
                if error.isUnanswered { last = Unanswered(subject: subject, error: error) }
                throw error
            }
        }
    }

    /// Whether the user did not want this token to be activated, and it has not left its reader since.
    func isRefused(_ refusal: Refusal) -> Bool { self.refusal.withLock { $0 == refusal } }

    func refuse(_ refusal: Refusal) { self.refusal.withLock { $0 = refusal } }
}

extension CKError {
    /// How a call ends whose question ended without an answer.
    init(_ error: AskingError) {
        switch error {
        case .cancelled: self.init(CKR_FUNCTION_CANCELED, "the user said no")
        case .failed: self.init(CKR_FUNCTION_FAILED, "the user could not be asked, or did not answer in time")
        case .notInstalled: self.init(CKR_FUNCTION_FAILED, "the authenticator is not there, or cannot run")
        case .notConfigured: self.init(CKR_FUNCTION_FAILED, "nothing says how to ask the user")
        }
    }

    fileprivate var isUnanswered: Bool { self == .functionCanceled || self == .functionFailed }

    package static let functionCanceled = CKError(CKR_FUNCTION_CANCELED)
}
