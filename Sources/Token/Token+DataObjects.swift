import APDU

/// Data objects of the card: licences, journal and drive.
extension Token {
    /// Bytes of a licence.
    public static let licenceSize = 72

    /// What makers of applications keep in the token, zeros if nothing was.
    ///
    /// - Parameter number: 1 to 4.
    public func licence(_ number: Int) throws(TokenError) -> [UInt8] {
        let tag = try Self.licenceTag(number)
        return try transaction(.reading) { () throws(TokenError) in
            let licence = try perform(Command(0x00, 0xCA, 0x01, tag, ne: Self.licenceSize))
            guard licence.count == Self.licenceSize else { throw .malformedAnswer }
            return licence
        }
    }

    /// Writes a licence. Needs a login, the SO's or User's.
    ///
    /// - Parameters:
    ///   - number: 1 to 4.
    ///   - licence: ``licenceSize`` bytes.
    public func setLicence(_ number: Int, to licence: [UInt8]) throws(TokenError) {
        let tag = try Self.licenceTag(number)
        guard licence.count == Self.licenceSize else { throw .unsupported }
        try transaction { () throws(TokenError) in
            try requireAnyLogin()
            try perform(Command(0x00, 0xDA, 0x01, tag, bytes: licence))
        }
    }

    private static func licenceTag(_ number: Int) throws(TokenError) -> UInt8 {
        guard (1...4).contains(number) else { throw .unsupported }
        return 0x71 + UInt8(truncatingIfNeeded: number)
    }

    /// The record of the token's last GOST signature, BER; nil if there was none.
    public func journal() throws(TokenError) -> [UInt8]? {
        try transaction(.reading) { () throws(TokenError) in
            try optional { () throws(TokenError) in try perform(Command(0x00, 0xCA, 0x01, 0x7B, ne: 256)) }
        }
    }

    /// The size of the token's drive in megabytes; nil if it has none.
    public func driveSize() throws(TokenError) -> Int? {
        var cursor = ByteCursor(try askDrive(0x12, ne: 4) ?? [])
        return (try? cursor.uint32()).map(Int.init)
    }

    /// The volumes of the token's drive; nil if it has none.
    public func volumes() throws(TokenError) -> [TokenVolume]? {
        guard let answer = try askDrive(0x11, ne: 256) else { return nil }
        var cursor = ByteCursor(answer)
        var volumes: [TokenVolume] = []
        do {
            while !cursor.isAtEnd { volumes.append(try TokenVolume(parsing: cursor.object(0x80))) }
        } catch {
            throw .malformedAnswer
        }
        return volumes
    }

    /// - Returns: nil from a token that does not know the command, because it has no drive.
    private func askDrive(_ question: UInt8, ne: Int) throws(TokenError) -> [UInt8]? {
        do throws(TokenError) {
            return try transaction(.reading) { () throws(TokenError) in
                try perform(Command(0x80, 0x53, question, 0x00, ne: ne))
            }
        } catch {
            guard error == .refused(.instructionNotSupported) else { throw error }
            return nil
        }
    }
}
