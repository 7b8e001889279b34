// SPDX-License-Identifier: Apache-2.0
import APDU
import Asking
import Containers
import GOST
import HostCrypto
import SecureChannel
import Storage
import Token
package import Tokens
import Translation

/// The names of the return values that PKCS #11 has for the same, so that a user of both sees one error.
extension TokensError {
    package var code: String {
        switch self {
        case .token(.link(let error), _), .token(.channel(.link(let error)), _): error.code
        case .token(.channel(let error), _): error.code
        case .token(let error, _): error.code
        case .noCard: "CKR_TOKEN_NOT_PRESENT"
        case .noSlot: "CKR_SLOT_ID_INVALID"
        case .ended: "CKR_CRYPTOKI_NOT_INITIALIZED"
        case .sessionsOpen: "CKR_SESSION_EXISTS"
        case .sessionEnded: "CKR_SESSION_HANDLE_INVALID"
        case .noMemory: "CKR_HOST_MEMORY"
        case .notSupported, .notActivated, .withoutChannel: "CKR_FUNCTION_NOT_SUPPORTED"
        case .keyDeleted: "CKR_KEY_HANDLE_INVALID"
        case .noPairing: "CKR_OBJECT_HANDLE_INVALID"
        case .localPINUnset: "CKR_DEVICE_ERROR"
        case .pinMissing: "CKR_ARGUMENTS_BAD"
        case .unanswered(.cancelled): "CKR_FUNCTION_CANCELED"
        case .unanswered, .tooManyQuestions: "CKR_FUNCTION_FAILED"
        case .computation(let error): error.code
        case .gost(.invalidLength): "CKR_DATA_LEN_RANGE"
        case .gost(.invalidPoint), .gost(.invalidParameter): "CKR_DOMAIN_PARAMS_INVALID"
        case .gost: "CKR_FUNCTION_FAILED"
        case .refused(let subject, _): subject.code
        }
    }

    /// The reason, in words.
    var reason: Phrase {
        switch self {
        case .token(let error, let exchange): Reason(error, after: exchange).phrase
        case .refused(_, let reason): reason.phrase
        case .keyDeleted: "the token no longer has the key"
        case .sessionsOpen: "this program works with the token by another manager's means"
        case .noMemory: "the process has neither memory nor file descriptors left"
        case .notSupported: "the token does not have this function, or not in its present state"
        case .notActivated(let reason?): reason.reason
        case .withoutChannel: "the token is used without a secure channel, and is paired with no host"
        case .localPINUnset: "the local PIN has no value"
        case .computation(let error): error.reason
        case .gost: "a computation of GOST fails"
        case .noCard, .noSlot, .ended, .sessionEnded, .notActivated(nil), .noPairing, .unanswered, .pinMissing,
            .tooManyQuestions:
            "it is refused"
        }
    }
}

extension TokensError.Refusal {
    fileprivate var code: String {
        switch self {
        case .arguments: "CKR_ARGUMENTS_BAD"
        case .object: "CKR_OBJECT_HANDLE_INVALID"
        case .permission: "CKR_KEY_FUNCTION_NOT_PERMITTED"
        case .mechanism: "CKR_MECHANISM_INVALID"
        case .keyType: "CKR_KEY_TYPE_INCONSISTENT"
        case .keyParameters: "CKR_DOMAIN_PARAMS_INVALID"
        case .keySize: "CKR_KEY_SIZE_RANGE"
        case .action: "CKR_ACTION_PROHIBITED"
        case .data: "CKR_DATA_INVALID"
        case .parameter: "CKR_MECHANISM_PARAM_INVALID"
        }
    }
}

extension TokenError {
    fileprivate var code: String {
        switch self {
        case .link(let error): error.code
        case .channel(let error): error.code
        case .activationNeeded, .keepsFilesOnly: "CKR_FUNCTION_NOT_SUPPORTED"
        case .holdsContainers: "CKR_ACTION_PROHIBITED"
        case .readOnly: "CKR_TOKEN_WRITE_PROTECTED"
        case .pinIncorrect: "CKR_PIN_INCORRECT"
        case .pinLength: "CKR_PIN_LEN_RANGE"
        case .pinLocked: "CKR_PIN_LOCKED"
        case .notLoggedIn: "CKR_USER_NOT_LOGGED_IN"
        case .forbiddenByPolicy: "CKR_FUNCTION_REJECTED"
        case .notFound: "CKR_OBJECT_HANDLE_INVALID"
        case .anotherToken: "CKR_DEVICE_REMOVED"
        case .memoryFull: "CKR_DEVICE_MEMORY"
        case .unsupported: "CKR_TOKEN_NOT_RECOGNIZED"
        case .container(.failure): "CKR_FUNCTION_FAILED"
        case .container(.password), .container(.passwordNotNeeded): "CKR_PIN_INCORRECT"
        case .faulty, .initialisationPhase, .malformedAnswer, .container, .refused: "CKR_DEVICE_ERROR"
        }
    }
}

extension LinkError {
    fileprivate var code: String {
        switch self {
        case .noCard, .mute: "CKR_TOKEN_NOT_PRESENT"
        case .noService, .incompatible, .noLibrary, .redirected, .rootChanged, .removed: "CKR_DEVICE_REMOVED"
        case .noDescriptors: "CKR_HOST_MEMORY"
        case .refused, .connectionsUsedUp, .randomUnavailable: "CKR_FUNCTION_FAILED"
        case .reset, .sharingViolation, .kept, .transmission, .malformed, .channelBroken: "CKR_DEVICE_ERROR"
        }
    }
}

extension ChannelError {
    /// GSC/1, 15.1.
    fileprivate var code: String {
        switch self {
        case .link(let error): error.code
        case .passwordInvalid, .passwordRejected, .slotUnusable: "CKR_SM_PASSWORD_INVALID"
        case .slotBlocked: "CKR_PIN_LOCKED"
        case .tableFull: "CKR_DEVICE_MEMORY"
        case .unknownRecord, .profileUnsupported, .profileRaised: "CKR_FUNCTION_NOT_SUPPORTED"
        case .outOfMemory, .storage(.noDescriptors): "CKR_HOST_MEMORY"
        case .storage: "CKR_FUNCTION_FAILED"
        default: "CKR_DEVICE_ERROR"
        }
    }
}

extension HostCryptoError {
    fileprivate var code: String {
        switch self {
        case .invalidKey, .invalidPoint: "CKR_DOMAIN_PARAMS_INVALID"
        case .unsupportedKeySize, .keyTooShort: "CKR_KEY_SIZE_RANGE"
        case .invalidParameter: "CKR_MECHANISM_PARAM_INVALID"
        case .invalidLength: "CKR_DATA_LEN_RANGE"
        case .valueOutOfRange: "CKR_DATA_INVALID"
        case .invalidSignatureLength: "CKR_SIGNATURE_LEN_RANGE"
        case .invalidSignature: "CKR_SIGNATURE_INVALID"
        case .decryptionFailed: "CKR_ENCRYPTED_DATA_INVALID"
        case .outOfMemory: "CKR_HOST_MEMORY"
        default: "CKR_FUNCTION_FAILED"
        }
    }

    fileprivate var reason: Phrase {
        switch self {
        case .keyTooShort, .unsupportedKeySize: "the key's size does not suit the algorithm"
        case .invalidLength: "the input's length does not suit the key"
        case .decryptionFailed: "the ciphertext is invalid, or not for this key"
        case .outOfMemory: "the system provides no memory"
        default: "a computation of the host fails"
        }
    }
}
