// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
package import HostCrypto

extension CKError {
    package static let dataInvalid = CKError(CKR_DATA_INVALID)
    static let encryptedDataInvalid = CKError(CKR_ENCRYPTED_DATA_INVALID)
    static let encryptedDataLengthRange = CKError(CKR_ENCRYPTED_DATA_LEN_RANGE)
    static let functionFailed = CKError(CKR_FUNCTION_FAILED)
    static let savedStateInvalid = CKError(CKR_SAVED_STATE_INVALID)
    static let stateUnsaveable = CKError(CKR_STATE_UNSAVEABLE)
    static let unwrappingKeyHandleInvalid = CKError(CKR_UNWRAPPING_KEY_HANDLE_INVALID)
    static let unwrappingKeySizeRange = CKError(CKR_UNWRAPPING_KEY_SIZE_RANGE)
    static let unwrappingKeyTypeInconsistent = CKError(CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT)
    static let wrappingKeyHandleInvalid = CKError(CKR_WRAPPING_KEY_HANDLE_INVALID)
    static let wrappingKeySizeRange = CKError(CKR_WRAPPING_KEY_SIZE_RANGE)

    /// The return value for a computation of GOST that fails on the host.
    init(_ error: GOSTError) {
        self =
            switch error {
            case .invalidPoint: .domainParametersInvalid("a point is not on its curve")
            case .invalidParameter: .domainParametersInvalid("a parameter set is not known")
            case .invalidLength: .dataLengthRange
            case .invalidIVLength: .mechanismParameterInvalid("the parameter has a wrong length or form")
            case .invalidKeyLength: .keySizeRange("the key has a length that the algorithm does not take")
            case .outOfMemory: CKError(CKR_HOST_MEMORY, "the system gives no memory")
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
            case .outOfMemory: CKError(CKR_HOST_MEMORY, "the system gives no memory")
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

extension Reason {
    /// Why nothing can be computed by libcrypto; nil if it is there.
    package init?(_ presence: LibraryContext.Presence) {
        switch presence {
        case .version: return nil
        case .absent:
            self.init(
                nil,
                "libcrypto.so.4 or .3 cannot be loaded: install OpenSSL's library (libssl4 or libssl3, openssl-libs)")
        case .incomplete:
            self.init(
                nil,
                "libcrypto lacks functions of OpenSSL 3.0: install OpenSSL's library (libssl4 or libssl3, openssl-libs)"
            )
        }
    }
}
