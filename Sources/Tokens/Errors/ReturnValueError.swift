// SPDX-License-Identifier: Apache-2.0
package import APDU
package import Asking
package import CCryptoki
import Containers
package import GOST
package import HostCrypto
import SecureChannel
import Storage
import Token

/// An error for which PKCS #11 has a return value: the one table, for callers of the library and of KanalKit.
package protocol ReturnValueError: Error {
    var returnValue: CK_RV { get }
    /// The cause in words; nil if the return value suffices.
    var reason: Reason? { get }
}

extension ReturnValueError {
    /// The name of the return value.
    package var code: String { ReturnValue(rawValue: returnValue).name }
}

extension TokensError: ReturnValueError {
    package var returnValue: CK_RV {
        switch self {
        case .token(let error, _): error.returnValue
        case .noCard: CKR_TOKEN_NOT_PRESENT
        case .noSlot: CKR_SLOT_ID_INVALID
        case .ended: CKR_CRYPTOKI_NOT_INITIALIZED
        case .sessionsOpen: CKR_SESSION_EXISTS
        case .sessionEnded: CKR_SESSION_HANDLE_INVALID
        case .noMemory: CKR_HOST_MEMORY
        case .notSupported, .notActivated, .withoutChannel: CKR_FUNCTION_NOT_SUPPORTED
        case .keyDeleted: CKR_KEY_HANDLE_INVALID
        case .noPairing: CKR_OBJECT_HANDLE_INVALID
        case .localPINUnset: CKR_DEVICE_ERROR
        case .pinMissing: CKR_ARGUMENTS_BAD
        case .tooManyQuestions: CKR_FUNCTION_FAILED
        case .unanswered(let error): error.returnValue
        case .computation(let error): error.returnValue
        case .gost(let error): error.returnValue
        case .refused(let subject, _): subject.returnValue
        }
    }

    package var reason: Reason? {
        switch self {
        case .token(let error, let exchange): Reason(error, after: exchange)
        case .refused(_, let reason): reason
        case .keyDeleted: "the token no longer has the key"
        case .sessionsOpen: "this program has open sessions with the token"
        case .noMemory: "the process has neither memory nor file descriptors left"
        case .notSupported: "the token does not have this function, or not in its present state"
        case .notActivated(let reason): reason?.reason
        case .withoutChannel: "the token is used without a secure channel, and is paired with no host"
        case .noPairing: "there is no pairing with a token of this serial number"
        case .localPINUnset: "the local PIN has no value"
        case .pinMissing(isNew: false): "a PIN is NULL, and the configuration names no program that asks for it"
        case .pinMissing(isNew: true):
            "a new PIN is NULL, and the authenticator is a file, which has the present one"
        case .unanswered(let error): error.reason
        case .computation(let error): error.reason
        case .gost(let error): error.reason
        case .noCard, .noSlot, .ended, .sessionEnded, .tooManyQuestions: nil
        }
    }
}

