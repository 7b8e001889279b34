// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostProcess
import Token
import Translation

extension Session {
    /// The facts about the session's token for a question.
    func facts() throws(CKError) -> TokenFacts {
        try slot.withToken { token throws(TokenError) in try TokenFacts(token) }
    }
}

/// Facts about a token, for a question about it.
struct TokenFacts: Sendable {
    let reader: String
    /// 8 bytes; empty if the token was not asked.
    let serial: [UInt8]
    /// Empty if the token has none, or does not tell it.
    let label: String
    /// nil if the token does not tell.
    private var userTries: Int?
    private var securityOfficerTries: Int?

    init(_ token: Token) throws(TokenError) {
        let info = try token.info(evicting: false, detailed: true)
        reader = token.reader
        serial = info.serial
        label = info.label.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard info.isFormatted != nil else { return }
        userTries = info.user.triesLeft
        securityOfficerTries = info.securityOfficer.triesLeft
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
        case .local: nil
        }
    }

    /// A name by which a desktop can keep a PIN.
    func key(of pin: PINRequest.PIN) -> String {
        switch pin {
        case .user: "kanal:\(displaySerial):user"
        case .securityOfficer: "kanal:\(displaySerial):so"
        case .local(let number): "kanal:\(displaySerial):local\(number)"
        }
    }

    /// The lines that name the program, its purpose and the token.
    func text(for purpose: Phrase) -> String {
        let token = label.isEmpty ? displaySerial : "\(label) (\(displaySerial))"
        return translated(
            """
            Token: \(token)
            Reader: \(reader)
            Program: \(HostNames.program()) (process \(getpid()))
            What for: \(purpose)
            """)
    }

    /// The low four bytes, as `C_GetTokenInfo` tells them.
    private var displaySerial: String {
        serial.suffix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
