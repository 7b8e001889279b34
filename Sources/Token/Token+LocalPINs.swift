import APDU
public import Secrets

/// Local PINs. They belong to no login of PKCS #11: each is presented for one change of itself.
extension Token {
    /// Limits and tries of a local PIN; nil if it has no value.
    public func localPIN(_ pin: LocalPIN) throws(TokenError) -> PINState? {
        try transaction(.reading) { () throws(TokenError) in try state(of: pin).flatMap { $0.isChanged ? $0 : nil } }
    }

    /// Gives a local PIN a value, the first one or another. Needs no login, and leaves none.
    ///
    /// - Parameter present: The local PIN's value; if it has none, User's PIN.
    public func setLocalPIN(
        _ pin: LocalPIN, to new: borrowing Secret, presenting present: borrowing Secret
    ) throws(TokenError) {
        let new = new.copy()
        let present = present.copy()
        try requireLength(of: new)
        try transaction { () throws(TokenError) in
            let state = try state(of: pin)
            if state?.isChanged == true {
                try select(pin.file)
                try self.present(present, as: pin.reference)
                defer { try? resetRight(of: pin.number) }
                try change(pin, to: new)
            } else {
                try presenting(present, of: .user) { () throws(TokenError) in
                    // A PIN without a value is what was left when making it was cut short.
                    if state == nil { try create(pin, size: new.count) }
                    try change(pin, to: new)
                }
            }
        }
    }

    /// - Returns: nil if there is no file for it.
    private func state(of pin: LocalPIN) throws(TokenError) -> PINState? {
        guard let template = try optional({ () throws(TokenError) in try select(pin.file) }) else { return nil }
        var state = try PINState(template)
        state.minimumLength = max(1, state.minimumLength)
        // Set in every local PIN that has a value.
        state.isChanged = template.properties[2] & 0x03 != 0
        return state
    }

    /// Makes the file, which asks for as long a PIN as User's.
    private func create(_ pin: LocalPIN, size: Int) throws(TokenError) {
        let user = try PINState(parsing: perform(Command(0x00, 0xCA, 0x01, Role.user.rawValue, ne: 0x26)))
        try select(.localPINs)
        try create(
            UInt16(pin.number), .pin, size: size,
            properties: [0x21, UInt8(clamping: user.minimumLength), 0x00, 0xAA, 0x00, 0x00], access: pin.access)
    }

    private func change(_ pin: LocalPIN, to value: borrowing Secret) throws(TokenError) {
        try select(pin.file)
        try change(0, to: value)
    }
}
