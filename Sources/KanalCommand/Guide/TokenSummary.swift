// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal
import Translation

/// A token that works: its PIN, keys and certificates, as they are seen without the PIN.
struct TokenSummary: Report {
    struct Key: Encodable {
        let id: String
        let label: String
        let kind: String
        let uri: String
    }

    struct Certificate: Encodable {
        let id: String
        let label: String
        let subject: String?
        let notAfter: String?
        /// Whole days; nil after the end.
        let daysLeft: Int?
    }

    let serial: String
    let label: String?
    let reader: String
    let isActivated: Bool
    let uri: String
    let userPIN: PINEntry?
    let keys: [Key]?
    let certificates: [Certificate]?
    let findings: [Finding]
    private let name: String
    private let contents: TokenContents?
    private let isLocked: Bool

    private enum CodingKeys: CodingKey {
        case serial, label, reader, isActivated, uri, userPIN, keys, certificates, findings
    }

    /// - Parameters:
    ///   - contents: Nil if they cannot be read.
    ///   - name: The token's, for people.
    init(_ information: TokenInformation, _ contents: TokenContents?, _ name: String) {
        serial = information.serialText
        label = information.label
        reader = information.reader
        isActivated = information.isActivated
        uri = information.uri
        userPIN = information.userPIN.map(PINEntry.init)
        isLocked = information.userPIN?.triesLeft == 0
        findings = information.findings + (contents?.findings(of: information.serialText) ?? [])
        self.name = name
        self.contents = contents
        keys = contents?.keys.map { key in
            Key(
                id: key.id.hexadecimal, label: key.label, kind: KeyKindName(key.kind).description,
                uri: ObjectURI(.privateKey, id: key.id, label: key.label, serial: information.serialText).text)
        }
        let now = Timestamp.now.seconds
        certificates = contents?.certificates.map { certificate in
            Certificate(
                id: certificate.id.hexadecimal, label: certificate.label,
                subject: certificate.summary?.subject.description,
                notAfter: certificate.summary?.notAfter.map { Timestamp($0).text },
                daysLeft: certificate.daysLeft(at: now))
        }
    }

    func text(_ style: Style) -> String {
        let ready = style.text(translated("ready."), .good)
        let locked = style.text(translated("its PIN is locked."), .bad)
        let state: Phrase = isLocked ? "\(name): \(locked)" : "\(name) is \(ready)"
        var lines = "\(translated(state))\n".wrapped(to: style.width)
        var facts = KeyValueList()
        facts.add("PIN", userPIN?.triesText)
        for key in contents?.keys ?? [] {
            facts.add("key", "\(key.caption.printable), \(translated(KeyKindName(key.kind).text))")
        }
        for certificate in contents?.certificates ?? [] { facts.add("certificate", Self.text(of: certificate)) }
        lines += facts.text(style)
        return lines + findings.map { $0.text(style) }.joined()
    }

    private static func text(of certificate: TokenContents.Certificate) -> String {
        let day = certificate.summary?.notAfter.map { Timestamp($0).day } ?? ""
        let period: Phrase
        switch certificate.validity(at: Timestamp.now.seconds) {
        case .expired?: period = Phrase("expired on \(day)")
        case .notYetValid?: period = Phrase("not yet valid")
        case .valid?, .expiring?, nil:
            let days = certificate.daysLeft(at: Timestamp.now.seconds)
            period = days.map { Phrase("until \(day), days left: \($0)") } ?? Phrase("of an unknown period")
        }
        let subject = certificate.summary?.subject["CN"].map { "CN=\($0), " } ?? ""
        return "\(certificate.caption), \(subject)".printable + translated(period)
    }
}
