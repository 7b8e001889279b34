// SPDX-License-Identifier: Apache-2.0
import APDU

/// Data objects of the card: licences, journal and drive.
extension ConnectedToken {
    /// Bytes of a licence.
    package static let licenceSize = 72

    /// The numbers of licences.
    package static let licenceNumbers = 1...4

    /// The content of a licence, which makers of applications write; zeros if unused.
    ///
    /// - Parameter number: One of ``licenceNumbers``.
    package func licence(_ number: Int) throws(TokenError) -> [UInt8] {
        let tag = try Self.licenceTag(number)
        return try transaction(first: .read) { card throws(TokenError) in
            let licence = try card.perform(.getData(tag, ne: ConnectedToken.licenceSize))
            guard licence.count == Self.licenceSize else { throw .malformedAnswer }
            return licence
        }
    }

    /// Writes a licence. Needs a login, the SO's or User's.
    ///
    /// - Parameters:
    ///   - number: One of ``licenceNumbers``.
    ///   - licence: ``licenceSize`` bytes.
    package func setLicence(_ number: Int, to licence: [UInt8]) throws(TokenError) {
        let tag = try Self.licenceTag(number)
        guard licence.count == Self.licenceSize else { throw .unsupported }
        try transaction { card throws(TokenError) in
            try card.requireAnyLogin()
            try card.perform(.putData(tag, licence))
        }
    }

    /// The record of the token's last GOST signature, BER; nil before the first one.
    package func journal() throws(TokenError) -> [UInt8]? {
        try transaction(first: .read) { card throws(TokenError) in
            try optional { () throws(TokenError) in try card.perform(.journal) }
        }
    }

    /// The size of the token's drive in megabytes; nil if it has none.
    package func driveSize() throws(TokenError) -> Int? {
        var cursor = ByteCursor(try askDrive(.driveSize) ?? [])
        return (try? cursor.uint32()).map(Int.init)
    }

    /// The volumes of the token's drive; nil if it has none.
    package func volumes() throws(TokenError) -> [TokenVolume]? {
        guard let answer = try askDrive(.driveVolumes) else { return nil }
        var cursor = ByteCursor(answer)
        var volumes: [TokenVolume] = []
        do {
            while !cursor.isAtEnd { volumes.append(try TokenVolume(parsing: cursor.object(0x80))) }
        } catch {
            throw .malformedAnswer
        }
        return volumes
    }

    private static func licenceTag(_ number: Int) throws(TokenError) -> UInt8 {
        guard licenceNumbers.contains(number) else { throw .unsupported }
        return 0x71 + UInt8(truncatingIfNeeded: number)
    }

    /// - Returns: nil from a token that does not know the command, because it has no drive.
    private func askDrive(_ question: CardCommand) throws(TokenError) -> [UInt8]? {
        do throws(TokenError) {
            return try transaction(first: .read) { card throws(TokenError) in
                try card.perform(question)
            }
        } catch {
            guard error == .refused(.instructionNotSupported) else { throw error }
            return nil
        }
    }
}
