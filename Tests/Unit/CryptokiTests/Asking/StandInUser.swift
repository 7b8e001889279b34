// SPDX-License-Identifier: Apache-2.0
import Asking
import Cryptoki
import Locking
import Secrets
import Tokens
import Translation

/// A user who gives a test's answers, one after the other.
final class StandInUser: Sendable {
    enum Answer: Sendable {
        case text(String)
        case no(AskingError)
    }

    private let state = Lock(State())

    private struct State {
        var answers: [Answer] = []
        var questions: [Question] = []
        var whileAsked: @Sendable () -> Void = {}
        var messages: [Question] = []
    }

    init(_ answers: Answer...) { state.withLock { $0.answers = answers } }

    /// The questions so far.
    var questions: [Question] { state.withLock { $0.questions } }

    /// The messages that were shown without a question.
    var messages: [Question] { state.withLock { $0.messages } }

    /// Has further questions answered so.
    func answer(_ answers: Answer...) { state.withLock { $0.answers += answers } }

    /// Runs something in the thread that asks, while a question is open.
    func whileAsked(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whileAsked = body } }

    /// - Parameter asksUser: False for one who has one answer for all questions, such as a file.
    func interaction(
        asksUser: Bool = true, consent: Consent = .never, asksForActivation: Bool = false
    ) -> UserInteraction {
        var interaction = UserInteraction()
        interaction.prompt = UserPrompt(asksUser: asksUser) { question throws(AskingError) in
            Secret(copying: Array(try self.take(question).utf8))
        } confirm: { question throws(AskingError) in
            _ = try self.take(question)
        } show: { message in
            self.state.withLock { $0.messages.append(message) }
            return nil
        }
        interaction.consent = consent
        interaction.asksForActivation = asksForActivation
        return interaction
    }

    private func take(_ question: Question) throws(AskingError) -> String {
        let (answer, whileAsked) = state.withLock { state in
            state.questions.append(question)
            return (state.answers.isEmpty ? nil : state.answers.removeFirst(), state.whileAsked)
        }
        whileAsked()
        switch answer {
        case .text(let text)?: return text
        case .no(let error)?: throw error
        case nil: throw .failed("the test has no more answers")
        }
    }
}
