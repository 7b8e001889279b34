// SPDX-License-Identifier: Apache-2.0
package import APDU
package import Storage
package import Translation

/// The state of a shared token.
package enum ShareState: String, Sendable {
    /// The token is there.
    case normal
    /// The token is not in its reader.
    case waitingForToken
    /// Another token is in its place.
    case wrongToken
    /// The share has ended.
    case completed
}

/// The carrier of the channel's messages, and the token's end of the channel.
package enum ShareWay: String, Sendable {
    /// The token has the channel. The share reads nothing.
    case through
    /// The token has none. The share is the token's end.
    case terminate
}

/// An event in a share. It contains no secret but the activation password, which is told once.
package enum ShareEvent: Sendable, Equatable {
    case state(ShareState)
    /// The token was found: its serial number in hexadecimal digits, and how it is shared.
    case token(serial: String, reader: String, way: ShareWay)
    /// A new activation password for hosts, in its printed form.
    case password(String)
    /// The far reader has the token, or lost it for a reason.
    case connected(to: String)
    case disconnected(from: String, reason: Phrase)
    /// A host has paired, failed to, or opened a session; its session is over.
    case paired(host: String)
    case wrongPassword(slot: Int, triesLeft: Int)
    case opened(host: String)
    case closed(host: String)
    /// A PIN of a host was right.
    case loggedIn(host: String)
    /// A command was refused, by its class, instruction, P1 and P2: it was plain, or not allowed to this host.
    case refusedPlain([UInt8])
    case refused([UInt8], host: String)
    /// So many more refusals came than were told, within a minute.
    case furtherRefusals(Int)
    /// The user of this machine said no, or could not be asked.
    case declined(ShareQuestion.Subject, host: String)
    /// The numbers of answered commands, and of bytes in them and their answers.
    case progress(commands: Int, octets: Int)
}

/// Why a share cannot begin, or goes on no more.
package enum ShareError: Error, Sendable, Equatable {
    /// pcscd does not serve this process.
    case readers(LinkError)
    /// No token is present, none has that name, or several do.
    case noToken
    case several([Phrase])
    /// Another program uses the token, another share for instance.
    case inUse(reader: String)
    /// The token does not identify itself, or its answer is malformed.
    case notUsable(reader: String)
    /// The token has the channel: what hosts may do, and when a session ends, cannot be told or limited.
    case unlimited(reader: String)
    /// The far reader could not be reached within the time.
    case unreachable(Phrase)
    /// The address is not a dotted IPv4 address.
    case invalidAddress
    /// The directory of keys and pairings.
    case storage(StorageError)
    /// The records are damaged, of a different version, or of a different token. They were left unchanged.
    case damagedRecords
    case randomUnavailable
    case cryptography
}
