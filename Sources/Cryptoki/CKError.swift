import APDU
public import CCryptoki
import SecureChannel
import Storage
import Token

/// A Cryptoki return value other than `CKR_OK` (PKCS #11 v2.40, 5.1), and for the log why it is returned.
///
/// Two errors are equal if their values are.
public struct CKError: Error, RawRepresentable, Sendable {
    public let rawValue: CK_RV
    /// Why; nil where the value says it all, and where nobody reads it.
    public let reason: Reason?

    public init(rawValue: CK_RV) { self.init(rawValue) }

    public init(_ rawValue: CK_RV) {
        self.rawValue = rawValue
        reason = nil
    }

    /// - Parameter reason: Not called where nobody reads it.
    public init(_ rawValue: CK_RV, _ reason: @autoclosure () -> Reason) {
        self.rawValue = rawValue
        self.reason = Reason.isWanted ? reason() : nil
    }

    /// The same value for another reason, which can tell of the present one.
    public func because(_ reason: (Reason) -> Reason) -> CKError {
        CKError(rawValue, reason(self.reason ?? "it is refused"))
    }

    public static let actionProhibited = CKError(CKR_ACTION_PROHIBITED)
    public static let argumentsBad = CKError(CKR_ARGUMENTS_BAD)
    public static let attributeReadOnly = CKError(CKR_ATTRIBUTE_READ_ONLY)
    public static let attributeSensitive = CKError(CKR_ATTRIBUTE_SENSITIVE)
    public static let attributeTypeInvalid = CKError(CKR_ATTRIBUTE_TYPE_INVALID)
    public static let attributeValueInvalid = CKError(CKR_ATTRIBUTE_VALUE_INVALID)
    public static let bufferTooSmall = CKError(CKR_BUFFER_TOO_SMALL)
    public static let cannotLock = CKError(CKR_CANT_LOCK)
    public static let alreadyInitialised = CKError(CKR_CRYPTOKI_ALREADY_INITIALIZED)
    public static let notInitialised = CKError(CKR_CRYPTOKI_NOT_INITIALIZED)
    public static let dataLengthRange = CKError(CKR_DATA_LEN_RANGE)
    public static let deviceError = CKError(CKR_DEVICE_ERROR)
    public static let deviceMemory = CKError(CKR_DEVICE_MEMORY)
    public static let deviceRemoved = CKError(CKR_DEVICE_REMOVED)
    public static let domainParametersInvalid = CKError(CKR_DOMAIN_PARAMS_INVALID)
    public static let functionNotParallel = CKError(CKR_FUNCTION_NOT_PARALLEL)
    public static let functionNotSupported = CKError(CKR_FUNCTION_NOT_SUPPORTED)
    public static let generalError = CKError(CKR_GENERAL_ERROR)
    public static let hostMemory = CKError(CKR_HOST_MEMORY)
    public static let keyFunctionNotPermitted = CKError(CKR_KEY_FUNCTION_NOT_PERMITTED)
    public static let keyHandleInvalid = CKError(CKR_KEY_HANDLE_INVALID)
    public static let keyTypeInconsistent = CKError(CKR_KEY_TYPE_INCONSISTENT)
    public static let mechanismInvalid = CKError(CKR_MECHANISM_INVALID)
    public static let mechanismParameterInvalid = CKError(CKR_MECHANISM_PARAM_INVALID)
    public static let objectHandleInvalid = CKError(CKR_OBJECT_HANDLE_INVALID)
    public static let noEvent = CKError(CKR_NO_EVENT)
    public static let operationActive = CKError(CKR_OPERATION_ACTIVE)
    public static let operationNotInitialised = CKError(CKR_OPERATION_NOT_INITIALIZED)
    public static let pinIncorrect = CKError(CKR_PIN_INCORRECT)
    public static let pinLengthRange = CKError(CKR_PIN_LEN_RANGE)
    public static let pinLocked = CKError(CKR_PIN_LOCKED)
    public static let sessionExists = CKError(CKR_SESSION_EXISTS)
    public static let sessionHandleInvalid = CKError(CKR_SESSION_HANDLE_INVALID)
    public static let sessionParallelNotSupported = CKError(CKR_SESSION_PARALLEL_NOT_SUPPORTED)
    public static let sessionReadOnly = CKError(CKR_SESSION_READ_ONLY)
    public static let sessionReadOnlyExists = CKError(CKR_SESSION_READ_ONLY_EXISTS)
    public static let sessionReadWriteSOExists = CKError(CKR_SESSION_READ_WRITE_SO_EXISTS)
    public static let signatureInvalid = CKError(CKR_SIGNATURE_INVALID)
    public static let signatureLengthRange = CKError(CKR_SIGNATURE_LEN_RANGE)
    public static let slotIDInvalid = CKError(CKR_SLOT_ID_INVALID)
    public static let templateIncomplete = CKError(CKR_TEMPLATE_INCOMPLETE)
    public static let templateInconsistent = CKError(CKR_TEMPLATE_INCONSISTENT)
    public static let tokenNotPresent = CKError(CKR_TOKEN_NOT_PRESENT)
    public static let tokenNotRecognised = CKError(CKR_TOKEN_NOT_RECOGNIZED)
    public static let userAlreadyLoggedIn = CKError(CKR_USER_ALREADY_LOGGED_IN)
    public static let userAnotherAlreadyLoggedIn = CKError(CKR_USER_ANOTHER_ALREADY_LOGGED_IN)
    public static let userNotLoggedIn = CKError(CKR_USER_NOT_LOGGED_IN)
    public static let userTypeInvalid = CKError(CKR_USER_TYPE_INVALID)
    /// The activation password is wrong or malformed (vendor, 0x80000006).
    public static let activationPasswordInvalid = CKError(0x8000_0006)
    /// The signature is good, and no path leads from the signer's certificate to a trusted one.
    public static let certificateChainNotVerified = CKError(CKR_CERT_CHAIN_NOT_VERIFIED)
}

