// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
import Terminal
import Translation

extension Finding {
    /// A state of a token, with its remedy.
    ///
    /// - Parameter serial: The token's serial number, as it is printed.
    init(_ notice: TokenNotice, of serial: String) {
        let token = "--token \(serial)"
        switch notice {
        case .pinLocked(let officerTriesLeft):
            self = .error(
                notice.id, "the PIN of the token \(serial) has no tries left",
                remedy: officerTriesLeft > 0
                    ? "Have the security officer unblock it: kanal pin unblock \(token)"
                    : """
                    The security officer's PIN is locked, too. Format the token, which erases its keys and certificates: \
                    kanal format --officer-locked \(token)
                    """)
        case .pinLastTry:
            self = .warning(
                notice.id, "the PIN of the token \(serial) has one try left",
                remedy:
                    "Make sure of the PIN before you type it: the right one restores all tries, a wrong one locks it")
        case .pinFactory:
            self = .warning(
                notice.id, "the PIN of the token \(serial) is still the maker's, which is public",
                remedy: .command("kanal pin change \(token)"))
        case .certificateExpired(let certificate):
            self = .warning(
                notice.id,
                "the certificate \(certificate.caption) of the token \(serial) expired on \(certificate.lastDay)",
                remedy: Self.renewal(certificate, token))
        case .certificateExpiring(let certificate, let days):
            self = .warning(
                notice.id,
                """
                the certificate \(certificate.caption) of the token \(serial) expires on \(certificate.lastDay); days left: \
                \(days)
                """,
                remedy: Self.renewal(certificate, token))
        case .certificateNotYetValid(let certificate):
            self = .warning(
                notice.id,
                "the certificate \(certificate.caption) of the token \(serial) is not valid before \(certificate.firstDay)",
                remedy: "Wait until then; if that day is past, set the clock of this machine")
        case .keyWithoutCertificate(let key):
            self = .warning(
                notice.id, "the key \(key.caption) of the token \(serial) has no certificate there",
                remedy: """
                    Ask an authority for one: \(Self.request(key, token)). Then import it: kanal cert import FILE \(token)
                    """)
        case .certificateWithoutKey(let certificate):
            self = .warning(
                notice.id, "the key of the certificate \(certificate.caption) is not on the token \(serial)",
                remedy: "Import the key, if there is a file with it: kanal key import FILE \(token)")
        case .keysOfOneLabel(let label, let count):
            self = .warning(
                notice.id, "\(count) keys of the token \(serial) are called \(label)",
                remedy: "Name them by their ids, which \"kanal list\" shows")
        }
    }

    private static func renewal(_ certificate: TokenContents.Certificate, _ token: String) -> Phrase {
        "Ask an authority for a new one: \(request(certificate, token))"
    }

    /// The command that asks for a certificate of a key, or of a certificate's key. The id is the key's alone.
    private static func request(_ object: some NamedObject, _ token: String) -> Phrase {
        let name = object.id.isEmpty ? object.argument : object.id.hexadecimal
        return .command("kanal cert request \(token) --key \(name) --output request.pem")
    }

    /// The finding in lines. A command is not broken into lines, so that it can be copied.
    func text(_ style: Style) -> String {
        let emphasis: Style.Emphasis =
            switch severity {
            case .error: .bad
            case .warning: .caution
            case .information: .bold
            }
        let severity = style.text(translated(severity.phrase), emphasis)
        let problem = "\(severity) \(check): \(translated(problem).printable)".wrapped(to: style.width, indent: "  ")
        return "\(problem)\n  \(style.text(translated("remedy:"), .bold)) \(translated(remedy).printable)\n"
    }
}

extension TokenContents.Key: NamedObject {}
extension TokenContents.Certificate: NamedObject {}

extension NamedObject {
    /// The name as one word of a command line.
    var argument: String { (label.isEmpty ? id.hexadecimal : label).quoted }
}

extension TokenContents.Certificate {
    /// The days on which its period ends and begins; empty if unknown.
    var lastDay: String { summary?.notAfter.map { Timestamp($0).day } ?? "" }
    fileprivate var firstDay: String { summary?.notBefore.map { Timestamp($0).day } ?? "" }

    /// The state that is worth a word in a table; nil for a certificate that is valid for long and has its key.
    func remark(at time: Timestamp = .now) -> Phrase? {
        switch validity(at: time.seconds) {
        case .expired?: "expired"
        case .notYetValid?: "not yet valid"
        case .expiring(let days)?: "days left: \(days)"
        case .valid?, nil: hasKey == false && summary?.isAuthority == false ? "its key is not here" : nil
        }
    }
}

extension OutputOptions {
    /// Prints the states of a token on standard error. JSON has them in its result.
    func warn(_ findings: [Finding]) throws {
        guard !json else { return }
        for finding in findings { try OutputStream.error.write(finding.text(OutputStream.error.style)) }
    }
}

extension Token {
    /// The states of the PIN, as of the last look.
    var findings: [Finding] { information.findings }
}

extension TokenInformation {
    /// The states of the PIN.
    var findings: [Finding] { notices.map { Finding($0, of: serialText) } }
}

extension TokenContents {
    /// The states of keys and certificates.
    func findings(of serial: String) -> [Finding] {
        notices(at: Timestamp.now.seconds).map { Finding($0, of: serial) }
    }
}
