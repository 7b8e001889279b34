// SPDX-License-Identifier: Apache-2.0
import APDU
package import Secrets

/// Changes of PINs, and the SO's functions for User.
extension Token {
    /// Gives a PIN a new value.
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
        try transaction { card throws(TokenError) in try card.requireUserPINResettable() }
    }

    /// Gives User's PIN a value and all its tries. Needs the SO's login, and a token that lets the SO do it.
    package func resetUserPIN(to new: borrowing Secret) throws(TokenError) {
        let new = new.copy()
        try new.requirePINLength()
        try transaction { card throws(TokenError) in
            try card.requireUserPINResettable()
            try card.requireLogin(.securityOfficer)
            try card.perform(.resetRetryCounter(of: .user))
            try card.changePIN(of: .user, to: new)
        }
    }

    /// Gives User's PIN all its tries; its value stays. Needs the SO's login.
    package func unblockUserPIN() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.securityOfficer)
            try card.perform(.resetRetryCounter(of: .user))
        }
    }

    /// Gives User's PIN the value that is its default. Needs the SO's login, and a token that lets the SO change it.
    package func resetUserPINToDefault() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireUserPINResettable()
            try card.requireLogin(.securityOfficer)
            try card.perform(.changeToDefault(.user))
        }
    }

    /// Sets the default of User's PIN. Needs the SO's login.
    ///
    /// - Parameter value: Empty for the one that the maker of the token gave it.
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
    fileprivate func requireUserPINResettable() throws(TokenError) {
        let user = try PINState(parsing: perform(.pinState(.user)))
        guard user.changePolicy & 0x01 != 0 else { throw .forbiddenByPolicy }
    }

    /// CHANGE REFERENCE DATA of a PIN; see ``change(_:to:)``.
    func changePIN(of role: Token.Role, to value: borrowing Secret) throws(TokenError) {
        try change(role.rawValue, to: value)
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
