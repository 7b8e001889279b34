// SPDX-License-Identifier: Apache-2.0

package import APDU
import GOST
import Secrets
package import Storage
package import TokenEnd
package import Translation

/// The store of a share's key pairs, the verifiers of its activation passwords and its pairings: a file of a private
/// directory for each token, replaced as a whole.
package struct ShareRecords {
    private static let magic = [UInt8]("KNLS".utf8)
    private static let version: UInt8 = 1
    private static let name = "end"
    /// More than any state takes.
    private static let limit = 1 << 16

    package let directory: Directory
    private let serial: [UInt8]

    /// - Parameter path: The directory of all shares of this user; made if it is missing.
    package init(path: String, serial: [UInt8]) throws(ShareError) {
        do throws(StorageError) {
            let shares = try Directory(path: path, create: true)
            directory = try shares.subdirectory(serial.hexadecimal)
        } catch {
            throw .storage(error)
        }
        self.serial = serial
    }

    /// The stored state; nil for a token that was never shared.
    package func load() throws(ShareError) -> ChannelState? {
        let stored: Secret?
        do throws(StorageError) {
            stored = try directory.readSecret(Self.name, limit: Self.limit)
        } catch .tooLarge {
            throw .damagedRecords
        } catch {
            throw .storage(error)
        }
        guard let stored else { return nil }
        var bytes = [UInt8](copying: stored)
        defer { bytes.wipe() }
        let head = Self.magic + [Self.version] + serial
        guard bytes.count > head.count + Streebog256.digestSize, bytes.starts(with: head),
            Streebog256.hash(Array(bytes.dropLast(Streebog256.digestSize)))
                == Array(bytes.suffix(Streebog256.digestSize))
        else { throw .damagedRecords }
        var cursor = ByteCursor(bytes.dropFirst(head.count).dropLast(Streebog256.digestSize))
        do {
            let state = try ChannelState(from: &cursor, 3)
            try cursor.finish()
            return state
        } catch {
            throw .damagedRecords
        }
    }

    package func save(_ state: ChannelState) throws(StorageError) {
        var bytes = Self.magic + [Self.version] + serial
        bytes.reserveCapacity(4096)
        state.append(to: &bytes)
        bytes += Streebog256.hash(bytes)
        defer { bytes.wipe() }
        try directory.write(Self.name, bytes.span)
    }
}

extension [UInt8] {
    /// The last four bytes: a serial number as it is printed on the token.
    var shownSerial: String { suffix(4).hexadecimal }
}

/// The state of a shared token.
package enum ShareState: String, Sendable {
    /// The token is there.
    case normal
    /// The token is not in its reader.
    case waitingForToken
    /// Another token is in its place.
    case wrongToken
    /// The share has served its purpose, or its time is over.
    case completed
    /// The share was ended by its owner.
    case cancelled
}

/// The carrier of the channel's messages, and the token's end of the channel.
package enum ShareMode: String, Sendable {
    /// The token has the channel. The share reads nothing.
    case passthrough
    /// The token has none. The share is the token's end.
    case terminating
}

/// An event in a share. It contains no secret but the activation password, which is told once.
package enum ShareEvent: Sendable, Equatable {
    case state(ShareState)
    /// The token was found: its serial number in hexadecimal digits, and how it is shared.
    case token(serial: String, reader: String, way: ShareMode)
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
    case progress(commands: Int, bytes: Int)
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
    /// The token has the channel: what hosts may do cannot be limited.
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
