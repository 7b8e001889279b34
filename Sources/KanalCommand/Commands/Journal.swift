// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct Journal: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "journal",
            abstract: translated("Show a token's record of its last signature by a GOST key."),
            discussion: translated("No PIN is needed. Signatures by RSA and ECDSA are not recorded."))
    }

    @OptionGroup var token: TokenArgument
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let record = try await token.find().perform { session in try session.journal() }
        try output.show(JournalReport(record))
    }
}

private struct JournalReport: Report {
    struct Entry: Encodable {
        let digest: String
        let signature: String
        let isHashedByToken: Bool
        let keyNumber: Int
        let count: UInt32
    }

    /// The record as the token returns it; empty without one.
    let journal: String
    let entry: Entry?

    init(_ record: JournalRecord?) {
        journal = record?.bytes.hexadecimal ?? ""
        entry = record?.entry.map { entry in
            Entry(
                digest: entry.digest.hexadecimal, signature: entry.signature.hexadecimal,
                isHashedByToken: entry.isHashedByToken, keyNumber: entry.keyNumber, count: entry.count)
        }
    }

    func text(_ style: Style) -> String {
        guard !journal.isEmpty else { return translated("The token has signed nothing by a GOST key.") + "\n" }
        guard let entry else { return journal + "\n" }
        var facts = KeyValueList()
        facts.add("signatures so far", "\(entry.count)")
        facts.add("digest", entry.digest + (entry.isHashedByToken ? translated(", hashed by the token") : ""))
        facts.add("signature", entry.signature)
        facts.add("key's file", "\(entry.keyNumber)")
        return facts.text(style)
    }
}
