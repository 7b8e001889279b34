// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// The next step on the way from a new token to a signed file.
enum NextStep {
    case changePIN
    case makeKey
    /// The key by its name, as a word of a command line.
    case requestCertificate(key: String)
    /// The request's file.
    case importCertificate(request: String)
    case sign

    /// The first step that a token lacks whose objects were not read.
    ///
    /// - Returns: Nil if the PIN is the owner's.
    init?(_ information: TokenInformation) {
        guard information.notices.contains(.pinFactory) else { return nil }
        self = .changePIN
    }

    /// The first step that keys and certificates lack.
    init(_ contents: TokenContents) {
        if contents.certificates.contains(where: { $0.hasKey == true }) {
            self = .sign
        } else if let key = contents.keys.first {
            self = .requestCertificate(key: key.argument)
        } else {
            self = .makeKey
        }
    }

    /// The step in one line, with its command.
    var phrase: Phrase {
        switch self {
        case .changePIN: "Next, a PIN of your own: kanal pin change"
        case .makeKey: "Next, a key: kanal key generate --label NAME"
        case .requestCertificate(let key):
            "Next, a request for a certificate: kanal cert request --key \(key) --subject CN=NAME --output request.pem"
        case .importCertificate(let request):
            "Next, send \(request) to an authority, and import the certificate: kanal cert import FILE"
        case .sign: "Next, sign a file: kanal sign --cms --detached FILE"
        }
    }
}

extension OutputOptions {
    /// Whether a person reads the result, so that a hint helps.
    var isRead: Bool { !json && ProgramContext.current.isRead }

    /// Tells a person at a terminal the next step, below the result.
    func hint(_ step: NextStep?) throws {
        if let step { try hint(step.phrase) }
    }

    /// Tells a person at a terminal more of a result, below it, on standard error.
    func hint(_ text: Phrase) throws {
        guard isRead else { return }
        try OutputStream.error.write(translated(text).printable + "\n")
    }
}
