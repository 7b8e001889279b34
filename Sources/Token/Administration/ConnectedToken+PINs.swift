// SPDX-License-Identifier: Apache-2.0

import APDU
package import Secrets

/// Changes of PINs, and the SO's functions for User.
extension ConnectedToken {
    /// Sets a PIN to a new value.
    ///
    /// - Parameter old: The present value; empty if the logged-in role does not present it again.
    package func changePIN(of role: Role, from old: borrowing Secret, to new: borrowing Secret) throws(TokenError) {
        let old = old.copy()
        let new = new.copy()
        try new.requirePINLength()
        try transaction { card throws(TokenError) in
            if old.isEmpty {
                try card.requireLogin(role)
                try card.changePIN(of: role, to: new)
            } else {
                try card.presenting(old, of: role) { () throws(TokenError) in try card.changePIN(of: role, to: new) }
            }
            if card.session.login.pin != nil, card.login == role { card.session.login.pin = new.copy() }
        }
    }

    /// Makes sure that the token's policy lets the SO change User's PIN.
    package func requireUserPINResettable() throws(TokenError) {
        try transaction { card throws(TokenError) in _ = try card.requireUserPINResettable() }
    }

    /// Sets User's PIN and restores all its tries. Needs the SO's login, and a token that lets the SO do it.
    package func resetUserPIN(to new: borrowing Secret) throws(TokenError) {
        let new = new.copy()
        try new.requirePINLength()
        try transaction { card throws(TokenError) in
            let user = try card.requireUserPINResettable()
            guard new.count >= user.minimumLength else { throw .pinLength }
            try card.requireLogin(.securityOfficer)
            try card.perform(.resetRetryCounter(of: .user))
            try card.changePIN(of: .user, to: new)
        }
    }

    /// Restores all tries of User's PIN; its value stays. Needs the SO's login.
    package func unblockUserPIN() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            try card.perform(.resetRetryCounter(of: .user))
        }
    }

    /// Sets User's PIN to its default. Needs the SO's login, and a token that lets the SO change it.
    package func resetUserPINToDefault() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireUserPINResettable()
            try card.requireLogin(.securityOfficer)
            try card.perform(.changeToDefault(.user))
        }
    }

    /// Sets the default of User's PIN. Needs the SO's login.
    ///
    /// - Parameter value: Empty for the token maker's value.
    package func setDefaultUserPIN(to value: borrowing Secret) throws(TokenError) {
        let value = value.copy()
        if !value.isEmpty { try value.requirePINLength() }
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            let data = Secret(copying: [0xA6, UInt8(truncatingIfNeeded: value.count)]).appending(value.bytes)
            try card.perform(.putDefaultPIN(data))
        }
    }

    /// Has the token remember that User must change the PIN, until User has. Needs the SO's login.
    package func forceUserPINChange() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            try card.perform(.forcePINChange)
        }
    }
}

extension Transaction {
    /// Reads the policy before anything is changed: a refused change would otherwise follow restored tries.
    ///
    /// - Returns: The limits of User's PIN.
    @discardableResult
    func requireUserPINResettable() throws(TokenError) -> PINState {
        let user = try PINState(parsing: perform(.pinState(.user)))
        guard user.changePolicy & 0x01 != 0 else { throw .forbiddenByPolicy }
        return user
    }

    /// CHANGE REFERENCE DATA of a PIN; see ``change(_:to:)``.
    func changePIN(of role: ConnectedToken.Role, to value: borrowing Secret) throws(TokenError) {
        do throws(TokenError) { try change(role.rawValue, to: value) } catch {
            // A kept PIN may be the token's no longer.
            if let link = error.linkError, !link.isUnsent, login == role { session.forgetLogin() }
            throw error
        }
    }

    /// CHANGE REFERENCE DATA with a PIN as text. The card knows how short it may be.
    ///
    /// - Parameter reference: The number of a global PIN; 0 for the selected file.
    func change(_ reference: UInt8, to value: borrowing Secret) throws(TokenError) {
        let count = UInt8(truncatingIfNeeded: value.count)
        let data = Secret(copying: [0x80, 0x02, 0x00, count, 0xA6, count]).appending(value.bytes)
        do throws(TokenError) { try perform(.changeReferenceData(reference, data)) } catch {
            throw error == .refused(.incorrectData) ? .pinLength : error
        }
    }
}

extension PINState {
    /// Reads a PIN's length limits and tries from the token's answer: GET DATA 0101 and 0102, SELECT of a local PIN.
    init(_ template: FileTemplate) throws(TokenError) {
        guard template.properties.count == 6, template.access.count == 15 else { throw .malformedAnswer }
        minimumLength = Int(template.properties[1])
        isUTF8 = template.properties[2] & 0x80 != 0
        isChanged = template.properties[2] & 0x04 != 0
        tries = Int(template.properties[3] >> 4)
        triesLeft = Int(template.properties[3] & 0x0F)
        changePolicy = template.access[2] & 0x03
    }

