// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Secrets
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
        var line = report.explanation
        switch report {
        case .state(let state):
            event = "state"
            self.state = state.rawValue
        case .token(let serial, let reader, let way):
            event = "token"
            (self.serial, self.reader, self.way) = (serial, reader, way.rawValue)
        case .password(let password):
            event = "password"
            self.password = password
            line = Phrase("activation password: \(password)")
        case .connected(let address):
            event = "connected"
            self.address = address
        case .disconnected(let address, let reason):
            event = "disconnected"
            (self.address, self.reason) = (address, reason.description)
        case .paired(let host):
            event = "paired"
            self.host = host
        case .opened(let host):
            event = "opened"
            self.host = host
        case .closed(let host):
            event = "closed"
            self.host = host
        case .loggedIn(let host):
            event = "loggedIn"
            self.host = host
        case .wrongPassword(let slot, let tries):
            event = "wrongPassword"
            (self.slot, triesLeft) = (slot, tries)
        case .refusedPlain(let header):
            event = "refusedPlain"
            command = header.hexadecimal
        case .refused(let header, let host):
            event = "refused"
            (command, self.host) = (header.hexadecimal, host)
        case .furtherRefusals(let count):
            event = "furtherRefusals"
            commands = count
        case .declined(let subject, let host):
            event = "declined"
            (reason, self.host) = (subject.description, host)
        case .progress(let commands, let octets):
            event = "progress"
            (self.commands, self.octets) = (commands, octets)
        }
        self.line = line
    }

    func text(_ style: Style) -> String { "\(time) \(translated(line).printable)\n" }
}
