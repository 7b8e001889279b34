// SPDX-License-Identifier: Apache-2.0

import APDU
package import Asking
package import CCryptoki
import Containers
import GOST
import HostCrypto
import SecureChannel
import Storage
import Token
package import Tokens
package import Translation

/// A Cryptoki return value other than `CKR_OK` (PKCS #11 v2.40, 5.1), and its reason for the log.
///
/// Two errors are equal if their values are.
package struct CKError: Error, RawRepresentable, Sendable {
    package let rawValue: CK_RV
    /// nil if the value is self-explanatory or the log is off.
    package let reason: Reason?
    /// The tries that the token says are left for a password that was wrong.
    package private(set) var triesLeft: Int?
    /// How a question to the user ended without an answer, if the call failed for that.
    package private(set) var unanswered: AskingError?

    package init(rawValue: CK_RV) { self.init(rawValue) }

    package init(_ rawValue: CK_RV) {
        self.rawValue = rawValue
        reason = nil
    }

    /// - Parameter reason: Not evaluated if the log is off.
    package init(_ rawValue: CK_RV, _ reason: @autoclosure () -> Reason) {
        self.rawValue = rawValue
        self.reason = Reason.isWanted ? reason() : nil
    }

    /// The same reason under another value.
    func renamed(_ rawValue: CK_RV) -> CKError { CKError(rawValue, reason ?? "it is refused") }

    /// This error of a call that met others before, with the reasons of all, as far as they fit one line.
    package func following(_ earlier: CKError?) -> CKError {
        guard let earlier else { return self }
        return CKError(rawValue, earlier.reason.map { $0.joined(with: reason) } ?? reason ?? "it is refused")
    }

    /// The same error, of a call with this mechanism.
    package func naming(_ mechanism: CK_MECHANISM_TYPE) -> CKError {
        CKError(rawValue, reason.map { "\(mechanism: mechanism): \($0)" } ?? "\(mechanism: mechanism)")
    }

    package static let bufferTooSmall = CKError(CKR_BUFFER_TOO_SMALL)
    package static let cannotLock = CKError(CKR_CANT_LOCK)
    package static let alreadyInitialised = CKError(CKR_CRYPTOKI_ALREADY_INITIALIZED)
    package static let notInitialised = CKError(CKR_CRYPTOKI_NOT_INITIALIZED)
    package static let dataLengthRange = CKError(CKR_DATA_LEN_RANGE)
    package static let deviceError = CKError(CKR_DEVICE_ERROR)
    package static let deviceMemory = CKError(CKR_DEVICE_MEMORY)
    package static let deviceRemoved = CKError(CKR_DEVICE_REMOVED)
    package static let functionCanceled = CKError(CKR_FUNCTION_CANCELED)
    package static let functionNotParallel = CKError(CKR_FUNCTION_NOT_PARALLEL)
    package static let functionNotSupported = CKError(CKR_FUNCTION_NOT_SUPPORTED)
    package static let generalError = CKError(CKR_GENERAL_ERROR)
    package static let hostMemory = CKError(CKR_HOST_MEMORY)
    package static let objectHandleInvalid = CKError(CKR_OBJECT_HANDLE_INVALID)
    package static let noEvent = CKError(CKR_NO_EVENT)
    package static let operationActive = CKError(CKR_OPERATION_ACTIVE)
    package static let operationNotInitialised = CKError(CKR_OPERATION_NOT_INITIALIZED)
    package static let pinIncorrect = CKError(CKR_PIN_INCORRECT)
    package static let pinLengthRange = CKError(CKR_PIN_LEN_RANGE)
    package static let pinLocked = CKError(CKR_PIN_LOCKED)
    package static let sessionClosed = CKError(CKR_SESSION_CLOSED)
    package static let sessionExists = CKError(CKR_SESSION_EXISTS)
    package static let sessionHandleInvalid = CKError(CKR_SESSION_HANDLE_INVALID)
    package static let sessionParallelNotSupported = CKError(CKR_SESSION_PARALLEL_NOT_SUPPORTED)
    package static let sessionReadOnlyExists = CKError(CKR_SESSION_READ_ONLY_EXISTS)
    package static let sessionReadWriteSOExists = CKError(CKR_SESSION_READ_WRITE_SO_EXISTS)
    package static let signatureInvalid = CKError(CKR_SIGNATURE_INVALID)
    package static let signatureLengthRange = CKError(CKR_SIGNATURE_LEN_RANGE)
    package static let slotIDInvalid = CKError(CKR_SLOT_ID_INVALID)
    package static let tokenNotPresent = CKError(CKR_TOKEN_NOT_PRESENT)
    package static let userAlreadyLoggedIn = CKError(CKR_USER_ALREADY_LOGGED_IN)
    package static let userAnotherAlreadyLoggedIn = CKError(CKR_USER_ANOTHER_ALREADY_LOGGED_IN)
    package static let userTypeInvalid = CKError(CKR_USER_TYPE_INVALID)
    /// The activation password is wrong or malformed.
    package static let activationPasswordInvalid = CKError(CKR_SM_PASSWORD_INVALID)
    /// The signature is good, and no path leads from the signer's certificate to a trusted one.
    package static let certificateChainNotVerified = CKError(CKR_CERT_CHAIN_NOT_VERIFIED)
}

