// SPDX-License-Identifier: Apache-2.0
import Logging
import Translation

/// The limits of one search: far more than any token holds, and so little that no card can make a search endless or
/// fill the memory. OpenSC's files are followed from the list to the directories to the objects, and no deeper.
struct SearchBudget {
    /// Files, and objects that they describe. The indices of a token have 375 places.
    static let files = 1024
    /// Bytes of answers. The largest token has 128 KiB of memory.
    static let bytes = 1 << 20
    /// Commands: with the shortest answers of real cards, all bytes.
    static let commands = 8192

    private var files = Self.files
    private var bytes = Self.bytes
    private var commands = Self.commands

    /// - Returns: The limit that is exceeded, in words; nil if the budget lasts.
    mutating func spend(files: Int, bytes: Int, commands: Int) -> String? {
        self.files -= min(files, self.files + 1)
        self.bytes -= min(bytes, self.bytes + 1)
        self.commands -= min(commands, self.commands + 1)
        if self.files < 0 { return "\(Self.files) files and objects" }
        if self.bytes < 0 { return "\(Self.bytes) bytes" }
        return self.commands < 0 ? "\(Self.commands) commands read" : nil
    }
}

extension Transaction {
    /// Runs a search within a budget of its own.
    func searching<Result>(_ body: () throws(TokenError) -> Result) throws(TokenError) -> Result {
        state.budget = SearchBudget()
        defer { state.budget = nil }
        return try body()
    }

    /// Charges the budget of the search under way, if there is one.
    func spend(files: Int = 0, bytes: Int = 0, commands: Int = 0) throws(TokenError) {
        guard let excess = state.budget?.spend(files: files, bytes: bytes, commands: commands) else { return }
        settings.log.identified(
            .error, .tokenTooMuch, "the token has more than \(excess): nothing of it is shown",
            reader: session.identity.reader)
        throw .malformedAnswer
    }
}
