// SPDX-License-Identifier: Apache-2.0
import Secrets
import Translation

/// systemd-ask-password(1), for programs with neither terminal nor display: agents of the system show the question. It
/// asks for secrets only, and only root may leave a question for its agents.
struct SystemdAskPassword {
    private static let name = "systemd-ask-password"
    private static let longestAnswer = 1024
    private static let mostErrors = 4096

    private let timeLimit: Int

    init(_ timeLimit: Int) { self.timeLimit = timeLimit }

    func secret(for question: Question) throws(AskingError) -> Secret {
        let deadline = Deadline(after: .seconds(timeLimit))
        let first = try ask(question, question.prompt, until: deadline)
        guard let repeatPrompt = question.repeatPrompt else { return first }
        let second = try ask(question, repeatPrompt, until: deadline)
        guard first.matches(second) else {
            throw .failed("\(Self.name): what was typed twice did not match")
        }
        return first
    }

    private func ask(_ question: Question, _ prompt: String, until deadline: Deadline) throws(AskingError) -> Secret {
        let path = try Authenticator.path(of: Self.name)
        let text = AssuanText.oneLine(
            [question.error, question.text, prompt].compactMap { $0 }.joined(separator: " "))
        // It ends by itself a little earlier, and so withdraws its question.
        let seconds = max((deadline.milliseconds - 1) / 1000, 1)
        let program = try Program(
            path, ["--no-tty", "--timeout=\(seconds)", "--id=kanal", "--icon=drive-removable-media", "--", text],
            more: ["SYSTEMD_LOG_TARGET=console"], hasInput: false, hasErrors: true)
        var answer = Secret(count: Self.longestAnswer + 2)
        let (count, reading) = read(program, .answer, into: &answer, until: deadline)
        guard reading == .end else {
            program.stop()
            throw .failed(reading == .timeout ? "\(path): the time ran out" : "\(path): an answer too long")
        }
        if count > 0 {
            program.finish()
            return SecretFile.withoutLineEnd(answer.extracting(0..<count))
        }
        // Its exit status, which the host may have collected, would only show that the answer is missing.
        var errors = Secret(count: Self.mostErrors)
        let (length, _) = read(program, .errors, into: &errors, until: Deadline(after: .seconds(1)))
        program.finish()
        let said = String(decoding: [UInt8](copying: errors.extracting(0..<length)), as: UTF8.self)
        if said.mentions("Operation canceled") { throw .cancelled }
        if said.mentions("Timer expired") { throw .failed("\(path): the time ran out") }
        throw .failed("\(path): no answer: \(AssuanText.oneLine(said.split(separator: "\n").joined(separator: "; ")))")
    }

    /// Reads to the end, or until memory is full.
    private func read(
        _ program: Program, _ output: Program.Output, into memory: inout Secret, until deadline: Deadline
    ) -> (count: Int, reading: Program.Reading) {
        var used = 0
        while true {
            var bytes = memory.mutableBytes
            guard used < bytes.count else { return (used, .bytes(used)) }
            let reading = unsafe bytes.withUnsafeMutableBytes { all in
                unsafe program.read(
                    output, into: UnsafeMutableRawBufferPointer(rebasing: all[used...]), until: deadline)
            }
            guard case .bytes(let count) = reading else { return (used, reading) }
            used += count
        }
    }
}
