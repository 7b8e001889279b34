// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Callback: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "callback",
        abstract: translated("Give the answer of another application to the program that waits for it."),
        discussion: translated(
            """
            The desktop runs it when the other application opens an address of a scheme that belongs to the program that \
            waits. That program's desktop file says so:

            [Desktop Entry]
            Type=Application
            Name=Example
            NoDisplay=true
            Exec=kanal callback %u
            MimeType=x-scheme-handler/example;

            An answer that nobody waits for, or whose state is not that of a request, that comes a second time, too late, \
            is longer than 8192 octets or malformed is refused: the command says why, and the program waits on. Exit \
            status 0 means that the answer was taken, 1 that it was refused.
            """))

    @OptionGroup var output: OutputOptions

    @Argument(help: .saying("The address that the other application has opened.", valueName: "url"))
    var url: String

    func run() async throws {
        try await Authorization.process(url)
        try output.show(TakenAnswer())
    }
}

private struct TakenAnswer: Report {
    let answer = "taken"

    func text(_ style: Style) -> String { translated("The answer was taken.") + "\n" }
}