    /// - Parameter answer: The answer to GET DATA.
    init(parsing answer: [UInt8]) throws(TokenError) {
        guard let template = try? FileTemplate(parsing: answer) else { throw .malformedAnswer }
        try self.init(template)
    }
}

extension Secret {
    /// Makes sure that a token can take this as a new PIN.
    borrowing func requirePINLength() throws(TokenError) {
        guard (1...PINState().maximumLength).contains(count) else { throw .pinLength }
    }
}

/// Local PINs. They belong to no login of PKCS #11: each is presented for one change of itself.
extension ConnectedToken {
    /// Limits and tries of a local PIN; nil if it has no value.
    package func localPIN(_ pin: LocalPIN) throws(TokenError) -> PINState? {
        try transaction(first: .read) { card throws(TokenError) in
            try card.state(of: pin).flatMap { $0.isChanged ? $0 : nil }
        }
    }

    /// Numbers, limits and tries of the local PINs that have a value. A command goes to the token for each number.
    package func localPINs() throws(TokenError) -> [(number: Int, state: PINState)] {
        try transaction(first: .read) { card throws(TokenError) in
            var found: [(number: Int, state: PINState)] = []
            for number in LocalPIN.numbers {
                guard let pin = LocalPIN(number: number), let state = try card.state(of: pin), state.isChanged else {
                    continue
                }
                found.append((number, state))
            }
            return found
        }
    }

    /// Sets a local PIN, for the first time or again. Needs no login, and leaves none.
    ///
    /// - Parameter present: The local PIN's value; if it has none, User's PIN.
    package func setLocalPIN(
        _ pin: LocalPIN, to new: borrowing Secret, presenting present: borrowing Secret
    ) throws(TokenError) {
        let new = new.copy()
        let present = present.copy()
        try new.requirePINLength()
        try transaction { card throws(TokenError) in
            let state = try card.state(of: pin)
            if state?.isChanged == true {
                try card.select(pin.file)
                try card.present(present, as: pin.reference)
                defer { _ = try? card.perform(.resetRight(of: pin.number)) }
                try card.change(pin, to: new)
            } else {
                try card.presenting(present, of: .user) { () throws(TokenError) in
                    // A PIN without a value is left by an interrupted creation.
                    if state == nil { try card.create(pin, size: new.count) }
                    try card.change(pin, to: new)
                }
            }
        }
    }
}

extension Transaction {
    /// - Returns: nil if its file does not exist.
    fileprivate func state(of pin: LocalPIN) throws(TokenError) -> PINState? {
        guard let template = try optional({ () throws(TokenError) in try select(pin.file) }) else { return nil }
        var state = try PINState(template)
        state.minimumLength = max(1, state.minimumLength)
        // Set in every local PIN that has a value.
        state.isChanged = template.properties[2] & 0x03 != 0
        return state
    }

    /// Creates the file, with the minimum length of User's PIN.
    fileprivate func create(_ pin: LocalPIN, size: Int) throws(TokenError) {
        let user = try PINState(parsing: perform(.pinState(.user)))
        try select(.localPINs)
        try perform(
            .create(
                UInt16(pin.number), .pin, size: size,
                properties: [0x21, UInt8(clamping: user.minimumLength), 0x00, 0xAA, 0x00, 0x00],
                access: .localPIN(pin.number)))
    }

    fileprivate func change(_ pin: LocalPIN, to value: borrowing Secret) throws(TokenError) {
        try select(pin.file)
        try change(0, to: value)
    }
}

extension ConnectedToken {
    /// Sets or removes the token's name. Needs User's login.
    ///
    /// - Parameter label: UTF-8, at most 255 bytes.
    package func setLabel(_ label: [UInt8]) throws(TokenError) {
        guard label.count <= 255 else { throw .unsupported }
        try transaction { card throws(TokenError) in
            try card.requireWritable()
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

    /// Writes into the selected label file: `TN` with length 0, the name, then the length, so that a truncated name
    /// does not count.
    func writeLabel(_ label: [UInt8]) throws(TokenError) {
        try updateSelected(Array("TN".utf8) + [0x03, 0x00, 0x00, 0x00, 0x00, 0x00])
        guard !label.isEmpty else { return }
        try updateSelected(label, at: 8)
        var length: [UInt8] = []
        length.appendLittleEndianUInt16(label.count)
        try updateSelected(length, at: 6)
    }
}
