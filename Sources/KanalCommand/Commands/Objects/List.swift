// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct List: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "list",
            abstract: translated("List the keys, certificates and data on a token."),
            discussion: translated(
                """
                Private keys and private data are listed only with the PIN. With --public no PIN is asked for, and the \
                public halves of the keys are listed. Without a terminal and without --pin-source the same objects are \
                listed, with a note on standard error.

                A key container of CryptoPro CSP that cannot be read shows no keys: it is named on standard error, and \
                in JSON, with the reason.
                """))
    }

    @OptionGroup var token: TokenArgument
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @Flag(name: .customLong("public"), help: .saying("List public objects only, without asking for the PIN."))
    var isPublic = false

    @Flag(help: .saying("List the pkcs11: URI of each object, by which other programs find it. JSON always has it."))
    var uris = false

    func run() async throws {
        let (token, uris) = (try await token.find(), uris)
        let cannotAsk = !isPublic && pin.cannotAsk(for: token)
        let isPublic = isPublic || cannotAsk
        let serial = token.information.serialText
        let findings = token.findings
        let read: @Sendable (borrowing Session) throws -> ObjectReport = { session in
            try ObjectReport(session, isLoggedIn: !isPublic, serial: serial, findings, uris: uris)
        }
        let containers = isPublic ? (try? await token.keyContainers()) ?? [] : []
        let report = isPublic ? try await token.perform(read) : try await pin.perform(on: token, read)
        try output.show(report)
        for container in report.unreadContainers ?? [] {
            let note: Phrase = "The key container \(container.caption) cannot be read: \(container.text)"
            try tell(note)
        }
        try output.warn(report.findings)
        if !containers.isEmpty {
            let note: Phrase = """
                The keys of these containers of CryptoPro CSP are seen after the PIN only: \(containers.captions)
                """
            try tell(note)
        }
        guard cannotAsk else { return }
        let note: Phrase = """
            Private keys and private data are left out: there is no terminal to ask for the PIN on. Use --pin-source, or \
            --public.
            """
        try tell(note)
    }

    private func tell(_ note: Phrase) throws {
        try OutputStream.error.write(("kanal: " + translated(note) + "\n").wrapped(to: OutputStream.error.style.width))
    }
}
