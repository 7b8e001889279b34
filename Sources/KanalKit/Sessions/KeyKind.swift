// SPDX-License-Identifier: Apache-2.0

import Asking
import CCryptoki
import Containers
import HostCrypto
import Token
import Tokens
import Translation

/// The kind of a key pair: algorithm and size.
public enum KeyKind: Sendable, Hashable {
    /// GOST R 34.10-2012 with 256 bits. The parameter set is CryptoPro's A.
    case gost256
    /// GOST R 34.10-2012 with 512 bits. The parameter set is TK 26's A.
    case gost512
    /// GOST R 34.10-2001, which signs digests of GOST R 34.11-94. Such keys come from files and from other programs; none
    /// are made.
    case gost2001
    /// RSA with a modulus of so many bits.
    case rsa(bits: Int)
    /// ECDSA on the curve P-256.
    case p256
    /// A pair that another program made and that this library only lists.
    case other
}

extension KeyKind {
    /// The kind of a half of a pair.
    init(_ object: TokenObject) {
        self =
            switch object.keyType {
            case .gostR3410: object.isOf2001 ? .gost2001 : .gost256
            case .gostR3410With512Bits: .gost512
            case .rsa: .rsa(bits: object.modulusBits ?? 0)
            case .ec where object[CKA_EC_PARAMS] == ECCurve.p256.oid: .p256
            case .ec, nil: .other
            }
    }

    var newKeyPair: NewKeyPair {
        get throws(KanalError) {
            switch self {
            case .gost256: .gost256
            case .gost512: .gost512
            case .rsa(let bits): .rsa(bits: bits)
            case .p256: .p256
            case .gost2001, .other: throw .invalidArgument("this kind of key pair cannot be made")
            }
        }
    }
}
