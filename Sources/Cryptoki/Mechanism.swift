public import CCryptoki
import GOST

/// A mechanism, with the parameter's bytes.
public struct Mechanism: Sendable {
    public var type: CK_MECHANISM_TYPE
    public var parameter: [UInt8]

    public init(type: CK_MECHANISM_TYPE, parameter: [UInt8]) {
        self.type = type
        self.parameter = parameter
    }
}

/// What a mechanism does, and for which keys.
struct MechanismDefinition: Sendable {
    enum Work: Sendable {
        case keyPairGeneration(KeyType)
        /// Signs a digest, or with `hash` a message of any length.
        case signature(KeyType, hash: HashAlgorithm?)
        case digest(HashAlgorithm)
    }

    var type: CK_MECHANISM_TYPE
    var work: Work
    var flags: CK_FLAGS

    /// All mechanisms, in the order in which a token's vendor lists them.
    static let all: [MechanismDefinition] = [
        .init(type: CKM_GOSTR3410_KEY_PAIR_GEN, work: .keyPairGeneration(.gostR3410), flags: 0x10001),
        .init(type: CKM_GOSTR3410, work: .signature(.gostR3410, hash: nil), flags: 0x2801),
        .init(type: CKM_GOSTR3410_512_KEY_PAIR_GEN, work: .keyPairGeneration(.gostR3410With512Bits), flags: 0x10001),
        .init(type: CKM_GOSTR3410_512, work: .signature(.gostR3410With512Bits, hash: nil), flags: 0x2801),
        .init(type: CKM_GOSTR3411, work: .digest(.gostR341194), flags: 0x401),
        .init(type: CKM_GOSTR3411_12_256, work: .digest(.streebog256), flags: 0x401),
        .init(type: CKM_GOSTR3411_12_512, work: .digest(.streebog512), flags: 0x401),
        .init(
            type: CKM_GOSTR3410_WITH_GOSTR3411, work: .signature(.gostR3410, hash: .gostR341194), flags: 0x2801),
        .init(
            type: CKM_GOSTR3410_WITH_GOSTR3411_12_256, work: .signature(.gostR3410, hash: .streebog256),
            flags: 0x2801),
        .init(
            type: CKM_GOSTR3410_WITH_GOSTR3411_12_512, work: .signature(.gostR3410With512Bits, hash: .streebog512),
            flags: 0x2801),
    ]

    /// - Throws: `CKR_MECHANISM_INVALID` for a mechanism that is not in the list.
    static func find(_ type: CK_MECHANISM_TYPE) throws(CKError) -> MechanismDefinition {
        guard let definition = all.first(where: { $0.type == type }) else { throw .mechanismInvalid }
        return definition
    }

    /// Mechanisms that hash accept the hash's parameter set as their parameter, or none; the others accept none.
    func checkParameter(_ parameter: [UInt8]) throws(CKError) {
        guard !parameter.isEmpty else { return }
        switch work {
        case .digest(let hash), .signature(_, hash: .some(let hash)):
            guard parameter == hash.oid else { throw .mechanismParameterInvalid }
        case .keyPairGeneration, .signature(_, hash: nil):
            throw .mechanismParameterInvalid
        }
    }
}

/// The key types of this library.
enum KeyType: Sendable {
    /// GOST R 34.10-2001 and 2012 with 256 bits.
    case gostR3410
    /// GOST R 34.10-2012 with 512 bits.
    case gostR3410With512Bits

    /// - Returns: nil for a type this library has no keys of.
    init?(_ rawValue: CK_KEY_TYPE) {
        switch rawValue {
        case CKK_GOSTR3410: self = .gostR3410
        case CKK_GOSTR3410_512: self = .gostR3410With512Bits
        default: return nil
        }
    }

    init(_ curve: Curve) { self = curve.coordinateSize == 64 ? .gostR3410With512Bits : .gostR3410 }

    var rawValue: CK_KEY_TYPE { self == .gostR3410 ? CKK_GOSTR3410 : CKK_GOSTR3410_512 }
    var keyPairGeneration: CK_MECHANISM_TYPE {
        self == .gostR3410 ? CKM_GOSTR3410_KEY_PAIR_GEN : CKM_GOSTR3410_512_KEY_PAIR_GEN
    }
    /// Bytes of a digest to be signed.
    var digestSize: Int { self == .gostR3410 ? 32 : 64 }
}
