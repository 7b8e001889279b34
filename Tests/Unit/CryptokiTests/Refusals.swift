import CCryptoki
import Cryptoki

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