extension CKError {
    /// What an application learns of a token's error.
    init(_ error: TokenError) {
        self =
            switch error {
            case .link(let error): CKError(error)
            case .channel(let error): CKError(error)
            case .activationNeeded: .functionNotSupported
            case .pinIncorrect: .pinIncorrect
            case .pinLength: .pinLengthRange
            case .pinLocked: .pinLocked
            case .notLoggedIn: .userNotLoggedIn
            case .notFound: .objectHandleInvalid
            case .anotherToken: .deviceRemoved
            case .memoryFull: .deviceMemory
            case .unsupported: .tokenNotRecognised
            case .faulty, .initialisationPhase, .malformedAnswer, .refused: .deviceError
            }
    }

    /// What an application learns when the card cannot be reached.
    init(_ error: LinkError) {
        self =
            switch error {
            case .noCard, .mute: .tokenNotPresent
            case .noService, .removed: .deviceRemoved
            case .noDescriptors: .hostMemory
            case .refused, .randomUnavailable: CKError(CKR_FUNCTION_FAILED)
            case .reset, .sharingViolation, .transmission, .malformed, .channelBroken: .deviceError
            }
    }

    /// What an application learns when pairing or opening fails (gsc1, 15.1).
    private init(_ error: ChannelError) {
        self =
            switch error {
            case .link(let error): CKError(error)
            case .passwordInvalid, .passwordRejected, .slotUnusable: .activationPasswordInvalid
            case .slotBlocked: .pinLocked
            case .tableFull: .deviceMemory
            case .unknownRecord, .profileUnsupported, .profileRaised: .functionNotSupported
            case .storage(.noDescriptors): .hostMemory
            case .storage: CKError(CKR_FUNCTION_FAILED)
            default: .deviceError
            }
    }
}

extension ActivationPassword {
    /// Reads a password as a user typed it; what cannot be one is refused before anything reaches the token.
    static func cryptoki(_ text: Span<UInt8>) throws(CKError) -> ActivationPassword {
        do { return try ActivationPassword(text) } catch { throw CKError(.channel(error)) }
    }
}
