// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import Locking
package import Secrets
package import Token

/// The functions of the vendor's extension that need no session.
extension Library {
    /// The record of the token's last GOST signature, BER; empty before the first one.
    package func journal(in slot: CK_SLOT_ID) throws(CKError) -> [UInt8] {
        try withToken(in: slot) { token throws(TokenError) in try token.journal() ?? [] }
    }

    /// Gives a local PIN a value.
    ///
    /// - Parameter present: Its present value; User's PIN if it has none.
    /// - Throws: `CKR_ARGUMENTS_BAD` for a number that no local PIN has.
    package func setLocalPIN(
        _ number: CK_ULONG, in slot: CK_SLOT_ID, to new: borrowing Secret, presenting present: borrowing Secret
    ) throws(CKError) {
        let pin = try LocalPIN(number)
        let new = new.copy()
        let present = present.copy()
        try withToken(in: slot) { token throws(TokenError) in
            try token.setLocalPIN(pin, to: new, presenting: present)
        }
    }

    /// Limits and tries of a local PIN.
    ///
    /// - Throws: `CKR_ARGUMENTS_BAD` for a number that no local PIN has; `CKR_DEVICE_ERROR` if it has no value.
    package func localPIN(_ number: CK_ULONG, in slot: CK_SLOT_ID) throws(CKError) -> PINState {
        let pin = try LocalPIN(number)
        let state = try withToken(in: slot) { token throws(TokenError) in try token.localPIN(pin) }
        guard let state else { throw .deviceError }
        return state
    }

    /// The numbers that a local PIN can have.
    package static let localPINNumbers = LocalPIN.numbers

    /// Numbers, limits and tries of the local PINs that have a value.
    package func localPINs(in slot: CK_SLOT_ID) throws(CKError) -> [(number: Int, state: PINState)] {
        try withToken(in: slot) { token throws(TokenError) in try token.localPINs() }
    }

    /// Whether a PIN must be changed before it is used for anything else.
    ///
    /// - Throws: `CKR_ARGUMENTS_BAD` for other users than the SO and User.
    package func mustChangePIN(of user: CK_USER_TYPE, in slot: CK_SLOT_ID) throws(CKError) -> Bool {
        guard user == CKU_USER || user == CKU_SO else {
            throw .argumentsBad("the user \(user) is neither User nor SO")
        }
        let isForced = try withToken(in: slot) { token throws(TokenError) in
            // Without its channel the token does not tell.
            try token.prepare()
            return try token.info(evicting: true).isUserPINChangeForced
        }
        return isForced && user == CKU_USER
    }

    /// The name of the token's model, UTF-8; nil if its firmware does not know it.
    package func modelName(in slot: CK_SLOT_ID) throws(CKError) -> [UInt8]? {
        try withToken(in: slot) { token throws(TokenError) in try token.modelName() }
    }

    /// The size of the token's drive in megabytes.
    ///
    /// - Throws: `CKR_FUNCTION_NOT_SUPPORTED` if it has none.
    package func driveSize(in slot: CK_SLOT_ID) throws(CKError) -> Int {
        guard let size = try withToken(in: slot, { token throws(TokenError) in try token.driveSize() }) else {
            throw .functionNotSupported
        }
        return size
    }

    /// The volumes of the token's drive.
    ///
    /// - Throws: `CKR_FUNCTION_NOT_SUPPORTED` if it has none.
    package func volumes(in slot: CK_SLOT_ID) throws(CKError) -> [TokenVolume] {
        guard let volumes = try withToken(in: slot, { token throws(TokenError) in try token.volumes() }) else {
            throw .functionNotSupported
        }
        return volumes
    }

    func withToken<Result: Sendable>(
        in id: CK_SLOT_ID, _ body: @Sendable (Token) throws(TokenError) -> Result
    ) throws(CKError) -> Result {
        guard try slot(id).isOccupied else { throw .tokenNotPresent }
        return try entry(id).slot.withLock { slot throws(CKError) in try slot.withToken(body) }
    }
}

extension LocalPIN {
    /// - Throws: `CKR_ARGUMENTS_BAD` for a number that no local PIN has.
    fileprivate init(_ number: CK_ULONG) throws(CKError) {
        guard let pin = LocalPIN(number: Int(clamping: number)) else {
            throw .argumentsBad("\(number) is the number of no local PIN")
        }
        self = pin
    }
}
