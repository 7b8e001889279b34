// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal
import Translation

/// A certificate, as it is listed. Of an unreadable one only the names are known.
struct CertificateEntry: Encodable, Sendable {
    let id: String
    let label: String
    let subject: String?
    let issuer: String?
    let (subjectText, issuerText): (Phrase?, Phrase?)
    let serialNumber: String?
    let notBefore: String?
    let notAfter: String?
    let kind: String?
    /// Nil if unknown because the PIN was not given.
    let hasPrivateKey: Bool?
    let isTrusted: Bool
    let uri: String

    private enum CodingKeys: CodingKey {
        case id, label, subject, issuer, serialNumber, notBefore, notAfter, kind, hasPrivateKey, isTrusted, uri
    }

    /// - Parameter serial: The token's.
    init(_ certificate: TokenCertificate, isLoggedIn: Bool, serial: String) {
        let summary = try? certificate.summary()
        id = certificate.id.hexadecimal
        label = certificate.label
        subject = summary?.subject.description
        issuer = summary?.issuer.description
        (subjectText, issuerText) = (summary?.subject.phrase, summary?.issuer.phrase)
        serialNumber = summary?.serialNumber.hexadecimal
        notBefore = summary?.notBefore.map { Timestamp($0).text }
        notAfter = summary?.notAfter.map { Timestamp($0).text }
        kind = summary.map { KeyKindName($0.key).description }
        hasPrivateKey = isLoggedIn ? certificate.hasPrivateKey : nil
        isTrusted = certificate.isTrusted
        uri = ObjectURI(.certificate, id: certificate.id, label: certificate.label, serial: serial).text
    }

    /// The lines for people.
    func facts() -> KeyValueList {
        var facts = KeyValueList()
        facts.add("id", id)
        facts.add("label", label)
        facts.add("subject", subjectText.map(translated))
        facts.add("issuer", issuerText.map(translated))
        facts.add("number", serialNumber)
        facts.add("valid from", notBefore)
        facts.add("valid until", notAfter)
        facts.add("key", kind)
        facts.add("key on the token", hasPrivateKey.map { $0 ? translated("yes") : translated("no") })
        facts.add("URI", uri)
        return facts
    }
}
