// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct UnreadableFiles: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "files",
            abstract: translated("List the files of the directory that cannot be read."),
            discussion: translated(
                """
                Such files are left unchanged, and affect only their own secrets. A file that is still being \
                replicated can be read once it is complete.
                """))
    }

    @OptionGroup var place: SecretsOptions
    @OptionGroup var output: OutputOptions

    func run() async throws { try output.show(FileList(try await place.secrets().unreadableFiles())) }
}

private struct FileList: Report {
    struct Entry: Encodable {
        let name: String
        let isOfThisGroup: Bool
    }

    let unreadableFiles: [Entry]

    init(_ files: [UnreadableFile]) {
        unreadableFiles = files.map { Entry(name: $0.name, isOfThisGroup: $0.isOfThisGroup) }
    }

    func text(_ style: Style) -> String {
        guard !unreadableFiles.isEmpty else { return translated("All files can be read.") + "\n" }
        var table = Table(["file", "secret"])
        for file in unreadableFiles {
            let text: Phrase = file.isOfThisGroup ? "of this group, damaged" : "of another group, or not a secret"
            table.add([file.name.printable, translated(text)])
        }
        return table.text(style)
    }
}
