// SPDX-License-Identifier: Apache-2.0

import APDU
package import Secrets

/// PINs that the user types at the reader. None of them reaches this machine, so that none is kept: a login lasts as with
/// `pin_retention` = `none`.
extension ConnectedToken {
    /// Has the user type a PIN to log in (VERIFY). A wrong one spends a try.
    package func logInAtReader(as role: Role) throws(TokenError) {
        try transaction(first: .act) { card throws(TokenError) in
            // A search that follows needs it, and most do.
            if card.session.known.changeCounter == nil { try card.readChangeCounter() }
            let entry = try card.entry(ofPresent: role)
            card.session.login.isFromReader = true
            do throws(TokenError) { try card.present(role, by: entry) } catch {
                card.session.forgetLogin()
                throw error
            }
            card.session.login.role = role
            card.session.known.objects = nil
        }
    }

    /// Has the user type the PIN of the logged-in role once more (VERIFY).
    package func confirmAtReader() throws(TokenError) {
        try transaction(first: .act) { card throws(TokenError) in
            guard let role = card.login else { throw .notLoggedIn }
            let entry = try card.entry(ofPresent: role)
            do throws(TokenError) { try card.present(role, by: entry) } catch {
                card.restoreRight(after: error)
                throw error
            }
        }
    }

    /// Has the user type a new PIN, twice.
    ///
    /// - Parameter old: The present value; empty if the logged-in role does not present it again, nil if the user types
    ///   it, too.
    package func changePINAtReader(of role: Role, from old: SharedSecret?) throws(TokenError) {
        try transaction { card throws(TokenError) in
            let entry = try card.entry(ofNew: role)
            switch old {
            case nil:
                try card.presentingAtReader(role) { () throws(TokenError) in try card.change(role, by: entry) }
            case let old? where old.secret.isEmpty:
                try card.requireLogin(role)
                try card.change(role, by: entry)
            case let old?:
                try card.presenting(old.secret, of: role) { () throws(TokenError) in
                    try card.change(role, by: entry)
                }
            }
        }
    }

    /// Has the user type User's new PIN, twice, and restores all its tries behind that: an entry that fails leaves a locked
    /// PIN locked. Needs the SO's login, and a token that lets the SO do it.
    package func resetUserPINAtReader() throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireUserPINResettable()
            let entry = try card.entry(ofNew: .user)
            try card.requireLogin(.securityOfficer)
            try card.change(.user, by: entry)
            try card.perform(.resetRetryCounter(of: .user))
        }
    }
}

extension Transaction {
    fileprivate func requirePINPad() throws(TokenError) -> PINPad {
        guard isPlain, let pad = session.pinPad else { throw .unsupported }
        return pad
    }

    private func pinState(of role: ConnectedToken.Role) throws(TokenError) -> PINState {
        guard let state = try optional({ () throws(TokenError) in try perform(.pinState(role)) }) else {
            throw .pinNotSet
        }
        return try PINState(parsing: state)
    }

    /// VERIFY with a PIN that the user is to type, and that the card can accept. The login is as before.
    fileprivate func entry(ofPresent role: ConnectedToken.Role) throws(TokenError) -> PINEntry {
        let pad = try requirePINPad()
        try proveIdentity()
        let pin = try pinState(of: role)
        guard pin.triesLeft > 0 else { throw .pinLocked }
        guard let lengths = pin.lengths(at: pad) else { throw .pinLength }
        return PINEntry(0x00, 0x20, 0x00, role.rawValue, .present(lengths))
    }

    /// Has the user type a PIN.
    fileprivate func present(_ role: ConnectedToken.Role, by entry: PINEntry) throws(TokenError) {
        // The card would not look at the PIN if another process held the right.
        _ = try send(CardCommand.resetRight(of: role.rawValue))
        do throws(TokenError) {
            let status = try send(entry).status
            if status == .verificationFailed || status.triesLeft != nil { throw TokenError.pinIncorrect }
            guard status == .success else { throw TokenError(status) }
            if session.returnsRights { state.heldRights.insert(role) }
        } catch {
            // The card may have accepted the PIN without being able to confirm it.
            if case .link = error { giveUp(role) }
            throw error
        }
    }

    /// Runs `body` with the right of a PIN that the user types, which is gained for it alone.
    fileprivate func presentingAtReader(
        _ role: ConnectedToken.Role, _ body: () throws(TokenError) -> Void
    ) throws(TokenError) {
        let entry = try entry(ofPresent: role)
        do throws(TokenError) { try present(role, by: entry) } catch {
            if login == role { restoreRight(after: error) }
            throw error
        }
        defer { if login != role, !session.returnsRights { _ = try? perform(.resetRight(of: role.rawValue)) } }
        try body()
    }

    /// CHANGE REFERENCE DATA with a new PIN of one length: the card wants the length in two places of the data, and a
    /// reader can write it into one.
    fileprivate func entry(ofNew role: ConnectedToken.Role) throws(TokenError) -> PINEntry {
        let pad = try requirePINPad()
        guard let count = try pinState(of: role).newDigits(at: pad) else { throw .pinLength }
        let byte = UInt8(truncatingIfNeeded: count)
        return PINEntry(
            0x00, 0x24, 0x01, role.rawValue, .new(count: count, after: [0x80, 0x02, 0x00, byte, 0xA6, byte]))
    }

    fileprivate func change(_ role: ConnectedToken.Role, by entry: PINEntry) throws(TokenError) {
        do throws(TokenError) {
            let status = try send(entry).status
            guard status == .success else {
                throw status == .incorrectData ? TokenError.pinLength : TokenError(status)
            }
        } catch {
            // A kept PIN may be the token's no longer.
            if case .link = error, login == role { session.forgetLogin() }
            throw error
        }
        guard login == role, session.login.pin != nil else { return }
        session.login.pin = nil
        session.login.isFromReader = true
        // The right that this transaction has gained is the login from now on.
        state.heldRights.remove(role)
    }

    /// Has the user type a PIN for a command.
    private func send(_ entry: PINEntry) throws(TokenError) -> Response {
        let hadActed = session.progress.hasActed
        session.progress.hasActed = true
        let response: Response
        do throws(LinkError) { response = try link.transmit(entry) } catch { throw failed(error, hadActed) }
        note(Command(entry.cla, entry.ins, entry.p1, entry.p2), response.status)
        cardAnswered()
        if let refusal = PINEntry.Refusal(rawValue: response.status.rawValue) { throw .notTyped(refusal) }
        return response
    }
}

extension ConnectedToken {
    /// The number of digits of a new PIN that is typed at the reader; nil without a PIN pad, or if none is right.
    package func newDigits(for pin: PINState) -> Int? {
        guard hasPINPad else { return nil }
        return session.pinPad.flatMap { pin.newDigits(at: $0) }
    }
}

extension PINState {
    /// The digits of a new PIN, unless the token or the reader wants more, or the reader takes fewer.
    private static let newDigits = 8

    /// The lengths of this PIN that can be typed at the reader; nil if there are none.
    fileprivate func lengths(at pad: PINPad) -> ClosedRange<Int>? {
        let (shortest, longest) = (
            max(minimumLength, pad.lengths.lowerBound), min(maximumLength, pad.lengths.upperBound)
        )
        return shortest <= longest ? shortest...longest : nil
    }

    /// The length of a new PIN that is typed at the reader; nil if none is right.
    fileprivate func newDigits(at pad: PINPad) -> Int? {
        guard let lengths = lengths(at: pad) else { return nil }
        let count = min(max(Self.newDigits, lengths.lowerBound), lengths.upperBound)
        return count <= PINEntry.longestNew ? count : nil
    }
}
