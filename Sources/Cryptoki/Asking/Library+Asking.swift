// SPDX-License-Identifier: Apache-2.0

import Asking
package import CCryptoki
package import Secrets
package import Token
import Tokens
package import Translation

/// The functions that take PINs. Each PIN can be nil if the user is asked for it.
extension Library {
    /// Whether PINs can be left out, because the user is asked for them then.
    package var asksForPINs: Bool { tokens.asksForPINs }
    /// Whether PINs can be left out, because the user is asked for them then, or may type them at the reader.
    package var mayDoWithoutPINs: Bool { tokens.mayDoWithoutPINs }

    /// Logs in to the token, for all sessions of this application with it; or lets the key of the operation that was begun
    /// last be used once.
    package func logIn(_ handle: CK_SESSION_HANDLE, as user: CK_USER_TYPE, pin: SharedSecret?) throws(CKError) {
        guard let pin else { return try askToLogIn(handle, as: user) }
        try withSession(handle) { session throws(CKError) in
            let role = try session.requireLoginPossible(as: user)
            let authentication = role == nil ? session.authentication : nil
            let key = authentication?.containerKey
            try session.slot.place.logIn(as: role, pin: pin.secret, of: key) { () throws(CKError) in
                try session.requireLoginPossible(as: user)
            }
            if key != nil { authentication?.password = pin }
            authentication?.isGiven = true
        }
    }

    private func askToLogIn(_ handle: CK_SESSION_HANDLE, as user: CK_USER_TYPE) throws(CKError) {
        let isContainers = try wantsContainerPassword(handle, as: user)
        let request =
            switch user {
            case CKU_SO: PINRequest(pin: .securityOfficer, purpose: "to log in")
            case CKU_CONTEXT_SPECIFIC: PINRequest(pin: isContainers ? .container : .user, purpose: "to use a key once")
            default: PINRequest(pin: .user, purpose: "to log in")
            }
        // A reader sends PINs only, and a file answers at once.
        if !isContainers, !tokens.answersForUser, try hasPINPad(handle) {
            return try logInAtReader(handle, as: user, request)
        }
        try tokens.withPINs([NeededPIN(request, given: nil)], in: Int(clamping: slot(of: handle))) {
            () throws(CKError) in
            try facts(of: handle) { session throws(CKError) in try session.requireLoginPossible(as: user) }
        } _: { pins throws(CKError) in
            try logIn(handle, as: user, pin: pins[0])
        }
    }

    private func logInAtReader(
        _ handle: CK_SESSION_HANDLE, as user: CK_USER_TYPE, _ request: PINRequest
    ) throws(CKError) {
        try atReader(request, of: handle) { session throws(CKError) in
            try session.requireLoginPossible(as: user)
        } _: { session throws(CKError) in
            let role = try session.requireLoginPossible(as: user)
            let authentication = role == nil ? session.authentication : nil
            try session.slot.place.logInAtReader(as: role) { () throws(CKError) in
                try session.requireLoginPossible(as: user)
            }
            authentication?.isGiven = true
        }
    }

    /// Whether PINs can be typed at the reader that a session's token is in.
    private func hasPINPad(_ handle: CK_SESSION_HANDLE) throws(CKError) -> Bool {
        guard tokens.settings.policy.usesPINPads else { return false }
        return try withSession(handle) { session throws(CKError) in
            try session.slot.withToken { token throws(TokenError) in token.hasPINPad }
        }
    }

    /// As `Slots.atReader`, for a function of a session.
    private func atReader(
        _ request: PINRequest, withPresent: Bool = false, of handle: CK_SESSION_HANDLE,
        _ check: (Session) throws(CKError) -> Void, _ body: (Session) throws(CKError) -> Void
    ) throws(CKError) {
        try tokens.atReader(request, withPresent: withPresent, in: Int(clamping: slot(of: handle))) {
            () throws(CKError) in
            try facts(of: handle, check)
        } _: { () throws(CKError) in
            try withSession(handle, body)
        }
    }

    /// Whether the key of the operation that was begun last wants the password of its container.
    private func wantsContainerPassword(
        _ handle: CK_SESSION_HANDLE, as user: CK_USER_TYPE
    ) throws(CKError) -> Bool {
        guard user == CKU_CONTEXT_SPECIFIC else { return false }
        return try withSession(handle) { session throws(CKError) in session.authentication?.containerKey != nil }
    }