extension TokensError.Refusal {
    fileprivate var returnValue: CK_RV {
        switch self {
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
}

extension TokenError {
    fileprivate var returnValue: CK_RV {
        switch self {
        case .link(let error): error.returnValue
        case .channel(let error): error.returnValue
        case .activationNeeded, .keepsFilesOnly: CKR_FUNCTION_NOT_SUPPORTED
        case .holdsContainers: CKR_ACTION_PROHIBITED
        case .readOnly: CKR_TOKEN_WRITE_PROTECTED
        case .pinIncorrect: CKR_PIN_INCORRECT
        case .notTyped(.cancelled), .notTyped(.timedOut): CKR_FUNCTION_CANCELED
        case .notTyped(.mismatch): CKR_PIN_INVALID
        case .notTyped(.length): CKR_PIN_LEN_RANGE
        case .notTyped(.unsupported): CKR_DEVICE_ERROR
        case .pinLength: CKR_PIN_LEN_RANGE
        case .pinLocked: CKR_PIN_LOCKED
        case .pinNotSet: CKR_USER_PIN_NOT_INITIALIZED
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
    }
}

/// A card that cannot be reached.
extension LinkError: ReturnValueError {
    package var returnValue: CK_RV {
        switch self {
        case .noCard, .mute: CKR_TOKEN_NOT_PRESENT
        case .noService, .incompatible, .noLibrary, .redirected, .rootChanged, .removed: CKR_DEVICE_REMOVED
        case .noDescriptors: CKR_HOST_MEMORY
        case .refused, .connectionsUsedUp, .randomUnavailable: CKR_FUNCTION_FAILED
        case .reset, .sharingViolation, .kept, .transmission, .malformed, .channelBroken: CKR_DEVICE_ERROR
        }
    }

    package var reason: Reason? { Reason(self) }
}

extension ChannelError {
    /// For a pairing or opening that fails (GSC/1, 15.1).
    fileprivate var returnValue: CK_RV {
        switch self {
        case .link(let error): error.returnValue
        case .passwordInvalid, .passwordRejected, .slotUnusable: CKR_SM_PASSWORD_INVALID
        case .slotBlocked: CKR_PIN_LOCKED
        case .tableFull: CKR_DEVICE_MEMORY
        case .unknownRecord, .profileUnsupported, .profileRaised: CKR_FUNCTION_NOT_SUPPORTED
        case .outOfMemory, .storage(.noDescriptors): CKR_HOST_MEMORY
        case .storage: CKR_FUNCTION_FAILED
        default: CKR_DEVICE_ERROR
        }
    }
}

/// A question to the user without an answer.
extension AskingError: ReturnValueError {
    package var returnValue: CK_RV {
        switch self {
        case .cancelled: CKR_FUNCTION_CANCELED
        case .failed, .notInstalled, .notConfigured: CKR_FUNCTION_FAILED
        }
    }

    package var reason: Reason? {
        switch self {
        case .cancelled: "the user said no"
        case .failed: "the user could not be asked, or did not answer in time"
        case .notInstalled: "the authenticator is not there, or cannot run"
        case .notConfigured: "no way to ask the user is configured, or the process has more rights than its user"
        }
    }
}

/// A computation of GOST on the host.
extension GOSTError: ReturnValueError {
    package var returnValue: CK_RV {
        switch self {
        case .invalidPoint, .invalidParameter: CKR_DOMAIN_PARAMS_INVALID
        case .invalidLength: CKR_DATA_LEN_RANGE
        case .invalidIVLength: CKR_MECHANISM_PARAM_INVALID
        case .invalidKeyLength: CKR_KEY_SIZE_RANGE
        case .outOfMemory: CKR_HOST_MEMORY
        default: CKR_FUNCTION_FAILED
        }
    }

    package var reason: Reason? {
        switch self {
        case .invalidPoint: "a point is not on its curve"
        case .invalidParameter: "the parameter set is unknown"
        case .invalidLength: "the input's length does not suit the algorithm"
        case .invalidIVLength: "the length or the form of the parameter is wrong"
        case .invalidKeyLength: "the key's size does not suit the algorithm"
        case .outOfMemory: "the system provides no memory"
        default: "a computation of GOST fails"
        }
    }
}

/// A computation of libcrypto.
extension HostCryptoError: ReturnValueError {
    package var returnValue: CK_RV {
        switch self {
        case .invalidKey, .invalidPoint: CKR_DOMAIN_PARAMS_INVALID
        case .unsupportedKeySize, .keyTooShort: CKR_KEY_SIZE_RANGE
        case .invalidParameter: CKR_MECHANISM_PARAM_INVALID
        case .invalidLength: CKR_DATA_LEN_RANGE
        case .valueOutOfRange: CKR_DATA_INVALID
        case .invalidSignatureLength: CKR_SIGNATURE_LEN_RANGE
        case .invalidSignature: CKR_SIGNATURE_INVALID
        case .decryptionFailed: CKR_ENCRYPTED_DATA_INVALID
        case .outOfMemory: CKR_HOST_MEMORY
        default: CKR_FUNCTION_FAILED
        }
    }

    package var reason: Reason? {
        switch self {
        case .invalidKey: "a component of the key is invalid"
        case .invalidPoint: "a point is not on its curve"
        case .unsupportedKeySize: "the key's size does not suit the algorithm"
        case .keyTooShort: "the key is too short for the scheme"
        case .invalidParameter: "the algorithm refuses the parameter"
        case .outOfMemory: "the system provides no memory"
        case .decryptionFailed: "the ciphertext is invalid, or not for this key"
        case .invalidLength: "the input's length does not suit the key"
        case .valueOutOfRange, .invalidSignatureLength, .invalidSignature: nil
        default: Reason(LibraryContext.presence) ?? "a computation of the host fails"
        }
    }
}
