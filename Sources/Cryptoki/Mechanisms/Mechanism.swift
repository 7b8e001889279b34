public import CCryptoki

/// A mechanism, with the parameter's bytes.
public struct Mechanism: Sendable {
    public var type: CK_MECHANISM_TYPE
    public var parameter: [UInt8]
    /// What the parameter points to, where it is a structure with pointers.
    public var structure: MechanismParameters?

    public init(type: CK_MECHANISM_TYPE, parameter: [UInt8], structure: MechanismParameters? = nil) {
        self.type = type
        self.parameter = parameter
        self.structure = structure
    }
}
