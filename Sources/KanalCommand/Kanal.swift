// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CVersion
package import Terminal
import Translation

/// The command. Without a subcommand it guides a person from a new token to a working one.
///
/// Each command names itself, as this one does: a name that ArgumentParser derives from a type costs the start of every
/// command 0.1 ms.
struct Kanal: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "kanal",
            abstract: translated("Work with GOST tokens of the Rutoken family."),
            discussion: translated(
                """
                Without a subcommand, kanal finds a token, shows its state, and leads through the steps until every \
                program of this user can work with it. Run it whenever something does not work: it shows the cause and \
                the remedy.

                A token is named by its serial number, in hexadecimal or decimal digits, its label, the name of its \
                reader, or a pkcs11: URI (RFC 7512). With one token in the readers no name is needed.

                EXIT STATUS
                  0  Success.
                  1  The token, the library or the system refused.
                  2  The command line is invalid.
                  3  No token, no matching token, or several matching tokens.
                  4  The PIN or the password is wrong.
                  5  The PIN or the password has no tries left.
                  6  Cancelled.
                  7  The token's channel has to be activated first.
                  8  The program that asks or authorises is not installed.
                  9  No way to ask is configured.
                 10  The token has no secure channel, or no password can open its channel.
                """),
            version: "\(KANAL_VERSION_MAJOR).\(KANAL_VERSION_MINOR).\(KANAL_VERSION_PATCH)",
            subcommands: [
                Readers.self, Pair.self, Pairings.self, List.self, Info.self, KeyCommand.self, CertificateCommand.self,
                Sign.self, Verify.self, Encrypt.self, Decrypt.self, TimestampCommand.self, Extend.self,
                ESIACommand.self, PINs.self,
                Format.self, Label.self, LicenceCommand.self, Journal.self, Random.self, SecretsCommand.self,
                ShareCommand.self, Authorize.self, Callback.self,
                Doctor.self,
                Completion.self,
            ])
    }

    @OptionGroup var output: OutputOptions

    func run() async throws { try await Guide(output: output).run() }
}

/// A command line.
package struct Invocation: Sendable {
    private let arguments: [String]

    /// - Parameter arguments: The words behind the program's name.
    package init(_ arguments: some Sequence<String>) { self.arguments = Array(arguments) }

    /// Does what it says, with other things around it than this process has.
    package func run(in context: ProgramContext, tokens: TokenAccess) async -> ExitStatus {
        await ProgramContext.$current.withValue(context) {
            await TokenAccess.$current.withValue(tokens) { await run() }
        }
    }

    /// Does what it says, and reports on standard error why it failed.
    package func run() async -> ExitStatus { await JSONOutput.$current.withValue(JSONOutput()) { await perform() } }

    private func perform() async -> ExitStatus {
        do {
            var command = try await Kanal.asyncParseAsRoot(arguments)
            if let argument = FileName.intruder(in: arguments) {
                throw CommandError(.usage, "\(argument.printable) is not UTF-8, which only names of files need not be")
            }
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return .done
        } catch {
            return report(await LocalCauses.explained(error))
        }
    }

    /// Whether programs read the result, also if the rest of the line is wrong.
    private var wantsJSON: Bool { arguments.prefix { $0 != "--" }.contains("--json") }

    /// The width of help: by the variable `COLUMNS`, or the terminal's.
    private var helpWidth: Int {
        let context = ProgramContext.current
        let columns = context.variable("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        return context.helpWidth ?? columns ?? OutputStream.output.style.width ?? 80
    }

    private func report(_ error: any Error) -> ExitStatus {
        if let status = ExitStatus(of: error) {
            if let text = ExitStatus.message(of: error) {
                let style = OutputStream.error.style
                let line = "kanal: \(translated(text).printable)\n"
                try? OutputStream.error.write(line.wrapped(to: style.width, indent: "  "))
            }
            if wantsJSON, let report = ErrorReport(error) { try? JSONOutput.current.write(report) }
            return status
        }
        // Help and usage, as the parser sets them.
        let width = helpWidth
        let message = Kanal.fullMessage(for: error, columns: width)
        let mistake = TypingMistake.found(in: arguments, message: Kanal.message(for: error))
        let text = ParserWords.translated(message, width: width, error: mistake?.explanation)
        guard Kanal.exitCode(for: error) == .success else {
            try? OutputStream.error.write(text + "\n")
            if wantsJSON {
                let words = mistake.map { translated($0.explanation) } ?? Kanal.message(for: error)
                try? JSONOutput.current.write(ErrorReport(commandLine: words, remedy: mistake?.remedy))
            }
            return .usage
        }
        do throws(SystemError) {
            if !text.isEmpty { try OutputStream.output.write(text + "\n") }
            return .done
        } catch {
            return report(error)
        }
    }
}
