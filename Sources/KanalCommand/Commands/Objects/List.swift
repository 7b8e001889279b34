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
                Private keys and private data are seen after the PIN only. With --public no PIN is asked for, and the \
                public halves of the keys are listed.
                """))
    }

    @OptionGroup var token: TokenArgument
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @Flag(name: .customLong("public"), help: .saying("List what everybody may see."))
    var isPublic = false

    func run() async throws {
        let token = try await token.find()
        let isPublic = isPublic
        let read: @Sendable (borrowing Session) throws -> ObjectReport = { session in
            try ObjectReport(session, isLoggedIn: !isPublic)
        }
        try output.show(isPublic ? try await token.perform(read) : try await pin.perform(on: token, read))
    }
}

/// The objects on a token.
private struct ObjectReport: Report {
    struct Datum: Encodable {
        let label: String
        let application: String
        let size: Int
        let isPrivate: Bool
    }

    /// A public key without its private one, or a secret key.
    struct Other: Encodable {
        let kind: String
        let id: String
        let label: String
        let isPrivate: Bool
        let text: Phrase

        private enum CodingKeys: CodingKey {
            case kind, id, label, isPrivate
        }
    }

    let keys: [KeyEntry]
    let certificates: [CertificateEntry]
    let data: [Datum]
    let others: [Other]

    init(_ session: borrowing Session, isLoggedIn: Bool) throws {
        keys = try session.keyPairs().map(KeyEntry.init)
        certificates = try session.certificates().map { CertificateEntry($0, isLoggedIn: isLoggedIn) }
        data = try session.dataObjects().map {
            Datum(label: $0.label, application: $0.application, size: $0.size, isPrivate: $0.isPrivate)
        }
        others = try session.otherObjects().map { object in
            let kind: String
            let text: Phrase
            switch object.kind {
            case .publicKey(let type):
                kind = KeyKindName(type).description
                text = Phrase("public key, \(KeyKindName(type).text)")
            case .secretKey(let algorithm):
                kind = "secret"
                text = algorithm.map { Phrase("secret key, \($0)") } ?? Phrase("secret key, another")
            }
            return Other(
                kind: kind, id: object.id.hexadecimal, label: object.label, isPrivate: object.isPrivate, text: text)
        }
    }

    func text(_ style: Style) -> String {
        let parts = [keyText(style), certificateText(style), dataText(style), otherText(style)].filter { !$0.isEmpty }
        return parts.isEmpty ? translated("There is nothing on the token.") + "\n" : parts.joined(separator: "\n")
    }

    private func keyText(_ style: Style) -> String {
        var table = Table(["key", "id", "kind"])
        for key in keys { table.add([key.label, key.id, translated(key.kindText)]) }
        return table.text(style)
    }

    private func certificateText(_ style: Style) -> String {
        var table = Table(["certificate", "id", "subject", "valid until"])
        for certificate in certificates {
            table.add([
                certificate.label, certificate.id, certificate.subject ?? "", certificate.notAfter ?? "",
            ])
        }
        return table.text(style)
    }

    private func dataText(_ style: Style) -> String {
        var table = Table(["data", "application", "bytes"])
        for datum in data { table.add([datum.label, datum.application, String(datum.size)]) }
        return table.text(style)
    }

    private func otherText(_ style: Style) -> String {
        var table = Table(["other", "id", "kind"])
        for other in others { table.add([other.label, other.id, translated(other.text)]) }
        return table.text(style)
    }
}
