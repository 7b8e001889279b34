// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import Cryptoki
import Locking
import Secrets
import Token

/// A token that is being worked with, inside `Token.perform`.
///
/// Its functions block until the token has answered. A session cannot be stored or leave the block; nested functions of
/// the block may use it.
public struct Session: ~Escapable {
    let handle: CK_SESSION_HANDLE
    let token: Token
    let role: Role

    /// - Parameter token: The owner of the session; this value is lent to a block.
    @_lifetime(borrow token)
    init(_ handle: CK_SESSION_HANDLE, of token: borrowing Token, role: Role) {
        self.handle = handle
        self.token = copy token
        self.role = role
    }

    var library: Library { token.service.library }
    /// The slot where the token is.
    var slot: CK_SLOT_ID { token.state.withLock { $0.slot } }

    /// Runs `body` with the library's session.
    func call<Result>(_ body: (Cryptoki.Session) throws(CKError) -> Result) throws(KanalError) -> Result {
        try translated { () throws(CKError) in try library.withSession(handle, body) }
    }

    /// The objects that the login may see and that match a template, with the attributes that are wanted.
    func objects(
        _ template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])], _ types: [CK_ATTRIBUTE_TYPE]
    ) throws(KanalError) -> [(handle: CK_OBJECT_HANDLE, attributes: Attributes)] {
        try call { session throws(CKError) in
            session.cancel(CKF_FIND_OBJECTS)
            try session.findObjectsInit(Attributes(template: template))
            defer { session.cancel(CKF_FIND_OBJECTS) }
            var found: [(CK_OBJECT_HANDLE, Attributes)] = []
            for handle in try session.findObjects(limit: .max) {
                found.append((handle, try session.attributes(of: handle, types: types)))
            }
            return found
        }
    }

    /// Random bytes from the token's generator, mixed with the operating system's.
    public func randomBytes(_ count: Int) throws(KanalError) -> [UInt8] {
        guard count >= 0 else { throw .invalidArgument("a negative count of random bytes") }
        return try call { session throws(CKError) in try session.generateRandom(count) }
    }
}

/// Refers to an object: by its handle while the session lasts, and after that by its persistent identifier.
struct ObjectReference: Sendable, Equatable {
    let handle: CK_OBJECT_HANDLE
    let uniqueID: [UInt8]

    init(_ handle: CK_OBJECT_HANDLE, _ attributes: Attributes) {
        self.handle = handle
        uniqueID = attributes[CKA_UNIQUE_ID] ?? []
    }
}

extension Session {
    /// The object's present handle.
    func handle(of object: ObjectReference) throws(KanalError) -> CK_OBJECT_HANDLE {
        let isKnown = try call { session throws(CKError) in
            (try? session.attributes(of: object.handle, types: [CKA_UNIQUE_ID]))?[CKA_UNIQUE_ID] == object.uniqueID
        }
        if isKnown { return object.handle }
        guard !object.uniqueID.isEmpty, let found = try objects([(CKA_UNIQUE_ID, object.uniqueID)], []).first else {
            throw .objectNotFound
        }
        return found.handle
    }

    /// Removes an object from the token.
    func delete(_ object: ObjectReference) throws(KanalError) {
        let handle = try handle(of: object)
        try call { session throws(CKError) in try session.destroyObject(handle) }
    }
}

extension CK_ULONG {
    /// The number as an attribute's value holds it.
    var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

extension Session {
    /// Changes the PIN of the session's role: the user's, or the security officer's.
    ///
    /// - Throws: ``KanalError/pinIncorrect(triesLeft:)`` for a wrong present PIN, ``KanalError/pinLength`` for a new one that
    ///   the token does not take.
    public func changePIN(from present: borrowing PIN, to new: borrowing PIN) throws(KanalError) {
        let (present, new) = (present.secret, new.secret)
        do throws(KanalError) {
            try call { session throws(CKError) in try session.setPIN(old: present.secret, new: new.secret) }
        } catch {
            guard error == .pinIncorrect(triesLeft: nil) else { throw error }
            throw .pinIncorrect(triesLeft: token.triesLeft(of: role, in: slot))
        }
        if role == .user { token.keep(new) }
    }

    /// Gives the user a PIN, with all its tries. For the security officer, on a token that was formatted so that the officer
    /// may do this.
    public func setUserPIN(_ pin: borrowing PIN) throws(KanalError) {
        let pin = pin.secret
        try call { session throws(CKError) in try session.initPIN(pin.secret) }
    }

    /// Gives the user's PIN all its tries; the PIN stays. For the security officer.
    public func unblockUserPIN() throws(KanalError) {
        try call { session throws(CKError) in try session.unblockUserPIN() }
    }

    /// Has the token make an activation password, in place of the one with the same number. It cannot be asked for again.
    /// For the security officer.
    ///
    /// - Parameters:
    ///   - number: 1 to 6; nil for the first that the token has no password for.
    ///   - characters: The characters of the password.
    public func generateActivationPassword(
        number: Int? = nil, of characters: PasswordCharacters = .capitalsAndDigits
    ) throws(KanalError) -> ActivationPassword {
        let number = CK_ULONG(clamping: number ?? 0)
        let characters = characters == .capitals ? CAPS_ONLY : CAPS_AND_DIGITS
        return ActivationPassword(
            try call { session throws(CKError) in
                let request = try session.activationPasswordRequest(number: number, characters: characters)
                return SharedSecret(try session.generateActivationPassword(request))
            })
    }

    /// Names the token; an empty name takes its name away.
    public func setLabel(_ label: String) throws(KanalError) {
        try call { session throws(CKError) in try session.setTokenName(Array(label.utf8)) }
    }
}

/// The symbols of an activation password.
public enum PasswordCharacters: Sendable, Equatable {
    /// Capital letters without O, and digits without 0.
    case capitalsAndDigits
    /// Capital letters.
    case capitals
}

/// A PIN by which one application protects its own files on a token. It belongs to no login, and does not open objects
/// that this library lists.
public struct LocalPIN: Sendable, Equatable {
    /// The numbers that a local PIN can have: 3 to 31.
    public static let numbers = Library.localPINNumbers

    /// One of ``numbers``.
    public let number: Int
    /// Its limits and tries. It is never a default: one that was not set is not listed.
    public let details: PINDetails
}

extension Session {
    /// The local PINs that have been set. No PIN is needed.
    public func localPINs() throws(KanalError) -> [LocalPIN] {
        return try translated { () throws(CKError) in try library.localPINs(in: slot) }
            .map { LocalPIN(number: $0.number, details: PINDetails($0.state)) }
    }

    /// Sets or changes a local PIN.
    ///
    /// - Parameters:
    ///   - number: One of ``LocalPIN/numbers``.
    ///   - present: Its present value; the user's PIN if it was not set before.
    /// - Throws: ``KanalError/pinIncorrect(triesLeft:)`` for a wrong present value: the user's login ends if it was the
    ///   user's PIN. ``KanalError/pinLength``, ``KanalError/pinLocked``.
    public func setLocalPIN(
        _ number: Int, to new: borrowing PIN, presenting present: borrowing PIN
    ) throws(KanalError) {
        let (new, present) = (new.secret, present.secret)
        let number = CK_ULONG(clamping: number)
        do throws(CKError) {
            try library.setLocalPIN(number, in: slot, to: new.secret, presenting: present.secret)
        } catch {
            guard error == .pinIncorrect else { throw KanalError(error) }
            let own = try? library.localPIN(number, in: slot)
            throw .pinIncorrect(triesLeft: own?.triesLeft ?? token.triesLeft(of: .user, in: slot))
        }
    }
}
