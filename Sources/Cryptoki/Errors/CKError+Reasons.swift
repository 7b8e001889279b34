// SPDX-License-Identifier: Apache-2.0
import CCryptoki
package import Translation

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
