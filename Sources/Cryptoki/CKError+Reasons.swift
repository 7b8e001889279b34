import CCryptoki

extension CKError: Hashable {
    public static func == (first: CKError, second: CKError) -> Bool { first.rawValue == second.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The value's number in eight hexadecimal digits, its name, and the reason.
    public var line: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        var line = "0x" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        if let name = Names.returnValue(rawValue) { line += " " + name.description }
        if let reason { line += ": " + reason.description }
        return line
    }
}

/// The refusals of what an application hands in. Each tells what was refused, and why.
extension CKError {
    public static func argumentsBad(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ARGUMENTS_BAD, reason())
    }
    public static func attributeReadOnly(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ATTRIBUTE_READ_ONLY, reason())
    }
    public static func attributeSensitive(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ATTRIBUTE_SENSITIVE, reason())
    }
    public static func attributeTypeInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ATTRIBUTE_TYPE_INVALID, reason())
    }
    public static func attributeValueInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_ATTRIBUTE_VALUE_INVALID, reason())
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
    static func keySizeRange(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_SIZE_RANGE, reason())
    }
    static func keyTypeInconsistent(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_KEY_TYPE_INCONSISTENT, reason())
    }
    static func mechanismInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_MECHANISM_INVALID, reason())
    }
    public static func mechanismParameterInvalid(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_MECHANISM_PARAM_INVALID, reason())
    }
    static func templateIncomplete(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_TEMPLATE_INCOMPLETE, reason())
    }
    public static func templateInconsistent(_ reason: @autoclosure () -> Reason) -> CKError {
        CKError(CKR_TEMPLATE_INCONSISTENT, reason())
    }
}
