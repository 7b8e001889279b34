// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Logging
import Secrets
import SecureChannel
import Token
import Tokens

/// One application with the library loaded and its own store of pairings, or one shared with another application.
struct Application {
    static let password = EmulatedReader.password
    static let userPIN = EmulatedReader.userPIN
    /// The digest that tests sign.
    static let digest = [UInt8](repeating: 1, count: 32)

    let library: Library
    private let store: Folder

    init(
        _ reader: EmulatedReader, store: Folder, interaction: UserInteraction = UserInteraction(),
        configure: (inout TokenSettings) -> Void = { _ in }
    ) {
        self.store = store
        var settings = TokenSettings(
            pairings: .directory(store.path), hostLabel: "test", random: SystemRandom(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        configure(&settings)
        library = Library(readers: reader, settings: settings, interaction: interaction)
    }

    init(_ readers: any ReaderService, store: Folder, settings: TokenSettings) {
        self.store = store
        library = Library(readers: readers, settings: settings)
    }

    func activate(_ password: String = password, slot: CK_SLOT_ID = 0) throws {
        try library.activate(slot, password: Array(password.utf8).span)
    }

    /// Opens a session for reading and writing.
    func open() throws -> CK_SESSION_HANDLE {
        try library.openSession(with: 0, flags: CKF_SERIAL_SESSION | CKF_RW_SESSION)
    }

    func logIn(_ session: CK_SESSION_HANDLE, _ pin: String = userPIN, as user: CK_USER_TYPE = CKU_USER) throws {
        try library.logIn(session, as: user, pin: SharedSecret(copying: Array(pin.utf8)))
    }

    /// Makes a key pair with the mechanism's default parameters.
    func makeKeys(
        _ session: CK_SESSION_HANDLE, _ mechanism: CK_MECHANISM_TYPE = CKM_GOSTR3410_KEY_PAIR_GEN, onToken: Bool = true,
        parameters: [UInt8]? = nil
    ) throws -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
        var template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = [
            (CKA_TOKEN, [onToken ? 1 : 0]), (CKA_ID, [1]), (CKA_LABEL, Array("key".utf8)),
        ]
        if let parameters { template.append((CKA_GOSTR3410_PARAMS, parameters)) }
        let attributes = try Attributes(template: template)
        let keys = try library.withSession(session) { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: mechanism, parameter: []), publicTemplate: attributes, privateTemplate: attributes)
        }
        return (keys.0, keys.1)
    }

    func sign(
        _ session: CK_SESSION_HANDLE, _ key: CK_OBJECT_HANDLE, _ data: [UInt8], _ mechanism: CK_MECHANISM_TYPE
    ) throws -> [UInt8] {
        try library.withSession(session) { session throws(CKError) in
            try session.signInit(Mechanism(type: mechanism, parameter: []), key: key)
        }
        return try library.withSession(session, during: CKF_SIGN) { session throws(CKError) in
            try session.sign(data.span)
        }
    }

    func verify(
        _ session: CK_SESSION_HANDLE, _ key: CK_OBJECT_HANDLE, _ data: [UInt8], _ signature: [UInt8],
        _ mechanism: CK_MECHANISM_TYPE
    ) throws {
        try library.withSession(session) { session throws(CKError) in
            try session.verifyInit(Mechanism(type: mechanism, parameter: []), key: key)
            try session.verify(data.span, signature: signature)
        }
    }

    func find(
        _ session: CK_SESSION_HANDLE, _ template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = []
    ) throws -> [CK_OBJECT_HANDLE] {
        let template = try Attributes(template: template)
        return try library.withSession(session) { session throws(CKError) in
            try session.findObjectsInit(template)
            defer { try? session.findObjectsFinal() }
            return try session.findObjects(limit: 100)
        }
    }

    func attributes(_ session: CK_SESSION_HANDLE, of object: CK_OBJECT_HANDLE) throws -> Attributes {
        try library.withSession(session) { session throws(CKError) in try session.attributes(of: object) }
    }
}

extension CK_ULONG {
    /// The number as an attribute's value holds it.
    var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}

/// The errors that the library gives with a reason only, to compare with.
extension CKError {
    static let actionProhibited = CKError(CKR_ACTION_PROHIBITED)
    static let argumentsBad = CKError(CKR_ARGUMENTS_BAD)
    static let attributeReadOnly = CKError(CKR_ATTRIBUTE_READ_ONLY)
    static let attributeSensitive = CKError(CKR_ATTRIBUTE_SENSITIVE)
    static let attributeTypeInvalid = CKError(CKR_ATTRIBUTE_TYPE_INVALID)
    static let attributeValueInvalid = CKError(CKR_ATTRIBUTE_VALUE_INVALID)
    static let curveNotSupported = CKError(CKR_CURVE_NOT_SUPPORTED)
    static let domainParametersInvalid = CKError(CKR_DOMAIN_PARAMS_INVALID)
    static let keyFunctionNotPermitted = CKError(CKR_KEY_FUNCTION_NOT_PERMITTED)
    static let keyHandleInvalid = CKError(CKR_KEY_HANDLE_INVALID)
    static let keyIndigestible = CKError(CKR_KEY_INDIGESTIBLE)
    static let keyNotNeeded = CKError(CKR_KEY_NOT_NEEDED)
    static let keyNotWrappable = CKError(CKR_KEY_NOT_WRAPPABLE)
    static let keySizeRange = CKError(CKR_KEY_SIZE_RANGE)
    static let keyTypeInconsistent = CKError(CKR_KEY_TYPE_INCONSISTENT)
    static let keyUnextractable = CKError(CKR_KEY_UNEXTRACTABLE)
    static let mechanismInvalid = CKError(CKR_MECHANISM_INVALID)
    static let mechanismParameterInvalid = CKError(CKR_MECHANISM_PARAM_INVALID)
    static let sessionReadOnly = CKError(CKR_SESSION_READ_ONLY)
    static let templateIncomplete = CKError(CKR_TEMPLATE_INCOMPLETE)
    static let templateInconsistent = CKError(CKR_TEMPLATE_INCONSISTENT)
    static let userNotLoggedIn = CKError(CKR_USER_NOT_LOGGED_IN)
    static let wrappedKeyInvalid = CKError(CKR_WRAPPED_KEY_INVALID)
    static let wrappedKeyLengthRange = CKError(CKR_WRAPPED_KEY_LEN_RANGE)
    static let wrappingKeyTypeInconsistent = CKError(CKR_WRAPPING_KEY_TYPE_INCONSISTENT)
}
