// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki
import Secrets
import Token
import Tokens

@c @implementation
public func C_InitToken(
    _ slotID: CK_SLOT_ID, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulPinLen: CK_ULONG,
    _ pLabel: UnsafeMutablePointer<CK_UTF8CHAR>?
) -> CK_RV {
    call { library throws(CKError) in
        let pin = try unsafe pin(pPin, ulPinLen, "pPin", of: library)
        let label = try unsafe bytes(output(pLabel, "pLabel"), 32, "pLabel")
        try library.initToken(in: slotID, pin: pin, mode: 0) { TokenFormat(keeping: $0.secret, label: label) }
    }
}

@c @implementation
public func C_EX_InitToken(
    _ slotID: CK_SLOT_ID, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulPinLen: CK_ULONG,
    _ pInitInfo: UnsafeMutablePointer<CK_RUTOKEN_INIT_PARAM>?
) -> CK_RV {
    call { library throws(CKError) in
        let parameters = try unsafe CK_RUTOKEN_INIT_PARAM(reading: output(pInitInfo, "pInitInfo"))
        // A repair needs no PIN.
        let isMissing = unsafe pPin == nil && parameters.UseRepairMode != 0
        let pin = try isMissing ? SharedSecret(copying: []) : unsafe pin(pPin, ulPinLen, "pPin", of: library)
        try unsafe library.initToken(in: slotID, pin: pin, as: parameters)
    }
}

@c @implementation
public func C_InitPIN(
    _ hSession: CK_SESSION_HANDLE, _ pPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulPinLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        try unsafe library.initPIN(hSession, to: pin(pPin, ulPinLen, "pPin", of: library))
    }
}

@c @implementation
public func C_SetPIN(
    _ hSession: CK_SESSION_HANDLE, _ pOldPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulOldLen: CK_ULONG,
    _ pNewPin: UnsafeMutablePointer<CK_UTF8CHAR>?, _ ulNewLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let new = try unsafe pin(pNewPin, ulNewLen, "pNewPin", of: library)
        // Programs of the vendor leave the old PIN out after a login.
        let isMissing = unsafe pOldPin == nil && ulOldLen == 0 && new != nil
        let old = try isMissing ? SharedSecret(copying: []) : unsafe pin(pOldPin, ulOldLen, "pOldPin", of: library)
        try library.setPIN(hSession, old: old, new: new)
    }
}

/// A PIN that the caller points to, or nil for NULL, if the user may be asked for it then, or type it at the reader.
func pin(
    _ pointer: UnsafeMutablePointer<CK_UTF8CHAR>?, _ count: CK_ULONG, _ name: StaticString, of library: Library
) throws(CKError) -> SharedSecret? {
    if unsafe pointer == nil, count == 0, library.mayDoWithoutPINs { return nil }
    return try unsafe SharedSecret(secret(pointer, count, name))
}

/// A PIN or a key that the caller points to.
func secret(
    _ pointer: UnsafeMutablePointer<CK_UTF8CHAR>?, _ count: CK_ULONG, _ name: StaticString = "a PIN"
) throws(CKError) -> Secret {
    let bytes = try unsafe input(output(pointer, name), count, name, atMost: valueLimit)
    return unsafe Secret(copying: bytes.span)
}

extension TokenFormat {
    /// The format of `C_InitToken`: the SO's PIN stays, User's is the factory's until `C_InitPIN`, and both may change
    /// it.
    fileprivate convenience init(keeping pin: borrowing Secret, label: [UInt8]) {
        let end = label.lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? 0
        self.init(
            securityOfficer: PIN(value: pin.copy()), user: PIN(value: Secret(copying: Array("12345678".utf8))),
            changePolicy: 0x03, label: Array(label[..<end]).withoutCutCharacter, isRepair: false)
    }
}

