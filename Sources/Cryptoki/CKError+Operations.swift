import CCryptoki
import GOST
import HostCrypto

extension CKError {
    static let curveNotSupported = CKError(CKR_CURVE_NOT_SUPPORTED)
    public static let dataInvalid = CKError(CKR_DATA_INVALID)
    static let encryptedDataInvalid = CKError(CKR_ENCRYPTED_DATA_INVALID)
    static let encryptedDataLengthRange = CKError(CKR_ENCRYPTED_DATA_LEN_RANGE)
    static let functionFailed = CKError(CKR_FUNCTION_FAILED)
    static let keyIndigestible = CKError(CKR_KEY_INDIGESTIBLE)
    static let keyNotNeeded = CKError(CKR_KEY_NOT_NEEDED)
    static let keyNotWrappable = CKError(CKR_KEY_NOT_WRAPPABLE)
    static let keySizeRange = CKError(CKR_KEY_SIZE_RANGE)
    static let keyUnextractable = CKError(CKR_KEY_UNEXTRACTABLE)
    static let savedStateInvalid = CKError(CKR_SAVED_STATE_INVALID)
    static let stateUnsaveable = CKError(CKR_STATE_UNSAVEABLE)
    static let unwrappingKeyHandleInvalid = CKError(CKR_UNWRAPPING_KEY_HANDLE_INVALID)
    static let unwrappingKeySizeRange = CKError(CKR_UNWRAPPING_KEY_SIZE_RANGE)
    static let unwrappingKeyTypeInconsistent = CKError(CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT)
    static let wrappingKeyHandleInvalid = CKError(CKR_WRAPPING_KEY_HANDLE_INVALID)
    static let wrappingKeySizeRange = CKError(CKR_WRAPPING_KEY_SIZE_RANGE)
    static let wrappingKeyTypeInconsistent = CKError(CKR_WRAPPING_KEY_TYPE_INCONSISTENT)
    static let wrappedKeyInvalid = CKError(CKR_WRAPPED_KEY_INVALID)
    static let wrappedKeyLengthRange = CKError(CKR_WRAPPED_KEY_LEN_RANGE)

    /// What an application learns when a computation of GOST on the host fails.
    init(_ error: GOSTError) {
        self =
            switch error {
            case .invalidPoint, .invalidParameter: .domainParametersInvalid
            case .invalidLength: .dataLengthRange
            case .invalidIVLength: .mechanismParameterInvalid
            case .invalidKeyLength: .keySizeRange
            default: .functionFailed
            }
    }

    /// What an application learns when libcrypto refuses or fails.
    init(_ error: HostCryptoError) {
        self =
            switch error {
            case .invalidKey, .invalidPoint: .domainParametersInvalid
            case .unsupportedKeySize, .keyTooShort: .keySizeRange
            case .invalidParameter: .mechanismParameterInvalid
            case .invalidLength: .dataLengthRange
            case .valueOutOfRange: .dataInvalid
            case .invalidSignatureLength: .signatureLengthRange
            case .invalidSignature: .signatureInvalid
            case .decryptionFailed: .encryptedDataInvalid
            default: .functionFailed
            }
    }

    /// What an application learns when a ciphertext does not open.
    init(decryption error: HostCryptoError) {
        self = error == .invalidLength ? .encryptedDataLengthRange : CKError(error)
    }
}
