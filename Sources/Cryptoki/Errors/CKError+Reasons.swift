import CCryptoki

extension CKError: Hashable {
    package static func == (first: CKError, second: CKError) -> Bool { first.rawValue == second.rawValue }
    package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The value's number in eight hexadecimal digits, its name, and the reason.
    package var line: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        var line = "0x" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        if let name = Names.returnValue(rawValue) { line += " " + name.description }
        if let reason { line += ": " + reason.description }
        return line
    }
}

/// Refusals of arguments, and of functions without the right to them. Each tells what was refused, and why.
extension CKError {
    package static func actionProhibited(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ACTION_PROHIBITED, reason())
    }
    package static func argumentsBad(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ARGUMENTS_BAD, reason())
    }
    package static func attributeReadOnly(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ATTRIBUTE_READ_ONLY, reason())
    }
    package static func attributeSensitive(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ATTRIBUTE_SENSITIVE, reason())
    }
    package static func attributeTypeInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ATTRIBUTE_TYPE_INVALID, reason())
    }
    package static func attributeValueInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ATTRIBUTE_VALUE_INVALID, reason())
    }
    static func curveNotSupported(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_CURVE_NOT_SUPPORTED, reason())
    }
    static func domainParametersInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_DOMAIN_PARAMS_INVALID, reason())
    }
    static func keyFunctionNotPermitted(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_FUNCTION_NOT_PERMITTED, reason())
    }
    static func keyHandleInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_HANDLE_INVALID, reason())
    }
    static func keyIndigestible(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_INDIGESTIBLE, reason())
    }
    static func keyNotNeeded(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_NOT_NEEDED, reason())
    }
    static func keyNotWrappable(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_NOT_WRAPPABLE, reason())
    }
    static func keySizeRange(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_SIZE_RANGE, reason())
    }
    static func keyTypeInconsistent(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_TYPE_INCONSISTENT, reason())
    }
    static func keyUnextractable(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_UNEXTRACTABLE, reason())
    }
    static func mechanismInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_MECHANISM_INVALID, reason())
    }
    package static func mechanismParameterInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_MECHANISM_PARAM_INVALID, reason())
    }
    static func sessionReadOnly(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_SESSION_READ_ONLY, reason())
    }
    static func templateIncomplete(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_TEMPLATE_INCOMPLETE, reason())
    }
    static func templateInconsistent(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_TEMPLATE_INCONSISTENT, reason())
    }
    static func userNotLoggedIn(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_USER_NOT_LOGGED_IN, reason())
    }
    static func wrappedKeyInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_WRAPPED_KEY_INVALID, reason())
    }
    static func wrappedKeyLengthRange(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_WRAPPED_KEY_LEN_RANGE, reason())
    }
    static func wrappingKeyTypeInconsistent(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_WRAPPING_KEY_TYPE_INCONSISTENT, reason())
    }
}
