public import CCryptoki
import GOST

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
