import APDU
public import Secrets

/// Formatting, as the vendor's library does it. Pairings with hosts, licences and the journal survive it.
extension Token {
    /// Erases the token and makes it new. One transaction from the erase to the end of the phase in which nothing is
    /// protected (gsc1, 6).
    ///
    /// - Parameter pin: The SO's present PIN.
    /// - Throws: ``TokenError/pinLength`` if it is to be repaired but the SO's PIN is not blocked.
    public func format(_ format: TokenFormat, pin: borrowing Secret) throws(TokenError) {
        let pin = pin.copy()
        try transaction { () throws(TokenError) in
            // Which number a key of Magma has nobody published.
            if format.emitentKey?.algorithm == .magma { try requireOwnCommands() }
            if !format.isRepair {
                // A token whose formatting was cut short has no PIN, and asks for none.
                _ = try optional { () throws(TokenError) in try verify(.securityOfficer, pin) }
            }
            forgetLogin()
            infoCache = nil
            try erase(format)
            heldRights = []
            for directory in Directories.all { try make(directory) }
            try make(.securityOfficer, format.securityOfficer, access: [0x43, 0xFF, 0x01, 0, 0, 0, 0, 0xFF])
            try make(.user, format.user, access: [0x43, 0x01, format.changePolicy, 0, 0, 0, 0, 0xFF])
            if let key = format.emitentKey { try make(key) }
            try resetRights()
            try perform(Command(0x80, 0x84, 0x4E, 0x19))
            try verify(.securityOfficer, format.securityOfficer.value)
            try makeMinidriverFiles()
            try verify(.user, format.user.value)
            try makeLabel(format.label)
            try resetRights()
        }
    }

    /// ERASE, by the SO, or by anybody if the SO's PIN is blocked.
    private func erase(_ format: TokenFormat) throws(TokenError) {
        do throws(TokenError) {
            try perform(Command(0x80, 0x7A, format.restoresFactoryState ? 0x02 : 0x00, 0x00))
        } catch {
            throw format.isRepair && error == .notLoggedIn ? .pinLength : error
        }
    }

    private func make(_ directory: FilePath) throws(TokenError) {
        guard let identifier = directory.identifiers.last else {
            return try create(
                0x3F00, .directory, size: 0, access: [0x47, 0x02, 0x02, 0x01, 0, 0, 0, 0xFF])
        }
        let condition: UInt8 = directory.identifiers.contains(0xFFF0) ? 0x03 : 0x02
        try select(FilePath(Array(directory.identifiers.dropLast())))
        try create(
            identifier, .directory, size: 0, access: [0x43, condition, condition, 0, 0, 0, 0, 0xFF])
    }

    private func make(_ role: Role, _ pin: borrowing TokenFormat.PIN, access: [UInt8]) throws(TokenError) {
        let minimum = UInt8(clamping: pin.minimumLength)
        let tries = UInt8(truncatingIfNeeded: pin.tries & 0xF)
        try select([])
        try create(
            UInt16(role.rawValue), .pin, size: pin.value.count,
            properties: [0x01, minimum, 0x00, tries << 4 | tries, 0x00, 0x00], access: access)
        try changePIN(of: role, to: pin.value)
    }

    private func make(_ key: TokenFormat.EmitentKey) throws(TokenError) {
        let tries = UInt8(truncatingIfNeeded: key.tries & 0xF)
        try select(.system)
        try create(
            0x00F0, .pin, size: key.value.count,
            properties: [0x82, key.algorithm.rawValue, 0x00, tries << 4 | tries, 0x41, 0x00],
            access: [0x47, 0xFF, 0x00, 0x00, 0, 0, 0, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0x00, 0xFF])
        try select(FilePath.secretKeys.file(0x00F0))
        try importSelected(key.value)
    }

    /// The files by which Windows' smart card framework knows the card: an identifier of its own, a cache counter and
    /// the name of its one application.
    private func makeMinidriverFiles() throws(TokenError) {
        let identifier = try perform(Command(0x00, 0x84, 0x00, 0x00, ne: 16))
        guard identifier.count == 16 else { throw .malformedAnswer }
        let files: [(identifier: UInt16, access: [UInt8], content: [UInt8])] = [
            (0x0010, [0x43, 0x00, 0x01, 0, 0, 0, 0, 0x01], identifier),
            (0x0011, [0x43, 0x00, 0x03, 0, 0, 0, 0, 0x03], [UInt8](repeating: 0, count: 6)),
            (0x0012, [0x43, 0x00, 0x03, 0, 0, 0, 0, 0x03], Array("mscp\0\0\0\0".utf8)),
        ]
        for file in files {
            try select(Directories.minidriver)
            try create(file.identifier, .elementary, size: file.content.count, access: file.access)
            try updateSelected(file.content)
        }
    }

    private func makeLabel(_ label: [UInt8]) throws(TokenError) {
        try createLabelFile(for: label)
        try writeLabel(label)
    }

    private func resetRights() throws(TokenError) {
        try perform(Command(0x80, 0x40, 0x00, 0x00))
        heldRights = []
    }
}

/// The directories of a formatted token, each after the one it is in.
private enum Directories {
    static let minidriver: FilePath = [0x1000, 0x1002, 0xFFF0]

    static let all: [FilePath] =
        [[], [0x6000], [0x1000], .system] + (0x6001...0x6008).map { FilePath.system.file($0) } + [
            .objects, [0x1000, 0x1001, 0x8001], [0x1000, 0x1001, 0x8001, 0x8001], [0x1000, 0x1001, 0x8002],
            [0x1000, 0x1001, 0x1001], [0x1000, 0x1002], [0x1000, 0x1003], [0x1000, 0x1004], minidriver,
            minidriver.file(0x0013),
        ]
}
