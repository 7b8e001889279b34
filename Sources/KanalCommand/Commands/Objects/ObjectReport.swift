// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal
import Translation

/// The objects on a token.
struct ObjectReport: Report {
    struct Datum: Encodable {
        let label: String
        let application: String
        let size: Int
        let isPrivate: Bool
        let uri: String
    }

    /// A public key without its private one, or a secret key.
    struct Other: Encodable {
        let kind: String
        let id: String
        let label: String
        let isPrivate: Bool
        let text: Phrase
        let uri: String

        private enum CodingKeys: CodingKey {
            case kind, id, label, isPrivate, uri
        }
    }

    /// A key container that shows no keys.
    struct UnreadContainer: Encodable {
        let place: String
        let name: String
        let fault: String
        let reason: String
        let caption: String
        let text: Phrase

        private enum CodingKeys: CodingKey {
            case place, name, fault, reason
        }

        init?(_ condition: ContainerCondition) {
            guard let fault = condition.fault else { return nil }
            (place, name) = (condition.container.place, condition.container.name)
            caption = condition.container.caption
            (self.fault, text, reason) = (fault.word, fault.text, fault.text.description)
        }
    }

    let keys: [KeyEntry]
    let certificates: [CertificateEntry]
    let data: [Datum]
    let others: [Other]
    /// nil for none.
    let unreadContainers: [UnreadContainer]?
    /// Whether private objects are left out.
    let isPublic: Bool
    let findings: [Finding]
    /// Of each key and certificate.
    private let keyRemarks: [Phrase?]
    private let certificateRemarks: [Phrase?]
    /// Whether people are shown the URIs.
    private let uris: Bool

    private enum CodingKeys: CodingKey {
        case keys, certificates, data, others, unreadContainers, isPublic, findings
    }

    /// - Parameter findings: Of the PIN.
    init(
        _ session: borrowing Session, isLoggedIn: Bool, serial: String, _ findings: [Finding], uris: Bool
    ) throws {
        self.uris = uris
        isPublic = !isLoggedIn
        let (pairs, found, remaining) = (
            try session.keyPairs(), try session.certificates(), try session.otherObjects()
        )
        let contents = TokenContents(keys: pairs, certificates: found, others: remaining, isLoggedIn: isLoggedIn)
        self.findings = findings + contents.findings(of: serial)
        let lonely = contents.keysWithoutCertificate
        keyRemarks = pairs.map { pair in lonely.contains { $0.id == pair.id } ? Phrase("no certificate") : nil }
        certificateRemarks = contents.certificates.map { $0.remark() }
        keys = pairs.map { KeyEntry($0, serial: serial) }
        certificates = found.map { CertificateEntry($0, isLoggedIn: isLoggedIn, serial: serial) }
        let unread =
            isLoggedIn
            ? try session.containerConditions(openingKeys: false).compactMap(UnreadContainer.init) : []
        unreadContainers = unread.isEmpty ? nil : unread
        data = try session.dataObjects().map {
            Datum(
                label: $0.label, application: $0.application, size: $0.size, isPrivate: $0.isPrivate,
                uri: ObjectURI(.data, id: [], label: $0.label, serial: serial).text)
        }
        others = remaining.map { object in
            let kind: String
            let text: Phrase
            let type: ObjectURI.Kind
            switch object.kind {
            case .publicKey(let keyKind):
                kind = KeyKindName(keyKind).description
                text = Phrase("public key, \(KeyKindName(keyKind).text)")
                type = .publicKey
            case .secretKey(let algorithm):
                kind = "secret"
                type = .secretKey
                text = algorithm.map { Phrase("secret key, \($0)") } ?? Phrase("secret key, another")
            }
            return Other(
                kind: kind, id: object.id.hexadecimal, label: object.label, isPrivate: object.isPrivate, text: text,
                uri: ObjectURI(type, id: object.id, label: object.label, serial: serial).text)
        }
    }

    func text(_ style: Style) -> String {
        let parts = [keyText(style), certificateText(style), dataText(style), otherText(style)].filter { !$0.isEmpty }
        return parts.isEmpty ? translated("There is nothing on the token.") + "\n" : parts.joined(separator: "\n")
    }

    private func keyText(_ style: Style) -> String {
        let states = states(keyRemarks)
        var table = Table(["key", "id", "kind"] + states.heading + more)
        for (number, key) in keys.enumerated() {
            table.add([key.label, key.id, translated(key.kindText)] + states.of(number) + more(key.uri))
        }
        return table.text(style)
    }

    private func certificateText(_ style: Style) -> String {
        let states = states(certificateRemarks)
        var table = Table(["certificate", "id", "subject", "valid until"] + states.heading + more)
        for (number, certificate) in certificates.enumerated() {
            table.add(
                [
                    certificate.label, certificate.id, certificate.subjectText.map(translated) ?? "",
                    certificate.notAfter ?? "",
                ] + states.of(number) + more(certificate.uri))
        }
        return table.text(style)
    }

    private func dataText(_ style: Style) -> String {
        var table = Table(["data", "application", "bytes"] + more)
        for datum in data { table.add([datum.label, datum.application, String(datum.size)] + more(datum.uri)) }
        return table.text(style)
    }

    private func otherText(_ style: Style) -> String {
        var table = Table(["other", "id", "kind"] + more)
        for other in others { table.add([other.label, other.id, translated(other.text)] + more(other.uri)) }
        return table.text(style)
    }

    /// The column of remarks, which is only there if a row has one.
    private func states(_ remarks: [Phrase?]) -> (heading: [Phrase], of: (Int) -> [String]) {
        guard remarks.contains(where: { $0 != nil }) else { return ([], { _ in [] }) }
        return (["state"], { [remarks[$0].map(translated) ?? ""] })
    }

    /// The headings of further columns, and what is in them.
    private var more: [Phrase] { uris ? ["URI"] : [] }
    private func more(_ uri: String) -> [String] { uris ? [uri] : [] }
}
