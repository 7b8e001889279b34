// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
package import Secrets
import Token

/// The token's name, its licences, and the SO's functions for User, of the vendor's extension.
extension Session {
    /// The most bytes that a token's name can have.
    package static let nameLimit = 255
    /// The bytes of a licence.
    package static let licenceSize = Token.licenceSize
    /// The numbers of licences.
    package static let licenceNumbers = Token.licenceNumbers

    /// Gives User's PIN all its tries; the PIN stays. Only the SO can.
    package func unblockUserPIN() throws(CKError) {
        try requireLogin(.securityOfficer)
        try slot.withToken { token throws(TokenError) in try token.unblockUserPIN() }
    }

    /// Names the token, or takes its name away. Only User can.
    ///
    /// - Parameter name: UTF-8, 0 to 255 bytes.
    package func setTokenName(_ name: [UInt8]) throws(CKError) {
        guard name.count <= Self.nameLimit else {
            throw .argumentsBad("the name has \(name.count) bytes, the most is \(Self.nameLimit)")
        }
        guard isReadWrite else { throw .sessionReadOnly("the token's name is to be changed") }
        try requireLogin(.user)
        try slot.withToken { token throws(TokenError) in try token.setLabel(name) }
    }

    /// The token's whole name, UTF-8; nil if it has none.
    package func tokenName() throws(CKError) -> [UInt8]? {
        try slot.withToken { token throws(TokenError) in try token.info(evicting: true).label }
    }

    /// Writes a licence. Either login will do.
    package func setLicence(_ number: CK_ULONG, to licence: [UInt8]) throws(CKError) {
        let number = try Self.licenceNumber(number)
        guard licence.count == Self.licenceSize else {
            throw .argumentsBad("the licence has \(licence.count) bytes, and must have \(Self.licenceSize)")
        }
        guard slot.login != nil else { throw .userNotLoggedIn("a login is needed to write a licence") }
        try slot.withToken { token throws(TokenError) in try token.setLicence(number, to: licence) }
    }

    /// A licence; zeros if none was written.
    package func licence(_ number: CK_ULONG) throws(CKError) -> [UInt8] {
        let number = try Self.licenceNumber(number)
        return try slot.withToken { token throws(TokenError) in try token.licence(number) }
    }

    /// - Throws: `CKR_ARGUMENTS_BAD` for a number that no token has.
    package static func licenceNumber(_ number: CK_ULONG) throws(CKError) -> Int {
        guard licenceNumbers.contains(Int(clamping: number)) else {
            throw .argumentsBad("\(number) is not a licence's number, 1 to 4")
        }
        return Int(clamping: number)
    }

    // MARK: C_EX_TokenManage

    /// The SO manages User's PIN only.
    func requireManaged(_ user: CK_USER_TYPE) throws(CKError) {
        guard user == CKU_USER else { throw .argumentsBad("the user is \(user), and must be CKU_USER") }
        try requireLogin(.securityOfficer)
    }

    /// Makes the standard value of a PIN its default again. The PIN stays.
    package func restoreStandardPIN(of user: CK_USER_TYPE) throws(CKError) {
        try requireManaged(user)
        try slot.withToken { token throws(TokenError) in try token.setDefaultUserPIN(to: Secret(count: 0)) }
    }

    /// Gives a PIN the value that is its default.
    ///
    /// - Throws: `CKR_FUNCTION_REJECTED` where the token's policy does not let the SO change the PIN.
    package func resetPINToDefault(of user: CK_USER_TYPE) throws(CKError) {
        try requireManaged(user)
        try slot.withToken { token throws(TokenError) in try token.resetUserPINToDefault() }
    }

    /// Sets the default that ``resetPINToDefault(of:)`` restores. The PIN stays.
    package func setDefaultPIN(of user: CK_USER_TYPE, to pin: borrowing Secret) throws(CKError) {
        try requireManaged(user)
        guard (6...32).contains(pin.count) else { throw .pinLengthRange }
        let pin = pin.copy()
        try slot.withToken { token throws(TokenError) in try token.setDefaultUserPIN(to: pin) }
    }

    /// Has the token remember that a PIN must be changed, until it is.
    package func forcePINChange(of user: CK_USER_TYPE) throws(CKError) {
        try requireManaged(user)
        try slot.withToken { token throws(TokenError) in try token.forceUserPINChange() }
    }

    private func requireLogin(_ role: Token.Role) throws(CKError) {
        guard slot.login == role else {
            throw .userNotLoggedIn(role == .user ? "User must be logged in" : "the SO must be logged in")
        }
    }
}