extension Library {
    /// Formats the token as a caller of `C_EX_InitToken` wants it.
    ///
    /// - Parameters:
    ///   - pin: The SO's present PIN; nil if the user is asked for it, as for new PINs that the caller leaves out.
    ///   - emitentKey: The key to leave on a token whose factory state is restored.
    /// - Throws: `CKR_ARGUMENTS_BAD` if a value is out of the tokens' range, before the user is asked for a PIN.
    func initToken(
        in slot: CK_SLOT_ID, pin present: SharedSecret?, as parameters: CK_RUTOKEN_INIT_PARAM,
        restoring emitentKey: TokenFormat.EmitentKey? = nil
    ) throws(CKError) {
        func number(
            _ value: CK_ULONG, _ name: StaticString, in range: ClosedRange<Int>
        ) throws(CKError) -> Int {
            guard range.contains(Int(clamping: value)) else {
                throw .argumentsBad("\(name) is \(value), not \(range.lowerBound) to \(range.upperBound)")
            }
            return Int(clamping: value)
        }
        let lengths = TokenFormat.minimumLengths
        let minimumSO = try unsafe number(parameters.ulMinAdminPinLen, "ulMinAdminPinLen", in: lengths)
        let minimumUser = try unsafe number(parameters.ulMinUserPinLen, "ulMinUserPinLen", in: lengths)
        let triesSO = try unsafe number(
            parameters.ulMaxAdminRetryCount, "ulMaxAdminRetryCount", in: TokenFormat.officerTries)
        let triesUser = try unsafe number(
            parameters.ulMaxUserRetryCount, "ulMaxUserRetryCount", in: TokenFormat.userTries)
        let policy = try unsafe number(
            parameters.ChangeUserPINPolicy, "ChangeUserPINPolicy", in: TokenFormat.changePolicies)
        let pinSO = try unsafe pin(parameters.pNewAdminPin, parameters.ulNewAdminPinLen, "pNewAdminPin", of: self)
        let pinUser = try unsafe pin(parameters.pNewUserPin, parameters.ulNewUserPinLen, "pNewUserPin", of: self)
        let hasLabel = unsafe parameters.pTokenLabel != nil
        let label =
            try unsafe hasLabel
            ? bytes(parameters.pTokenLabel, parameters.ulLabelLen, "pTokenLabel", atMost: TokenSlot.nameLimit) : []
        let isRepair = unsafe parameters.UseRepairMode != 0
        try initToken(
            in: slot, pin: present, newPINs: (pinSO, pinUser), mode: unsafe parameters.ulSmMode
        ) { pinSO, pinUser throws(CKError) in
            let (lengthSO, lengthUser) = (pinSO.secret.count, pinUser.secret.count)
            guard (minimumSO...lengths.upperBound).contains(lengthSO),
                (minimumUser...lengths.upperBound).contains(lengthUser)
            else { throw .pinLengthRange }
            return TokenFormat(
                securityOfficer: .init(value: pinSO.secret.copy(), minimumLength: minimumSO, tries: triesSO),
                user: .init(value: pinUser.secret.copy(), minimumLength: minimumUser, tries: triesUser),
                changePolicy: UInt8(truncatingIfNeeded: policy), label: label, isRepair: isRepair,
                restoresFactoryState: emitentKey != nil, emitentKey: emitentKey)
        }
    }
}

extension CK_RUTOKEN_INIT_PARAM {
    /// The structure of older programs, without ``ulSmMode``.
    private static var shortSize: Int { 104 }

    private static var modes: [CK_ULONG] {
        [
            SECURE_MESSAGING_DEFAULT, SECURE_MESSAGING_BUILT_IN, SECURE_MESSAGING_GOST,
            SECURE_MESSAGING_ENHANCED_GOST, SECURE_MESSAGING_UNSUPPORTED,
        ]
    }

    /// Reads the members that the caller's structure has. Missing ones are 0, the default.
    ///
    /// - Throws: `CKR_ARGUMENTS_BAD` for a structure that is too short, and an unknown mode.
    init(reading pointer: UnsafeMutablePointer<CK_RUTOKEN_INIT_PARAM>) throws(CKError) {
        unsafe self = CK_RUTOKEN_INIT_PARAM()
        let size = try unsafe length(UnsafeRawPointer(pointer).load(as: CK_ULONG.self))
        guard unsafe size >= Self.shortSize else {
            throw .argumentsBad("ulSizeofThisStructure is \(size), which is too small")
        }
        let count = unsafe size < MemoryLayout<Self>.size ? Self.shortSize : MemoryLayout<Self>.size
        unsafe withUnsafeMutableBytes(of: &self) { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: count))
        }
        guard unsafe Self.modes.contains(ulSmMode) else { throw .argumentsBad("ulSmMode is not known") }
    }
}