extension CKError {
    /// The return value for a token's error.
    ///
    /// - Parameter exchange: The card's last answer.
    init(_ error: TokenError, after exchange: CardExchange? = nil) {
        let code =
            switch error {
            case .link(let error): Self.code(error)
            case .channel(let error): Self.code(error)
            case .activationNeeded, .keepsFilesOnly: CKR_FUNCTION_NOT_SUPPORTED
            case .holdsContainers: CKR_ACTION_PROHIBITED
            case .readOnly: CKR_TOKEN_WRITE_PROTECTED
            case .pinIncorrect: CKR_PIN_INCORRECT
            case .pinLength: CKR_PIN_LEN_RANGE
            case .pinLocked: CKR_PIN_LOCKED
            case .notLoggedIn: CKR_USER_NOT_LOGGED_IN
            case .forbiddenByPolicy: CKR_FUNCTION_REJECTED
            case .notFound: CKR_OBJECT_HANDLE_INVALID
            case .anotherToken: CKR_DEVICE_REMOVED
            case .memoryFull: CKR_DEVICE_MEMORY
            case .unsupported: CKR_TOKEN_NOT_RECOGNIZED
            case .container(.failure): CKR_FUNCTION_FAILED
            case .container(.password), .container(.passwordNotNeeded): CKR_PIN_INCORRECT
            case .faulty, .initialisationPhase, .malformedAnswer, .container, .refused: CKR_DEVICE_ERROR
            }
        self.init(code, Reason(error, after: exchange))
        if case .channel(.passwordRejected(let count)) = error { triesLeft = count }
    }

    /// The return value for the error of a call that works with tokens.
    package init(_ error: TokensError) {
        switch error {
        case .token(let error, let exchange): self.init(error, after: exchange)
        case .keyDeleted: self = .keyHandleInvalid("the token no longer has the key")
        case .noCard: self = .tokenNotPresent
        case .noSlot: self = .slotIDInvalid
        case .ended: self = .notInitialised
        case .sessionsOpen: self = .sessionExists
        case .noMemory: self = .hostMemory
        case .notSupported, .notActivated(nil): self = .functionNotSupported
        case .notActivated(let reason?): self = CKError.functionNotSupported.following(CKError(reason))
        case .withoutChannel:
            self.init(
                CKR_FUNCTION_NOT_SUPPORTED, "the token is used without a secure channel, and is paired with no host")
        case .noPairing:
            self.init(CKR_OBJECT_HANDLE_INVALID, "there is no pairing with a token of this serial number")
        case .localPINUnset: self = .deviceError
        case .unanswered(let error): self.init(error)
        case .pinMissing(isNew: false):
            self = .argumentsBad("a PIN is NULL, and the configuration names no program that asks for it")
        case .pinMissing(isNew: true):
            self = .argumentsBad("a new PIN is NULL, and the authenticator is a file, which has the present one")
        case .tooManyQuestions: self = .functionFailed
        case .sessionEnded: self = .sessionHandleInvalid
        case .computation(let error): self.init(error)
        case .gost(let error): self.init(error)
        case .refused(let subject, let reason): self.init(Self.code(subject), reason)
        }
    }

    private static func code(_ subject: TokensError.Refusal) -> CK_RV {
        switch subject {
        case .arguments: CKR_ARGUMENTS_BAD
        case .object: CKR_OBJECT_HANDLE_INVALID
        case .permission: CKR_KEY_FUNCTION_NOT_PERMITTED
        case .mechanism: CKR_MECHANISM_INVALID
        case .keyType: CKR_KEY_TYPE_INCONSISTENT
        case .keyParameters: CKR_DOMAIN_PARAMS_INVALID
        case .keySize: CKR_KEY_SIZE_RANGE
        case .action: CKR_ACTION_PROHIBITED
        case .data: CKR_DATA_INVALID
        case .parameter: CKR_MECHANISM_PARAM_INVALID
        }
    }

    /// The return value for a question to the user without an answer.
    init(_ error: AskingError) {
        switch error {
        case .cancelled: self.init(CKR_FUNCTION_CANCELED, "the user said no")
        case .failed: self.init(CKR_FUNCTION_FAILED, "the user could not be asked, or did not answer in time")
        case .notInstalled: self.init(CKR_FUNCTION_FAILED, "the authenticator is not there, or cannot run")
        case .notConfigured:
            self.init(
                CKR_FUNCTION_FAILED,
                "no way to ask the user is configured, or the process has more rights than its user")
        }
        unanswered = error
    }

