// SPDX-License-Identifier: Apache-2.0
import Secrets
import Translation

/// A conversation with a program that speaks pinentry's protocol.
struct Pinentry: ~Copyable {
    /// The user has declined: GPG_ERR_CANCELED, GPG_ERR_NOT_CONFIRMED, GPG_ERR_FULLY_CANCELED, and pinentry's before there
    /// were these.
    private static let refusals = [99, 114, 198, 111]
    private static let timeout = 62
    /// The number of times that a new secret is asked for, if it was typed in two ways.
    private static let mostRounds = 3

    private let path: String
    private let program: Program
    private let terminal: UserTerminal?
    private let deadline: Deadline
    private let timeLimit: Int
    private let options: [(name: String, value: String?)]
    private var reader: AssuanReader
    /// Whether the last answer was typed twice.
    private var isRepeated: Bool

    /// Starts the program and passes it the place to ask at.
    ///
    /// - Parameter patience: The seconds for which its answers are waited for; nil for the time limit of the question.
    init(
        _ path: String, _ surroundings: CallerEnvironment, _ timeLimit: Int, patience: Int? = nil
    ) throws(AskingError) {
        let deadline = Deadline(after: .seconds(patience ?? timeLimit))
        let terminal = surroundings.terminal.flatMap { UserTerminal($0) }
        if terminal?.take(until: deadline) == false { throw .failed("\(path): another question holds the terminal") }
        let program = try Self.start(path, terminal)
        self.path = path
        self.program = program
        self.terminal = terminal
        self.deadline = deadline
        self.timeLimit = timeLimit
        options = surroundings.options
        reader = AssuanReader()
        isRepeated = false
    }

    private static func start(_ path: String, _ terminal: borrowing UserTerminal?) throws(AskingError) -> Program {
        do throws(AskingError) {
            return try Program(path, [], hasInput: true)
        } catch {
            terminal?.giveBack()
            throw error
        }
    }

    /// Asks for a secret.
    mutating func secret(for question: Question) throws(AskingError) -> Secret {
        try begin(question)
        try demand("SETPROMPT", question.prompt)
        if let key = question.key, question.repeatPrompt == nil {
            _ = try command("OPTION", "allow-external-password-cache")
            _ = try command("SETKEYINFO", key)
        }
        guard let repeatPrompt = question.repeatPrompt else { return try pin() }
        let canRepeat = try command("SETREPEAT", repeatPrompt) == nil
        for _ in 0..<Self.mostRounds {
            let first = try pin()
            if canRepeat, isRepeated { return first }
            // It shows one field only.
            try demand("SETPROMPT", repeatPrompt)
            let second = try pin()
            if first.matches(second) { return first }
            try demand("SETPROMPT", question.prompt)
            try demand("SETERROR", translated("The two do not match."))
        }
        throw .failed("\(path): what was typed twice did not match \(Self.mostRounds) times")
    }

    /// Asks for a yes.
    mutating func confirm(_ question: Question) throws(AskingError) {
        try begin(question)
        try check(try command("CONFIRM"))
    }

    /// Shows a text, whose end is not waited for.
    mutating func show(_ message: Question) throws(AskingError) {
        try begin(message)
        try send(AssuanText.line("MESSAGE"))
    }

    /// Ends the conversation after an answer.
    mutating func end() {
        _ = program.write(AssuanText.line("BYE"), until: Deadline(after: .milliseconds(100)))
        program.finish()
        terminal?.giveBack()
    }

    /// Ends the conversation after an error. Only after a refusal by the user may the program end by itself.
    mutating func end(after error: AskingError) {
        guard error != .cancelled else { return end() }
        program.stop()
        terminal?.restore()
        terminal?.giveBack()
    }

    private mutating func begin(_ question: Question) throws(AskingError) {
        try check(try response())
        for option in options {
            _ = try command("OPTION", option.value.map { "\(option.name)=\($0)" } ?? option.name)
        }
        // It then ends by itself, and leaves the terminal in order.
        _ = try command("SETTIMEOUT", "\(max(timeLimit - 1, 1))")
        try demand("SETTITLE", translated(question.title))
        try demand("SETDESC", question.text)
        if let error = question.error { try demand("SETERROR", error) }
        // A program without this command shows its own word. The letter behind "_" is the button's key.
        if let button = question.button { _ = try command("SETOK", "_" + translated(button)) }
    }

    /// A command that must be understood: otherwise the user would not see everything that the answer is about.
    private mutating func demand(_ name: String, _ text: String) throws(AskingError) {
        if let code = try command(name, text) { throw .failed("\(path): refused \(name) with error \(code)") }
    }

    private mutating func pin() throws(AskingError) -> Secret {
        try send(AssuanText.line("GETPIN"))
        let code = try response(takesData: true)
        try check(code)
        return reader.takeAnswer()
    }

    /// - Returns: The error's code, or nil.
    private mutating func command(_ name: String, _ text: String? = nil) throws(AskingError) -> Int? {
        try send(AssuanText.line(name, text, keepsLines: name == "SETDESC" || name == "SETERROR"))
        return try response()
    }

    private func check(_ code: Int?) throws(AskingError) {
        guard let code else { return }
        if Self.refusals.contains(code) { throw .cancelled }
        throw .failed(code == Self.timeout ? "\(path): the time ran out" : "\(path): answered with error \(code)")
    }

    private mutating func send(_ line: [UInt8]) throws(AskingError) {
        guard !program.write(line, until: deadline) else { return }
        throw .failed(deadline.isOver ? "\(path): the time ran out" : "\(path): it ended before its answer")
    }

    /// Reads up to the line that ends a response.
    ///
    /// - Returns: The error's code, or nil.
    private mutating func response(takesData: Bool = false) throws(AskingError) -> Int? {
        isRepeated = false
        while true {
            switch try line() {
            case .ok: return nil
            case .error(let code): return code
            case .data where takesData: break
            case .data: throw .failed("\(path): malformed: data that were not asked for")
            case .status(let isRepeat): isRepeated = isRepeated || isRepeat
            case .comment: break
            }
        }
    }

    private mutating func line() throws(AskingError) -> AssuanLine {
        var reading = Program.Reading.end
        do throws(MalformedAssuan) {
            while true {
                if let line = try reader.next() { return line }
                let (program, deadline) = (program, deadline)
                unsafe try reader.fill { memory in
                    reading = unsafe program.read(into: memory, until: deadline)
                    if case .bytes(let count) = reading { return count }
                    return 0
                }
                guard case .bytes = reading else { break }
            }
        } catch {
            throw .failed("\(path): malformed: \(error.reason)")
        }
        throw .failed(reading == .timeout ? "\(path): the time ran out" : "\(path): it ended before its answer")
    }
}

extension Secret {
    /// Whether both were typed alike.
    func matches(_ other: borrowing Secret) -> Bool { constantTimeEqual(bytes, other.bytes) }
}
