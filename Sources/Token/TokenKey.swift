public import GOST

/// One half of a key pair on the token.
public struct TokenKey: Sendable, Equatable {
    public enum Half: Sendable { case publicKey, privateKey }

    public var half: Half
    /// The file of its record: what names the key on this token.
    public var file: UInt16
    /// The number of its key file.
    public var number: UInt8
    public var curve: Curve
    public var label: [UInt8]
    public var id: [UInt8]
    /// Object identifiers of the parameter sets, in DER; empty where the record has none.
    public var gostR3410Parameters: [UInt8]
    public var gostR3411Parameters: [UInt8]
    public var gost28147Parameters: [UInt8]
    /// The public key X ‖ Y, little-endian; nil for a private key.
    public var value: [UInt8]?
    /// Whether key agreement is allowed.
    public var canDerive: Bool
    /// Whether the key signs the token's journal.
    public var signsJournal = false
    /// Whether the key was made outside the token.
    public var isImported: Bool
    /// Whether OpenSC's format describes it: it can be used, and is deleted by OpenSC only.
    public var isForeign = false
    public var annotation = ObjectAnnotation()
}

/// What a new key pair shall be.
public struct KeyPairTemplate: Sendable {
    /// What the record of one half holds.
    public struct Half: Sendable {
        public var label: [UInt8]
        public var id: [UInt8]
        public var annotation: ObjectAnnotation

        public init(label: [UInt8], id: [UInt8], annotation: ObjectAnnotation = ObjectAnnotation()) {
            self.label = label
            self.id = id
            self.annotation = annotation
        }
    }

    public var algorithm: KeyAlgorithm
    public var gostR3411Parameters: [UInt8]
    public var gost28147Parameters: [UInt8]
    /// Whether key agreement shall be allowed.
    public var canDerive: Bool
    /// Whether the key shall sign the token's journal.
    public var signsJournal = false
    public var publicKey: Half
    public var privateKey: Half

    public init(
        algorithm: KeyAlgorithm, gostR3411Parameters: [UInt8], gost28147Parameters: [UInt8], canDerive: Bool,
        publicKey: Half, privateKey: Half
    ) {
        self.algorithm = algorithm
        self.gostR3411Parameters = gostR3411Parameters
        self.gost28147Parameters = gost28147Parameters
        self.canDerive = canDerive
        self.publicKey = publicKey
        self.privateKey = privateKey
    }
}

extension TokenKey {
    /// One half of the key pair that a template asks for, before it has a place on a token.
    public init(_ template: KeyPairTemplate, _ half: Half) {
        let text = half == .publicKey ? template.publicKey : template.privateKey
        self.init(
            half: half, file: 0, number: 0, curve: template.algorithm.curve, label: text.label, id: text.id,
            gostR3410Parameters: template.algorithm.curve.oid, gostR3411Parameters: template.gostR3411Parameters,
            gost28147Parameters: template.gost28147Parameters, value: nil, canDerive: template.canDerive,
            signsJournal: template.signsJournal, isImported: false)
    }
}
