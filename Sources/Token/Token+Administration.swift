import APDU
public import Secrets

/// What the SO does for User, and the token's name.
extension Token {
    /// Gives User's PIN all its tries; its value stays. Needs the SO's login.
    public func unblockUserPIN() throws(TokenError) {
        try transaction { () throws(TokenError) in
            try requireLogin(.securityOfficer)
            try resetUserTries()
        }
    }

    /// RESET RETRY COUNTER of User's PIN.
    func resetUserTries() throws(TokenError) {
        try perform(Command(0x00, 0x2C, 0x03, Role.user.rawValue))
    }

    /// Gives User's PIN the value that is its default. Needs the SO's login, and a token that lets the SO change it.
    public func resetUserPINToDefault() throws(TokenError) {
        try transaction { () throws(TokenError) in
            try requireLogin(.securityOfficer)
            try perform(Command(0x00, 0x24, 0x01, Role.user.rawValue, bytes: [0x80, 0x02, 0x00, 0x00, 0xA5, 0x00]))
        }
    }

    /// Sets the default of User's PIN. Needs the SO's login.
    ///
    /// - Parameter value: Empty for the one that the maker of the token gave it.
    public func setDefaultUserPIN(to value: borrowing Secret) throws(TokenError) {
        let value = value.copy()
        if !value.isEmpty { try requireLength(of: value) }
        try transaction { () throws(TokenError) in
            try requireLogin(.securityOfficer)
            let data = Secret(copying: [0xA6, UInt8(truncatingIfNeeded: value.count)]).appending(value.bytes)
            try perform(Command(0x00, 0xDA, 0x01, 0x61, data: data))
        }
    }

    /// Has the token remember that User must change the PIN, until User has. Needs the SO's login.
    public func forceUserPINChange() throws(TokenError) {
        try transaction { () throws(TokenError) in
            try requireLogin(.securityOfficer)
            try perform(Command(0x00, 0xDA, 0x01, 0x62, bytes: [0x02, 0x00, 0x00, 0x00]))
        }
    }

    /// Gives the token a name, or takes it away. Needs User's login.
    ///
    /// - Parameter label: UTF-8, at most 255 bytes.
    public func setLabel(_ label: [UInt8]) throws(TokenError) {
        guard label.count <= 255 else { throw .unsupported }
        try transaction { () throws(TokenError) in
            try requireLogin(.user)
            let size = try optional { () throws(TokenError) in try select(.label).size }
            if size.map({ $0 < Self.labelFileSize(label) }) != false {
                if size != nil { try delete(0x1000, in: .system) }
                try createLabelFile(for: label)
            }
            try writeLabel(label)
        }
    }

    /// Header and name.
    private static func labelFileSize(_ label: [UInt8]) -> Int { 8 + label.count }

    /// Creates the label file, which becomes the current one.
    func createLabelFile(for label: [UInt8]) throws(TokenError) {
        try select(.system)
        try create(
            0x1000, .elementary, size: Self.labelFileSize(label), access: [0x43, 0x00, 0x02, 0, 0, 0, 0, 0x02])
    }

    /// Writes into the label file, which is selected: `TN` and no length, the name, the length. So that a name which was
    /// cut short is none.
    func writeLabel(_ label: [UInt8]) throws(TokenError) {
        try updateSelected(Array("TN".utf8) + [0x03, 0x00, 0x00, 0x00, 0x00, 0x00])
        guard !label.isEmpty else { return }
        try updateSelected(label, at: 8)
        var length: [UInt8] = []
        length.appendLittleEndianUInt16(label.count)
        try updateSelected(length, at: 6)
    }
}
