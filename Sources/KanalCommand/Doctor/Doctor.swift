// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CVersion
import KanalKit
import Terminal
import Translation

struct Doctor: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "doctor",
            abstract: translated("Find out why tokens do not work on this machine, and show the remedy."),
            discussion: translated(
                """
                The checks follow the order in which things go wrong: the service that reads cards, readers and \
                tokens, the library, kanal.conf, the home directory and the store of pairings, the clock, OpenSSL, the \
                PINs, keys and certificates of the tokens. Nothing is changed, and no check waits longer than six \
                seconds. Each finding names one command, or one step, that repairs it.

                With --log the log of a failing program is explained instead: run that program with KANAL_LOG=FILE in \
                its environment first.

                With --probe the tokens get reading commands only, and their answers are written for Kanal's \
                developers: without PIN, serial number, label, names and certificates.

                The exit status is 1 if there is an error, and 0 if there are warnings or information only, or \
                nothing.
                """))
    }

    @OptionGroup var output: OutputOptions

    @Option(
        help: .saying("Explain what the library has written there for KANAL_LOG.", valueName: "file"),
        completion: .file())
    var log: String?

    @Flag(help: .saying("Write the tokens' answers to reading commands: a report without personal data."))
    var probe = false

    @Option(
        help: .saying(
            """
            The source of the PIN, to check the key containers on the only token that has any: file:PATH, env:NAME, \
            fd:NUMBER, or - for standard input. (default: check what is visible without it)
            """,
            valueName: "source"),
        completion: .sources)
    var pinSource: SecretSource?

    func validate() throws {
        guard !probe || log == nil else {
            throw ValidationError(translated("--probe asks tokens, and --log reads a file: choose one"))
        }
        guard pinSource == nil || (!probe && log == nil) else {
            throw ValidationError(translated("--pin-source goes with neither --probe nor --log"))
        }
    }

    func run() async throws {
        if probe { return try await output.show(report()) }
        let findings = try await found()
        guard !Task.isCancelled else { throw KanalError.cancelled }
        try output.show(Diagnosis(findings: findings))
        let errors = findings.count { $0.severity == .error }
        guard errors == 0 else {
            throw CommandError(.failed, errors == 1 ? "one error was found" : "\(errors) errors were found")
        }
    }

    private func report() async throws -> ProbeReport {
        let tokens = try await TokenAccess.current.begin().allTokens()
        guard !tokens.isEmpty else {
            throw CommandError(.noToken, "there is no token in any reader: \"kanal\" shows the next step")
        }
        var probes: [Probe] = []
        for token in tokens { probes.append(try await token.probe()) }
        return ProbeReport(probes, program: Kanal.configuration.version)
    }

    private func found() async throws -> [Finding] {
        guard let log else {
            let pin = try pinSource.map { HeldPIN(try $0.read()) }
            return await DoctorRun(version: Kanal.configuration.version, pin: pin).findings()
        }
        let reader = LogReader(path: log, person: CurrentUser())
        let read = await Deadline.run { reader.findings() }
        guard !Task.isCancelled else { throw KanalError.cancelled }
        guard let read else {
            throw CommandError(.failed, "the log \(log) takes too long to read")
        }
        guard let findings = read else { throw CommandError(.failed, "the log \(log) cannot be read") }
        return findings
    }
}

/// The findings.
private struct Diagnosis: Report {
    let findings: [Finding]

    func text(_ style: Style) -> String {
        let isFine = findings.allSatisfy { $0.severity == .information }
        let praise = isFine ? [style.text(translated("Nothing is wrong."), .good) + "\n"] : []
        return (praise + findings.map { $0.text(style) }).joined(separator: "\n")
    }
}