    /// Sets User's PIN, for the first time or again.
    package func initPIN(_ handle: CK_SESSION_HANDLE, to pin: SharedSecret?) throws(CKError) {
        let request = PINRequest(pin: .user, purpose: "to set the user's PIN", isNew: true)
        if pin == nil, try hasPINPad(handle) {
            return try atReader(request, of: handle) { session throws(CKError) in
                try session.requireInitPINPossible()
            } _: { session throws(CKError) in
                try session.initPINAtReader()
            }
        }
        try withPINs([NeededPIN(request, given: pin)], of: handle) { session throws(CKError) in
            try session.requireInitPINPossible()
        } _: { session, pins throws(CKError) in
            try session.initPIN(pins[0].secret)
        }
    }

    /// Changes the PIN of the logged-in user, or User's without a login.
    ///
    /// - Parameter old: The present value. It may be empty only during a login.
    package func setPIN(_ handle: CK_SESSION_HANDLE, old: SharedSecret?, new: SharedSecret?) throws(CKError) {
        let role = try withSession(handle) { session throws(CKError) in session.slot.login ?? .user }
        let pins = [
            NeededPIN(PINRequest(pin: .init(role), purpose: "to change it"), given: old),
            NeededPIN(PINRequest(pin: .init(role), purpose: "to change it", isNew: true), given: new),
        ]
        if new == nil, try hasPINPad(handle) {
            return try atReader(pins[1].request, withPresent: old == nil, of: handle) { session throws(CKError) in
                try session.requirePINsChangeable()
            } _: { session throws(CKError) in
                try session.setPINAtReader(old: old)
            }
        }
        try withPINs(pins, of: handle) { session throws(CKError) in
            try session.requirePINsChangeable()
        } _: { session, pins throws(CKError) in
            try session.setPIN(old: pins[0].secret, new: pins[1].secret)
        }
    }

    /// Formats the token, as ``initToken(in:ofToken:pin:format:mode:)`` does.
    ///
    /// - Parameters:
    ///   - pin: The SO's present PIN.
    ///   - format: Makes the token's new format, from the SO's present PIN.
    package func initToken(
        in slot: CK_SLOT_ID, pin: SharedSecret?, mode: CK_ULONG,
        format: (SharedSecret) throws(CKError) -> TokenFormat
    ) throws(CKError) {
        try initToken(in: slot, [presentPIN(pin)], mode: mode) { pins throws(CKError) in try format(pins[0]) }
    }

    /// Formats the token, and sets new PINs.
    ///
    /// - Parameters:
    ///   - pin: The SO's present PIN.
    ///   - format: Makes the token's new format, from the SO's new PIN and User's.
    package func initToken(
        in slot: CK_SLOT_ID, pin: SharedSecret?, newPINs: (securityOfficer: SharedSecret?, user: SharedSecret?),
        mode: CK_ULONG, format: (_ securityOfficer: SharedSecret, _ user: SharedSecret) throws(CKError) -> TokenFormat
    ) throws(CKError) {
        let purpose: Phrase = "that the token has when it is made new"
        let pins = [
            presentPIN(pin),
            NeededPIN(
                PINRequest(pin: .securityOfficer, purpose: purpose, isNew: true), given: newPINs.securityOfficer),
            NeededPIN(PINRequest(pin: .user, purpose: purpose, isNew: true), given: newPINs.user),
        ]
        try initToken(in: slot, pins, mode: mode) { pins throws(CKError) in try format(pins[1], pins[2]) }
    }

    private func presentPIN(_ pin: SharedSecret?) -> NeededPIN {
        NeededPIN(PINRequest(pin: .securityOfficer, purpose: "to erase the token and make it new"), given: pin)
    }

    private func initToken(
        in slot: CK_SLOT_ID, _ pins: [NeededPIN], mode: CK_ULONG,
        format: ([SharedSecret]) throws(CKError) -> TokenFormat
    ) throws(CKError) {
        try withPINs(pins, in: slot) { pins, serial throws(CKError) in
            let format = try format(pins)
            let present = pins[0]
            try initToken(in: slot, ofToken: serial, pin: present.secret, format: format, mode: mode)
        }
    }

    /// Sets the default that User's PIN can be given again.
    package func setDefaultPIN(
        _ handle: CK_SESSION_HANDLE, of user: CK_USER_TYPE, to pin: SharedSecret?
    ) throws(CKError) {
        let request = PINRequest(pin: .user, purpose: "that becomes the token's default", isNew: true)
        try withPINs([NeededPIN(request, given: pin)], of: handle) { session throws(CKError) in
            try session.requireManaged(user)
        } _: { session, pins throws(CKError) in
            try session.setDefaultPIN(of: user, to: pins[0].secret)
        }
    }

