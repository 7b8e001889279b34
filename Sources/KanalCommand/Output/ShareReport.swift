// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// One line of what happens in a share.
struct ShareReport: Report {
    let time = Timestamp.now.text
    let event: String
    var state: String?
    var serial: String?
    var reader: String?
    var way: String?
    var password: String?
    var address: String?
    var host: String?
    var reason: String?
    var command: String?
    var slot: Int?
    var triesLeft: Int?
    var commands: Int?
    var octets: Int?
    /// The line for people.
    private let line: Phrase

    private enum CodingKeys: String, CodingKey {
        case time, event, state, serial, reader, way, password, address, host, reason, command, slot, triesLeft
        case commands, octets
    }

    init(_ report: Share.Event) {
        switch report {
        case .state(let state):
            event = "state"
            self.state = state.rawValue
            line = Self.words[state] ?? ""
        case .token(let serial, let reader, let way):
            event = "token"
            (self.serial, self.reader, self.way) = (serial, reader, way.rawValue)
            line =
                way == .through
                ? Phrase("token \(serial) in \(reader), which has a secure channel of its own")
                : Phrase("token \(serial) in \(reader), behind the share's secure channel")
        case .password(let password):
            event = "password"
            self.password = password
            line = Phrase("activation password: \(password)")
        case .connected(let address):
            event = "connected"
            self.address = address
            line = Phrase("connected to the reader at \(address)")
        case .disconnected(let address, let reason):
            event = "disconnected"
            (self.address, self.reason) = (address, reason.description)
            line = Phrase("disconnected from the reader at \(address): \(reason.phrase)")
        case .paired(let host):
            event = "paired"
            self.host = host
            line = Phrase("\(host) has paired")
        case .opened(let host):
            event = "opened"
            self.host = host
            line = Phrase("\(host) has opened a session")
        case .closed(let host):
            event = "closed"
            self.host = host
            line = Phrase("the session of \(host) has ended")
        case .loggedIn(let host):
            event = "loggedIn"
            self.host = host
            line = Phrase("\(host) has logged in")
        case .wrongPassword(let slot, let tries):
            event = "wrongPassword"
            (self.slot, triesLeft) = (slot, tries)
            line = Phrase("a wrong activation password for slot \(slot); tries left: \(tries)")
        case .refusedPlain(let header):
            event = "refusedPlain"
            command = header.hexadecimal
            line = Phrase("refused: the command \(header.hexadecimal) did not come through the channel")
        case .refused(let header, let host):
            event = "refused"
            (command, self.host) = (header.hexadecimal, host)
            line = Phrase("refused: the command \(header.hexadecimal) of \(host) is not allowed here")
        case .furtherRefusals(let count):
            event = "furtherRefusals"
            commands = count
            line = Phrase("refused: \(count) further commands")
        case .declined(let subject, let host):
            event = "declined"
            (reason, self.host) = (subject.description, host)
            line = Phrase("declined: \(subject.phrase) by \(host)")
        case .progress(let commands, let octets):
            event = "progress"
            (self.commands, self.octets) = (commands, octets)
            line = Phrase("\(commands) commands, \(octets) bytes")
        }
    }

    private static let words: [Share.State: Phrase] = [
        .normal: "the token is there", .waitingForToken: "waiting for the token", .wrongToken: "another token is there",
        .completed: "the share has ended", .cancelled: "the share was ended",
    ]

    func text(_ style: Style) -> String { "\(time) \(translated(line).printable)\n" }
}
