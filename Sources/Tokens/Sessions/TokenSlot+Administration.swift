// SPDX-License-Identifier: Apache-2.0
package import SecureChannel
package import Secrets
package import Token

/// The token's PINs, name, licences and hosts, as sessions of either kind change them.
extension TokenSlot {
    /// The most bytes that a token's name can have.
    package static let nameLimit = 255
    /// The numbers of licences, and the bytes of each.
    package static let (licenceNumbers, licenceSize) = (ConnectedToken.licenceNumbers, ConnectedToken.licenceSize)

    /// Makes sure, without a command, that a role is logged in.
    ///
    /// - Throws: ``TokenError/notLoggedIn``.
    func requireLogin(_ role: ConnectedToken.Role) throws(TokensError) {
        guard login == role else { throw .token(.notLoggedIn) }
    }

    /// Changes the PIN of a role.
    ///
    /// - Parameter old: The present value. It may be empty only during a login.
    package func changePIN(
        of role: ConnectedToken.Role, from old: borrowing Secret, to new: borrowing Secret
    ) throws(TokensError) {
        let old = old.copy()
        let new = new.copy()
        try withTokenInSession { token throws(TokenError) in try token.changePIN(of: role, from: old, to: new) }
    }

    /// The same, with a new PIN that the user types at the reader, and with the present one if it is nil.
    package func changePINAtReader(of role: ConnectedToken.Role, from old: SharedSecret?) throws(TokensError) {
        try withTokenInSession { token throws(TokenError) in try token.changePINAtReader(of: role, from: old) }
    }

    /// Restores all tries of User's PIN; the PIN stays. For the SO.
    package func unblockUserPIN() throws(TokensError) {
        try requireLogin(.securityOfficer)
        try withTokenInSession { token throws(TokenError) in try token.unblockUserPIN() }
    }

    /// Sets or removes the token's name. For User.
    ///
    /// - Parameter name: UTF-8, at most ``nameLimit`` bytes.
    package func setName(_ name: [UInt8]) throws(TokensError) {
        guard name.count <= Self.nameLimit else {
            throw .refused(.arguments, "the name has \(name.count) bytes, the most is \(Self.nameLimit)")
        }
        try requireLogin(.user)
        try withTokenInSession { token throws(TokenError) in try token.setLabel(name) }
    }

    /// A licence; zeros if none was written.
    package func licence(_ number: Int) throws(TokensError) -> [UInt8] {
        try Self.checkLicence(number)
        return try withTokenInSession { token throws(TokenError) in try token.licence(number) }
    }

    /// Writes a licence. Either login will do.
    package func setLicence(_ number: Int, to licence: [UInt8]) throws(TokensError) {
        try Self.checkLicence(number)
        guard licence.count == Self.licenceSize else {
            throw .refused(.arguments, "the licence has \(licence.count) bytes, and must have \(Self.licenceSize)")
        }
        guard login != nil else { throw .token(.notLoggedIn) }
        try withTokenInSession { token throws(TokenError) in try token.setLicence(number, to: licence) }
    }

    /// - Throws: A refusal of a number that no token has.
    package static func checkLicence(_ number: Int) throws(TokensError) {
        guard licenceNumbers.contains(number) else {
            throw .refused(.arguments, "\(number) is not a licence's number, 1 to 4")
        }
    }

    /// Has the token make an activation password, in place of the one with the same number. For the SO.
    ///
    /// - Parameter number: 1 to 6, or 0 for the first that the token has no password for.
    /// - Returns: The password as it is printed, `XXXX-XXXX-XXXX-XXXX`. It cannot be asked for again.
    package func generateActivationPassword(
        number: UInt8, charset: SecureChannel.Charset
    ) throws(TokensError) -> Secret {
        guard number <= 6 else { throw .refused(.arguments, "there is no password \(number)") }
        guard turn.state?.isProtected == true else { throw .notSupported }
        try requireLogin(.securityOfficer)
        let password = try withTokenInSession { token throws(TokenError) in
            try token.generateActivationPassword(slot: number, charset: charset)
        }
        return password.grouped(by: 4)
    }

    /// Has the token forget a host, all of whose channels end. This host needs no login for its own pairing: that goes on
    /// both sides, and all sessions of this program with the token end. Any other host needs the SO's login.
    package func removePairedHost(_ id: PairedHost.ID) throws(TokensError) {
        guard turn.state?.isProtected == true else { throw .withoutChannel }
        let removed: PairedHost?
        do throws(TokensError) {
            removed = try withTokenInSession { token throws(TokenError) in try token.unpair(id) }
        } catch {
            // The token may have forgotten this host, though its part could not be removed here.
            if turn.state?.isProtected == false { end(as: .normal) }
            throw error
        }
        guard let removed else { throw .refused(.object, "the token has no such host any more") }
        if removed.isSelf { end(as: .normal) }
    }
}

extension Secret {
    /// These symbols in groups with dashes between.
    fileprivate func grouped(by size: Int) -> Secret {
        var result = Secret(count: count + max(count - 1, 0) / size)
        var bytes = result.mutableBytes
        var position = 0
        for index in 0..<count {
            if index > 0, index % size == 0 {
                bytes[position] = UInt8(ascii: "-")
                position += 1
            }
            bytes[position] = self.bytes[index]
            position += 1
        }
        return result
    }
}
