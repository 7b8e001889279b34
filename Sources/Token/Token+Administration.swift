import APDU
public import Secrets

/// What the SO does for User, and the token's name.
extension Token {
    /// Gives User's PIN all its tries; its value stays. Needs the SO's login.
    public func unblockUserPIN() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            try card.perform(.resetRetryCounter(of: .user))
        }
    }

    /// Gives User's PIN the value that is its default. Needs the SO's login, and a token that lets the SO change it.
    public func resetUserPINToDefault() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            try card.perform(.changeToDefault(.user))
        }
    }

    /// Sets the default of User's PIN. Needs the SO's login.
    ///
    /// - Parameter value: Empty for the one that the maker of the token gave it.
    public func setDefaultUserPIN(to value: borrowing Secret) throws(TokenError) {
        let value = value.copy()
        if !value.isEmpty { try value.requirePINLength() }
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            let data = Secret(copying: [0xA6, UInt8(truncatingIfNeeded: value.count)]).appending(value.bytes)
            try card.perform(.putDefaultPIN(data))
        }
    }

    /// Has the token remember that User must change the PIN, until User has. Needs the SO's login.
    public func forceUserPINChange() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            try card.perform(.forcePINChange)
        }
    }

    /// Gives the token a name, or takes it away. Needs User's login.
    ///
    /// - Parameter label: UTF-8, at most 255 bytes.
    public func setLabel(_ label: [UInt8]) throws(TokenError) {
        guard label.count <= 255 else { throw .unsupported }
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            let size = try optional { () throws(TokenError) in try card.select(.label).size }
            if size.map({ $0 < Transaction.labelFileSize(label) }) != false {
                if size != nil { try card.delete(0x1000, in: .system) }
                try card.createLabelFile(for: label)
            }
            try card.writeLabel(label)
        }
    }
}

extension Transaction {
    /// Header and name.
    fileprivate static func labelFileSize(_ label: [UInt8]) -> Int { 8 + label.count }

    /// Creates the label file, which becomes the current one.
    func createLabelFile(for label: [UInt8]) throws(TokenError) {
        try select(.system)
        try perform(
            .create(
                0x1000, .elementary, size: Self.labelFileSize(label),
                access: .file(read: .anybody, update: .user, delete: .user)))
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
