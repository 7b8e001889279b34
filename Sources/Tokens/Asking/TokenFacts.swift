// SPDX-License-Identifier: Apache-2.0

import Asking
import Glibc
import HostProcess
import Secrets
package import Token
import Translation

/// Facts about a token, for a question about it.
package struct TokenFacts: Sendable {
    let reader: String
    /// 8 bytes; empty if the token was not asked.
    package let serial: [UInt8]
    /// Empty if the token has none, or does not report it.
    let label: String
    /// nil if the token does not report it.
    private var userTries: Int?
    private var securityOfficerTries: Int?
    /// The digits of a new PIN that is typed at the reader; nil without a PIN pad.
    private var userDigits: Int?
    private var securityOfficerDigits: Int?

    package init(_ token: ConnectedToken) throws(TokenError) {
        let info = try token.info(evicting: false, detailed: true)
        reader = token.reader
        serial = info.serial
        label = info.label.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard info.isFormatted != nil else { return }
        userTries = info.user.triesLeft
        securityOfficerTries = info.securityOfficer.triesLeft
        userDigits = token.newDigits(for: info.user)
        securityOfficerDigits = token.newDigits(for: info.securityOfficer)
    }

    init(_ channel: ChannelInfo, reader: String) {
        self.reader = reader
        serial = channel.serial
        label = channel.label
    }

    func triesLeft(of pin: PINRequest.PIN) -> Int? {
        switch pin {
        case .user: userTries
        case .securityOfficer: securityOfficerTries
        case .local, .container: nil
        }
    }

    /// The digits of a new PIN that is typed at the reader; nil without a PIN pad, or if no number is right.
    func newDigits(of pin: PINRequest.PIN) -> Int? {
        switch pin {
        case .user: userDigits
        case .securityOfficer: securityOfficerDigits
        case .local, .container: nil
        }
    }

    /// A name by which a desktop can keep a PIN.
    func key(of pin: PINRequest.PIN) -> String? {
        switch pin {
        case .user: "kanal:\(displaySerial):user"
        case .securityOfficer: "kanal:\(displaySerial):so"
        case .local(let number): "kanal:\(displaySerial):local\(number)"
        // A token can have several containers, each with a password of its own.
        case .container: nil
        }
    }

    /// The lines that name the token and the program.
    var text: String {
        let token = label.isEmpty ? displaySerial : "\(label.onOneLine) (\(displaySerial))"
        return translated(
            """
            Token: \(token)
            Reader: \(reader.onOneLine)
            Program: \(HostNames.program().onOneLine) (process \(getpid()))
            """)
    }

    /// The same lines, and the purpose of a secret.
    func text(for purpose: Phrase) -> String { text + "\n" + translated("Purpose: \(purpose)") }

    /// The low four bytes, as `C_GetTokenInfo` returns them.
    private var displaySerial: String { serial.suffix(4).hexadecimal }
}
