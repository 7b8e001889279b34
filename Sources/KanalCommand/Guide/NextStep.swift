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

    /// The step, which its command follows.
    fileprivate var phrase: Phrase {
        switch self {
        case .changePIN: "Next, a PIN of your own:"
        case .makeKey: "Next, a key:"
        case .requestCertificate: "Next, a request for a certificate:"
        case .importCertificate(let request): "Next, send \(request) to an authority, and import the certificate:"
        case .sign: "Next, sign a file:"
        }
    }

    fileprivate var command: Phrase {
        switch self {
        case .changePIN: .command("kanal pin change")
        case .makeKey: .command("kanal key generate --label NAME")
        case .requestCertificate(let key):
            .command("kanal cert request --key \(key) --output request.pem")
        case .importCertificate: .command("kanal cert import FILE")
        case .sign: .command("kanal sign --cms --detached FILE")
        }
    }
}

extension OutputOptions {
    /// Whether a person reads the result, so that a hint helps.
    var isRead: Bool { !json && ProgramContext.current.isRead }

    /// Prints the next step for a person at a terminal, below the result.
    func hint(_ step: NextStep?) throws {
        if let step { try hint(step.phrase, step.command) }
    }

    /// Prints more about a result for a person at a terminal, below it, on standard error. The command stays in one
    /// piece, so that it can be copied.
    func hint(_ text: Phrase, _ command: Phrase) throws {
        guard isRead else { return }
        let lines = (translated(text).printable + "\n").wrapped(to: OutputStream.error.style.width)
        try OutputStream.error.write("\(lines)  \(translated(command).printable)\n")
    }
}
