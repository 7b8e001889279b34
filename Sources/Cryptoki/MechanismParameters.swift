public import CCryptoki
import GOST

/// What the structure of a mechanism's parameter points to.
public enum MechanismParameters: Sendable {
    case agreement(AgreementParameters)
    case tree(KeyTreeParameters)
    case oaep(OAEPParameters)
    case transport(KeyTransportParameters)
}

/// The parameters of RSAES-OAEP (`CK_RSA_PKCS_OAEP_PARAMS`).
public struct OAEPParameters: Sendable {
    public var hash: CK_MECHANISM_TYPE
    public var maskGeneration: CK_ULONG
    /// Where the label comes from (`CKZ_`).
    public var source: CK_ULONG
    public var label: [UInt8]

    public init(hash: CK_MECHANISM_TYPE, maskGeneration: CK_ULONG, source: CK_ULONG, label: [UInt8]) {
        self.hash = hash
        self.maskGeneration = maskGeneration
        self.source = source
        self.label = label
    }
}

/// The parameters of a key agreement: `CK_GOSTR3410_DERIVE_PARAMS`, `CK_ECDH1_DERIVE_PARAMS`, or the same without
/// pointers.
public struct AgreementParameters: Sendable, Equatable {
    /// What becomes of the shared secret (`CKD_`).
    public var derivation: CK_ULONG
    /// The other side's public key.
    public var publicData: [UInt8]
    /// The user keying material.
    public var ukm: [UInt8]

    public init(derivation: CK_ULONG, publicData: [UInt8], ukm: [UInt8]) {
        self.derivation = derivation
        self.publicData = publicData
        self.ukm = ukm
    }

    /// Reads the layouts without pointers: the three numbers in 32 bits, little-endian, as the vendor's C samples have
    /// them, or as `CK_ULONG`, as the vendor's .NET binding has. The lengths tell which.
    init?(flat octets: [UInt8]) {
        guard let parameters = Self(flat: octets, width: 4) ?? Self(flat: octets, width: 8) else { return nil }
        self = parameters
    }

    private init?(flat octets: [UInt8], width: Int) {
        var rest = octets[...]
        func number() -> Int? {
            guard rest.count >= width else { return nil }
            let value = rest.prefix(width).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(width)
            return Int(exactly: value)
        }
        func counted() -> [UInt8]? {
            guard let count = number(), count <= rest.count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard let derivation = number(), let publicData = counted(), let ukm = counted(), rest.isEmpty else {
            return nil
        }
        self.init(derivation: CK_ULONG(derivation), publicData: publicData, ukm: ukm)
    }
}

/// The parameters of the transport of a key (`CK_GOSTR3410_KEY_WRAP_PARAMS`).
public struct KeyTransportParameters: Sendable {
    /// The object identifier of a substitution, or nothing.
    public var wrapOID: [UInt8] = []
    /// The user keying material: 8 octets, or nothing.
    public var ukm: [UInt8] = []
    /// The sender's key, or `CK_INVALID_HANDLE`.
    public var key = CK_OBJECT_HANDLE(CK_INVALID_HANDLE)

    public init() {}
}

extension KeyTransportParameters {
    /// The substitution that the parameters name.
    ///
    /// - Throws: `CKR_MECHANISM_PARAM_INVALID` for an unknown one.
    var sBox: SBox? {
        get throws(CKError) {
            guard !wrapOID.isEmpty else { return nil }
            guard let sBox = SBox.all.first(where: { $0.oid == wrapOID }) else { throw .mechanismParameterInvalid }
            return sBox
        }
    }
}

/// The parameters of KDF_TREE_GOSTR3411_2012_256 (`CK_KDF_TREE_GOST_PARAMS`).
public struct KeyTreeParameters: Sendable {
    public var label: [UInt8]
    public var seed: [UInt8]
    /// The octets of the counter.
    public var r: CK_ULONG
    /// The octets that the tree gives.
    public var length: CK_ULONG
    /// Where in them the key begins.
    public var offset: CK_ULONG

    public init(label: [UInt8], seed: [UInt8], r: CK_ULONG, length: CK_ULONG, offset: CK_ULONG) {
        self.label = label
        self.seed = seed
        self.r = r
        self.length = length
        self.offset = offset
    }
}

extension Mechanism {
    /// The parameters of a key agreement, in whichever layout they came.
    func agreement() throws(CKError) -> AgreementParameters {
        if case .agreement(let parameters) = structure { return parameters }
        guard let parameters = AgreementParameters(flat: parameter) else { throw .mechanismParameterInvalid }
        return parameters
    }
}
