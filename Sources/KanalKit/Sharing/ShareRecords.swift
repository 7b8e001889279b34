// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
package import Storage
package import TokenEnd
import Translation

/// The store of a share's key pairs, the verifiers of its activation passwords and its pairings: a file of a private
/// directory for each token, replaced as a whole.
package struct ShareRecords {
    private static let magic = [UInt8]("KNLS".utf8)
    private static let version: UInt8 = 1
    private static let name = "end"
    /// More than any state needs.
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
