// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
package import Translation

extension Share {
    /// The state of the token.
    public enum State: String, Sendable {
        /// The token is in its reader.
        case normal
        /// The token is not in its reader; the far reader is empty.
        case waitingForToken
        /// Another token is in its place. Nothing of it is shared.
        case wrongToken
        /// The share has served its purpose, or its time is over.
        case completed
        /// The share was ended: its task was cancelled, or the field was closed that its token was in.
        case cancelled
    }

    /// How a token is shared.
    public enum Way: String, Sendable {
        /// The token has the channel, and the share carries its messages.
        case through
        /// The token has none, and the share is its end of the channel.
        case terminate
    }

    /// An event of a share. Only ``password(_:)`` holds a secret.
    public enum Event: Sendable, Equatable {
        /// The state of the token has changed.
        case state(State)
        /// The token that is shared: its serial number in hexadecimal digits.
        case token(serial: String, reader: String, way: Way)
        /// A new activation password for hosts. It is reported once and never stored: only its verifier is.
        case password(String)
        /// The far reader has the token: its address and port, or the command of the tunnel.
        case connected(to: String)
        /// The far reader has lost it, for a reason in words.
        case disconnected(from: String, reason: Explanation)
        /// A host has paired. Hosts are called as they call themselves.
        case paired(host: String)
        /// A host has opened a session.
        case opened(host: String)
        /// The session of a host has ended.
        case closed(host: String)
        /// A PIN that a host has presented was right.
        case loggedIn(host: String)
        /// A host has tried a wrong activation password; `triesLeft` are those in a row.
        case wrongPassword(slot: Int, triesLeft: Int)
        /// A plain command was refused: its class, instruction, P1 and P2.
        case refusedPlain([UInt8])
        /// A command was refused that this share does not allow.
        case refused([UInt8], host: String)
        /// So many more refusals came within a minute than were reported one by one.
        case furtherRefusals(Int)
        /// The user of this machine did not agree to something.
        case declined(Explanation, host: String)
        /// The numbers of answered commands, and of bytes in them and their answers.
        case progress(commands: Int, bytes: Int)
    }
}

extension Share.State: CustomStringConvertible {
    /// The state in words, for people.
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .normal: "the token is there"
        case .waitingForToken: "waiting for the token"
        case .wrongToken: "another token is there"
        case .completed: "the share has ended"
        case .cancelled: "the share was ended"
        }
    }
}

extension Share.Event: CustomStringConvertible {
    /// The event in words, for people. An activation password is not in it.
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .state(let state): state.explanation
        case .token(let serial, let reader, .through):
            "token \(serial) in \(reader), which has a secure channel of its own"
        case .token(let serial, let reader, .terminate):
            "token \(serial) in \(reader), behind the share's secure channel"
        case .password: "there is a new activation password for hosts"
        case .connected(let address): "connected to the reader at \(address)"
        case .disconnected(let address, let reason): "disconnected from the reader at \(address): \(reason.phrase)"
        case .paired(let host): "\(host) has paired"
        case .opened(let host): "\(host) has opened a session"
        case .closed(let host): "the session of \(host) has ended"
        case .loggedIn(let host): "\(host) has logged in"
        case .wrongPassword(let slot, let tries):
            "a wrong activation password for slot \(slot); tries left: \(tries)"
        case .refusedPlain(let header):
            "refused: the command \(header.hexadecimal) did not come through the channel"
        case .refused(let header, let host):
            "refused: the command \(header.hexadecimal) of \(host) is not allowed here"
        case .furtherRefusals(let count): "refused: \(count) further commands"
        case .declined(let subject, let host): "declined: \(subject.phrase) by \(host)"
        case .progress(let commands, let bytes): "\(commands) commands, \(bytes) bytes"
        }
    }
}
