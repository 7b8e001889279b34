package import GOST

/// One half of a key pair on the token.
package struct TokenKey: Sendable, Equatable {
    package enum Half: Sendable { case publicKey, privateKey }

    package var half: Half
    /// The file of its record: what names the key on this token.
    package var file: UInt16
    /// The number of its key file.
    package var number: UInt8
    package var curve: Curve
    package var label: [UInt8]
    package var id: [UInt8]
    /// Object identifiers of the parameter sets, in DER; empty where the record has none.
    package var gostR3410Parameters: [UInt8]
    package var gostR3411Parameters: [UInt8]
    package var gost28147Parameters: [UInt8]
    /// The public key X ‖ Y, little-endian; nil for a private key.
    package var value: [UInt8]?
    /// Whether key agreement is allowed.
    package var canDerive: Bool
    /// Whether the key signs the token's journal.
    package var signsJournal = false
    /// Whether the key was made outside the token.
    package var isImported: Bool
    /// Whether OpenSC's format describes it: it can be used, and is deleted by OpenSC only.
    package var isForeign = false
    package var annotation = ObjectAnnotation()
}

/// What a new key pair shall be.
package struct KeyPairTemplate: Sendable {
    /// What the record of one half holds.
    package struct Half: Sendable {
        package var label: [UInt8]
        package var id: [UInt8]
        package var annotation: ObjectAnnotation

        package init(label: [UInt8], id: [UInt8], annotation: ObjectAnnotation = ObjectAnnotation()) {
            self.label = label
            self.id = id
            self.annotation = annotation
        }
    }

    package var algorithm: KeyAlgorithm
    package var gostR3411Parameters: [UInt8]
    package var gost28147Parameters: [UInt8]
    /// Whether key agreement shall be allowed.
    package var canDerive: Bool
    /// Whether the key shall sign the token's journal.
    package var signsJournal = false
    package var publicKey: Half
    package var privateKey: Half

    package init(
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
    package init(_ template: KeyPairTemplate, _ half: Half) {
        let text = half == .publicKey ? template.publicKey : template.privateKey
        self.init(
            half: half, file: 0, number: 0, curve: template.algorithm.curve, label: text.label, id: text.id,
            gostR3410Parameters: template.algorithm.curve.oid, gostR3411Parameters: template.gostR3411Parameters,
            gost28147Parameters: template.gost28147Parameters, value: nil, canDerive: template.canDerive,
            signsJournal: template.signsJournal, isImported: false)
    }
}
