// SPDX-License-Identifier: Apache-2.0

/// A message that a program shows until this is let go.
final class ShownMessage {
    /// The seconds for which a program that does not answer holds up the caller.
    private static let patience = 5

    private var conversation: Pinentry

    init(
        _ message: Question, by path: String, _ surroundings: CallerEnvironment, _ timeLimit: Int
    ) throws(AskingError) {
        var conversation = try Pinentry(path, surroundings, timeLimit, patience: Self.patience)
        do throws(AskingError) { try conversation.show(message) } catch {
            conversation.end(after: error)
            throw error
        }
        self.conversation = conversation
    }

    deinit { conversation.end(after: .notConfigured) }
}
