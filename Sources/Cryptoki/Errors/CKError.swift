// SPDX-License-Identifier: Apache-2.0

import APDU
package import Asking
package import CCryptoki
import Containers
import GOST
import HostCrypto
import Secrets
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
    /// The error of the call that works with tokens, if the call failed for that.
    private var cause: TokensError?

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
    /// The return value for an error of the floors below.
    package init(_ error: some ReturnValueError) {
        rawValue = error.returnValue
        reason = Reason.isWanted ? error.reason : nil
    }

    /// The return value for the error of a call that works with tokens.
    package init(_ error: TokensError) {
        rawValue = error.returnValue
        reason = Reason.isWanted ? error.reason : nil
        cause = error
    }

    /// The return value for a ciphertext that does not decrypt.
    init(decryption error: HostCryptoError) {
        self = error == .invalidLength ? .encryptedDataLengthRange : CKError(error)
    }

    /// A computation of libcrypto fails, with the reason if libcrypto is missing.
    static var hostFailed: CKError { CKError(HostCryptoError.libraryFailure) }
}

extension CKError {
    package static let dataInvalid = CKError(CKR_DATA_INVALID)
    static let encryptedDataInvalid = CKError(CKR_ENCRYPTED_DATA_INVALID)
    static let encryptedDataLengthRange = CKError(CKR_ENCRYPTED_DATA_LEN_RANGE)
    static let functionFailed = CKError(CKR_FUNCTION_FAILED)
    static let savedStateInvalid = CKError(CKR_SAVED_STATE_INVALID)
    static let stateUnsaveable = CKError(CKR_STATE_UNSAVEABLE)
}

/// Runs `body`, and maps its error to a return value.
func tokensError<Result: ~Copyable>(_ body: () throws(TokensError) -> Result) throws(CKError) -> Result {
    do throws(TokensError) { return try body() } catch { throw CKError(error) }
}

extension CKError: TokenCallError {
    package var isRemoval: Bool { self == .deviceRemoved }
    package var needsActivation: Bool { cause?.needsActivation == true }
    package var unanswered: AskingError? { cause?.unanswered }

    /// The tries left after a wrong password, as the token reports them.
    package var triesLeft: Int? {
        if case .channel(.passwordRejected(let count)) = cause?.tokenError { count } else { nil }
    }

    package func following(_ reason: TokensError) -> CKError { following(CKError(reason)) }

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
    package var name: String { ReturnValue(rawValue: rawValue).name }

    /// The value's number in eight hexadecimal digits, its name, and the reason.
    package var line: String {
        var line = "0x" + rawValue.hexadecimal(digits: 8).uppercased()
        if let name = ReturnValue(rawValue: rawValue).knownName { line += " " + name.description }
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