    /// The return value for a card that cannot be reached.
    init(_ error: LinkError) { self.init(Self.code(error), Reason(error)) }

    private static func code(_ error: LinkError) -> CK_RV {
        switch error {
        case .noCard, .mute: CKR_TOKEN_NOT_PRESENT
        case .noService, .incompatible, .noLibrary, .redirected, .rootChanged, .removed: CKR_DEVICE_REMOVED
        case .noDescriptors: CKR_HOST_MEMORY
        case .refused, .connectionsUsedUp, .randomUnavailable: CKR_FUNCTION_FAILED
        case .reset, .sharingViolation, .kept, .transmission, .malformed, .channelBroken: CKR_DEVICE_ERROR
        }
    }

    /// The return value for a pairing or opening that fails (GSC/1, 15.1).
    private static func code(_ error: ChannelError) -> CK_RV {
        switch error {
        case .link(let error): code(error)
        case .passwordInvalid, .passwordRejected, .slotUnusable: activationPasswordInvalid.rawValue
        case .slotBlocked: CKR_PIN_LOCKED
        case .tableFull: CKR_DEVICE_MEMORY
        case .unknownRecord, .profileUnsupported, .profileRaised: CKR_FUNCTION_NOT_SUPPORTED
        case .outOfMemory, .storage(.noDescriptors): CKR_HOST_MEMORY
        case .storage: CKR_FUNCTION_FAILED
        default: CKR_DEVICE_ERROR
        }
    }
}

extension CKError {
    package static let dataInvalid = CKError(CKR_DATA_INVALID)
    static let encryptedDataInvalid = CKError(CKR_ENCRYPTED_DATA_INVALID)
    static let encryptedDataLengthRange = CKError(CKR_ENCRYPTED_DATA_LEN_RANGE)
    static let functionFailed = CKError(CKR_FUNCTION_FAILED)
    static let savedStateInvalid = CKError(CKR_SAVED_STATE_INVALID)
    static let stateUnsaveable = CKError(CKR_STATE_UNSAVEABLE)

    /// The return value for a computation of GOST that fails on the host.
    init(_ error: GOSTError) {
        self =
            switch error {
            case .invalidPoint: .domainParametersInvalid("a point is not on its curve")
            case .invalidParameter: .domainParametersInvalid("a parameter set is not known")
            case .invalidLength: .dataLengthRange
            case .invalidIVLength: .mechanismParameterInvalid("the parameter has a wrong length or form")
            case .invalidKeyLength: .keySizeRange("the key has a length that the algorithm does not take")
            case .outOfMemory: CKError(CKR_HOST_MEMORY, "the system provides no memory")
            default: .functionFailed
            }
    }

    /// The return value for an error of libcrypto.
    init(_ error: HostCryptoError) {
        self =
            switch error {
            case .invalidKey: .domainParametersInvalid("invalid key components")
            case .invalidPoint: .domainParametersInvalid("a point is not on its curve")
            case .unsupportedKeySize: .keySizeRange("the key has a length that the library does not take")
            case .keyTooShort: .keySizeRange("the key is too short for the scheme")
            case .invalidParameter: .mechanismParameterInvalid("the parameter is refused by the algorithm")
            case .invalidLength: .dataLengthRange
            case .valueOutOfRange: .dataInvalid
            case .invalidSignatureLength: .signatureLengthRange
            case .invalidSignature: .signatureInvalid
            case .decryptionFailed: .encryptedDataInvalid
            case .outOfMemory: CKError(CKR_HOST_MEMORY, "the system provides no memory")
            default: .hostFailed
            }
    }

    /// A computation of libcrypto fails, with the reason if libcrypto is missing.
    static var hostFailed: CKError {
        guard let reason = Reason(LibraryContext.presence) else { return .functionFailed }
        return CKError(CKR_FUNCTION_FAILED, reason)
    }

    /// The return value for a ciphertext that does not decrypt.
    init(decryption error: HostCryptoError) {
        self = error == .invalidLength ? .encryptedDataLengthRange : CKError(error)
    }
}

/// Runs `body`, and maps its error to a return value.
func tokensError<Result: ~Copyable>(_ body: () throws(TokensError) -> Result) throws(CKError) -> Result {
    do throws(TokensError) { return try body() } catch { throw CKError(error) }
}

extension CKError: TokenCallError {
    package var isRemoval: Bool { self == .deviceRemoved }

    package var pinFault: PINFault? {
        switch self {
        case .pinIncorrect: .incorrect
        case .pinLengthRange: .length
        default: nil
        }
    }
}