    /// Sets a local PIN.
    ///
    /// - Parameter present: Its present value; User's PIN if it has none.
    package func setLocalPIN(
        _ number: CK_ULONG, in slot: CK_SLOT_ID, to new: SharedSecret?, presenting present: SharedSecret?
    ) throws(CKError) {
        let local = PINRequest.PIN.local(Int(clamping: number))
        let purpose: Phrase = "to set the local PIN \(number); of one without a value, the user's PIN is asked"
        let pins = [
            NeededPIN(PINRequest(pin: local, purpose: purpose), given: present),
            NeededPIN(PINRequest(pin: local, purpose: "to set it", isNew: true), given: new),
        ]
        try withPINs(pins, in: slot) { pins, serial throws(CKError) in
            try setLocalPIN(number, in: slot, ofToken: serial, to: pins[1].secret, presenting: pins[0].secret)
        }
    }

    /// Has the user asked for a PIN, for a call that is to follow.
    ///
    /// - Parameters:
    ///   - purpose: The purpose, as a part of a sentence, such as "to log in".
    ///   - error: The error of the call with the last answer.
    package func askForPIN(
        of role: ConnectedToken.Role, for purpose: Phrase, in slot: CK_SLOT_ID, after error: CKError? = nil
    ) throws(CKError) -> SharedSecret {
        try tokens { slots throws(TokensError) in
            try slots.askForPIN(of: role, for: purpose, in: Int(clamping: slot), after: error?.pinFault)
        }
    }

    /// As `Slots.withPINs`, for a function without a session. Its body gets the serial number of the token that the question
    /// has named; nil without a question.
    private func withPINs(
        _ pins: [NeededPIN], in slot: CK_SLOT_ID, _ body: ([SharedSecret], [UInt8]?) throws(CKError) -> Void
    ) throws(CKError) {
        var seen: [UInt8]?
        try tokens.withPINs(pins, in: Int(clamping: slot)) { () throws(CKError) in
            let facts = try facts(of: slot)
            seen = facts.serial
            return facts
        } _: { pins throws(CKError) in
            try body(pins, seen)
        }
    }

    /// As `Slots.withPINs`, for a function of a session.
    private func withPINs(
        _ pins: [NeededPIN], of handle: CK_SESSION_HANDLE, _ check: (Session) throws(CKError) -> Void,
        _ body: (Session, [SharedSecret]) throws(CKError) -> Void
    ) throws(CKError) {
        try tokens.withPINs(pins, in: Int(clamping: slot(of: handle))) { () throws(CKError) in
            try facts(of: handle, check)
        } _: { pins throws(CKError) in
            try withSession(handle) { session throws(CKError) in try body(session, pins) }
        }
    }

    /// The facts about a session's token, after a check of the session.
    private func facts(
        of handle: CK_SESSION_HANDLE, _ check: (Session) throws(CKError) -> Void
    ) throws(CKError) -> TokenFacts {
        try withSession(handle) { session throws(CKError) in
            try check(session)
            return try session.facts()
        }
    }

    private func facts(of slot: CK_SLOT_ID) throws(CKError) -> TokenFacts {
        try tokens { slots throws(TokensError) in try slots.facts(of: Int(clamping: slot)) }
    }
}

extension Session {
    /// The facts about the session's token for a question.
    func facts() throws(CKError) -> TokenFacts {
        try slot.withToken { token throws(TokenError) in try TokenFacts(token) }
    }

    /// Has the user asked for consent to a use of a private key, if that is wanted for the key.
    ///
    /// Other threads work with the session while the question is open: it, the login and the key are checked again.
    ///
    /// - Throws: The user's refusal; `CKR_SESSION_HANDLE_INVALID`, `CKR_USER_NOT_LOGGED_IN` if the session or the login
    ///   ended in the meantime; the errors of ``requireUsable(_:)``.
    func requireConsent(to purpose: KeyUse.Purpose, with key: Object) throws(CKError) {
        guard slot.tokens.asksConsent(perKey: key.attributes[CKA_ALWAYS_AUTHENTICATE] == [1]) else { return }
        let label = key.attributes[CKA_LABEL].map { String(decoding: $0, as: UTF8.self) } ?? ""
        let (facts, login) = (try facts(), slot.login)
        try slot.pauseCall(of: self) { () throws(TokensError) in
            try slot.tokens.askConsent(to: KeyUse(label: label, purpose: purpose), of: facts, in: slot.number)
        }
        guard slot.login == login else { throw .userNotLoggedIn("the login ended while the user was asked") }
        try requireUsable(key)
    }
}
