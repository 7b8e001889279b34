// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Readers: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "readers",
            abstract: translated("List the readers and the tokens in them."),
            discussion: translated(
                """
                The columns are a short name of the reader, its full name, the usable token in it, and flags: \
                'present' for a card, 'wireless' for a reader that reaches it over the air, 'channel offered' for a \
                token that has a secure channel, 'channel active' if this user may open it, 'PIN locked' if the PIN \
                has no tries left, 'last PIN try' if one is left, 'factory PIN' if it is still the maker's.

                NO_MEDIA means that the reader has no token, or that its channel has to be activated first with "kanal \
                pair".
                """))
    }

    @OptionGroup var output: OutputOptions

    @Flag(help: .saying("Keep running, and write the list again whenever it changes."))
    var watch = false

    func run() async throws {
        let (manager, readers) = try await TokenAccess.asking { manager in (manager, try await manager.readers()) }
        var last = ReaderList(readers)
        try output.show(last, isOneOfMany: watch)
        try output.warn(last.findings)
        guard watch else { return }
        for await event in manager.events() {
            if case .stopped(let error) = event { throw error }
            let list = ReaderList(try await manager.readers())
            guard list != last else { continue }
            last = list
            if !output.json { try output.say(Phrase(verbatim: "")) }
            try output.show(list, isOneOfMany: true)
        }
        throw KanalError.cancelled
    }
}

/// The list of readers.
private struct ReaderList: Report, Equatable {
    struct Entry: Encodable, Equatable {
        let nickname: String
        let name: String
        let media: String?
        let flags: [String]
    }

    let readers: [Entry]
    let findings: [Finding]

    init(_ readers: [ReaderStatus]) {
        findings = readers.flatMap { $0.information?.findings ?? [] }
        self.readers = readers.map { reader in
            Entry(
                nickname: reader.nickname, name: reader.name, media: reader.media,
                flags: Self.names.filter { reader.flags.contains($0.flag) }.map(\.name))
        }
    }

    private static let names: [(flag: ReaderStatus.Flags, name: String)] = [
        (.present, "present"), (.wireless, "wireless"), (.channelOffered, "channelOffered"),
        (.channelActive, "channelActive"), (.pinLocked, "pinLocked"),
        (.pinLastTry, "pinLastTry"), (.pinFactory, "pinFactory"),
    ]

    private static let words: [String: Phrase] = [
        "present": "present", "wireless": "wireless",
        "channelOffered": "channel offered", "channelActive": "channel active", "pinLocked": "PIN locked",
        "pinLastTry": "last PIN try", "pinFactory": "factory PIN",
    ]

    func text(_ style: Style) -> String {
        guard !readers.isEmpty else { return translated("There is no reader.") + "\n" }
        var table = Table(["nickname", "name", "media", "flags"])
        for reader in readers {
            table.add([
                reader.nickname, reader.name, reader.media ?? "NO_MEDIA",
                reader.flags.map { Self.words[$0].map(translated) ?? $0 }.joined(separator: ", "),
            ])
        }
        return table.text(style)
    }
}