extension CKError: Hashable {
    package static func == (first: CKError, second: CKError) -> Bool { first.rawValue == second.rawValue }
    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The value's name; its number in hexadecimal digits if it has none.
    package var name: String { Names.returnValue(rawValue)?.description ?? "0x" + String(rawValue, radix: 16) }

    /// The value's number in eight hexadecimal digits, its name, and the reason.
    package var line: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        var line = "0x" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        if let name = Names.returnValue(rawValue) { line += " " + name.description }
        if let reason { line += ": " + reason.description }
        return line
    }

    /// The identifier of the line; nil if programs ask for what may not be there, and the answer is not a fault.
    package var messageID: MessageID? {
        if let id = reason?.id { return id }
        return switch rawValue {
        case CKR_ATTRIBUTE_SENSITIVE, CKR_ATTRIBUTE_TYPE_INVALID, CKR_BUFFER_TOO_SMALL, CKR_NO_EVENT,
            CKR_CRYPTOKI_ALREADY_INITIALIZED:
            nil
        case CKR_DEVICE_MEMORY: .tokenFull
        case CKR_DEVICE_REMOVED: .cardRemoved
        case CKR_MECHANISM_INVALID: .callMechanism
        case CKR_PIN_INCORRECT: .pinWrong
        case CKR_PIN_LOCKED: .pinLocked
        case CKR_SM_PASSWORD_INVALID: .passwordWrong
        case CKR_USER_NOT_LOGGED_IN: .loginNeeded
        default: .callRefused
        }
    }
}

/// Refusals of arguments, and of functions without the right to them. Each names its subject and its cause.
extension CKError {
    /// A return value that always has a reason.
    package struct Refusal: Sendable {
        fileprivate let rawValue: CK_RV

        package func callAsFunction(_ reason: @autoclosure () -> Reason) -> CKError { CKError(rawValue, reason()) }
    }

    package static let actionProhibited = Refusal(rawValue: CKR_ACTION_PROHIBITED)
    package static let argumentsBad = Refusal(rawValue: CKR_ARGUMENTS_BAD)
    package static let attributeReadOnly = Refusal(rawValue: CKR_ATTRIBUTE_READ_ONLY)
    package static let attributeSensitive = Refusal(rawValue: CKR_ATTRIBUTE_SENSITIVE)
    package static let attributeTypeInvalid = Refusal(rawValue: CKR_ATTRIBUTE_TYPE_INVALID)
    package static let attributeValueInvalid = Refusal(rawValue: CKR_ATTRIBUTE_VALUE_INVALID)
    static let curveNotSupported = Refusal(rawValue: CKR_CURVE_NOT_SUPPORTED)
    static let domainParametersInvalid = Refusal(rawValue: CKR_DOMAIN_PARAMS_INVALID)
    static let keyFunctionNotPermitted = Refusal(rawValue: CKR_KEY_FUNCTION_NOT_PERMITTED)
    static let keyHandleInvalid = Refusal(rawValue: CKR_KEY_HANDLE_INVALID)
    static let keyIndigestible = Refusal(rawValue: CKR_KEY_INDIGESTIBLE)
    static let keyNotNeeded = Refusal(rawValue: CKR_KEY_NOT_NEEDED)
    static let keyNotWrappable = Refusal(rawValue: CKR_KEY_NOT_WRAPPABLE)
    static let keySizeRange = Refusal(rawValue: CKR_KEY_SIZE_RANGE)
    static let keyTypeInconsistent = Refusal(rawValue: CKR_KEY_TYPE_INCONSISTENT)
    static let keyUnextractable = Refusal(rawValue: CKR_KEY_UNEXTRACTABLE)
    static let mechanismInvalid = Refusal(rawValue: CKR_MECHANISM_INVALID)
    package static let mechanismParameterInvalid = Refusal(rawValue: CKR_MECHANISM_PARAM_INVALID)
    static let sessionReadOnly = Refusal(rawValue: CKR_SESSION_READ_ONLY)
    static let templateIncomplete = Refusal(rawValue: CKR_TEMPLATE_INCOMPLETE)
    static let templateInconsistent = Refusal(rawValue: CKR_TEMPLATE_INCONSISTENT)
    static let userNotLoggedIn = Refusal(rawValue: CKR_USER_NOT_LOGGED_IN)
    static let wrappedKeyInvalid = Refusal(rawValue: CKR_WRAPPED_KEY_INVALID)
    static let wrappedKeyLengthRange = Refusal(rawValue: CKR_WRAPPED_KEY_LEN_RANGE)
    static let wrappingKeyTypeInconsistent = Refusal(rawValue: CKR_WRAPPING_KEY_TYPE_INCONSISTENT)
}
