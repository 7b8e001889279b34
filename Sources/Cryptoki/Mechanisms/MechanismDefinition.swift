// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import GOST
import HostCrypto
import Token
import Tokens

/// A mechanism: its work, its keys, and the answer of `C_GetMechanismInfo`.
package struct MechanismDefinition: Sendable {
    enum Work: Sendable {
        case keyPairGeneration(KeyType)
        /// Signs a digest by GOST R 34.10 or ECDSA, or with `hash` a message of any length.
        case signature(KeyType, hash: DigestAlgorithm?)
        /// Encrypts with RSA or signs, with `hash` a message of any length. The flags distinguish them.
        case rsa(RSAPadding, hash: DigestAlgorithm?)
        case digest(DigestAlgorithm)
        case keyGeneration(SecretKeyType)
        case cipher(SecretKeyType, CipherMode)
        case code(MACAlgorithm)
        case keyWrapping(KeyWrapping)
        /// Wraps with a public key of GOST R 34.10 and unwraps with the private key.
        case keyTransport
        case keyDerivation(KeyDerivation)

        /// The functions of the mechanism, and its curves.
        fileprivate var flags: CK_FLAGS {
            let curves = CKF_EC_F_P | CKF_EC_NAMEDCURVE | CKF_EC_UNCOMPRESS
            return switch self {
            case .keyPairGeneration(.ec): CKF_GENERATE_KEY_PAIR | curves
            case .keyPairGeneration: CKF_GENERATE_KEY_PAIR
            case .signature(.ec, _): CKF_SIGN | CKF_VERIFY | curves
            case .rsa(.oaep, _), .cipher: CKF_ENCRYPT | CKF_DECRYPT
            case .rsa(.pkcs1, hash: nil), .rsa(.raw, hash: nil): CKF_ENCRYPT | CKF_DECRYPT | CKF_SIGN | CKF_VERIFY
            case .signature, .rsa, .code: CKF_SIGN | CKF_VERIFY
            case .digest: CKF_DIGEST
            // The vendor's tokens report these three.
            case .keyGeneration(.generic): CKF_GENERATE | CKF_GENERATE_KEY_PAIR | CKF_DERIVE
            case .keyGeneration: CKF_GENERATE
            case .keyWrapping, .keyTransport: CKF_WRAP | CKF_UNWRAP
            case .keyDerivation(.ecdh): CKF_DERIVE | curves
            case .keyDerivation: CKF_DERIVE
            }
        }
    }

    var type: CK_MECHANISM_TYPE
    var work: Work
    var keySizes: ClosedRange<CK_ULONG>
    /// The functions of the mechanism, and whether the vendor's tokens compute it themselves (`CKF_`).
    var flags: CK_FLAGS

    private init(
        _ type: CK_MECHANISM_TYPE, _ work: Work, inHardware: Bool = true, keySizes: ClosedRange<CK_ULONG> = 0...0
    ) {
        self.type = type
        self.work = work
        self.keySizes = keySizes
        flags = work.flags | (inHardware ? CKF_HW : 0)
    }

    /// All mechanisms, in the order in which a token's vendor lists them.
    static let all: [MechanismDefinition] =
        rsa + [
            .init(CKM_MD5, .digest(.md5), inHardware: false),
            .init(CKM_SHA_1, .digest(.sha1), inHardware: false),
            .init(CKM_SHA224, .digest(.sha224), inHardware: false),
            .init(CKM_SHA256, .digest(.sha256), inHardware: false),
            .init(CKM_SHA384, .digest(.sha384), inHardware: false),
            .init(CKM_SHA512, .digest(.sha512), inHardware: false),
            .init(CKM_GOSTR3410_KEY_PAIR_GEN, .keyPairGeneration(.gostR3410)),
            .init(CKM_GOSTR3410, .signature(.gostR3410, hash: nil)),
            .init(CKM_GOSTR3410_DERIVE, .keyDerivation(.vko2001)),
            .init(CKM_GOSTR3410_512_KEY_PAIR_GEN, .keyPairGeneration(.gostR3410With512Bits)),
            .init(CKM_GOSTR3410_512, .signature(.gostR3410With512Bits, hash: nil)),
            .init(CKM_GOSTR3410_12_DERIVE, .keyDerivation(.vko2012256)),
            .init(CKM_VKO_GOSTR3410_2012_512, .keyDerivation(.vko2012512)),
            .init(CKM_GOSTR3411, .digest(.gostR341194)),
            .init(CKM_GOSTR3411_12_256, .digest(.streebog256)),
            .init(CKM_GOSTR3411_12_512, .digest(.streebog512)),
            .init(CKM_GOSTR3410_WITH_GOSTR3411, .signature(.gostR3410, hash: .gostR341194)),
            .init(CKM_GOSTR3410_WITH_GOSTR3411_12_256, .signature(.gostR3410, hash: .streebog256)),
            .init(CKM_GOSTR3410_WITH_GOSTR3411_12_512, .signature(.gostR3410With512Bits, hash: .streebog512)),
            .init(CKM_GOST28147_KEY_WRAP, .keyWrapping(.gost28147)),
            .init(CKM_GOST28147_ECB, .cipher(.gost28147, .ecb)),
            .init(CKM_GOST28147, .cipher(.gost28147, .stream)),
            .init(CKM_GOST28147_KEY_GEN, .keyGeneration(.gost28147)),
            .init(CKM_GOST28147_MAC, .code(.gost28147)),
            .init(CKM_MAGMA_KEY_GEN, .keyGeneration(.magma)),
            .init(CKM_KUZNECHIK_KEY_GEN, .keyGeneration(.kuznyechik)),
            .init(CKM_MAGMA_ECB, .cipher(.magma, .ecb)),
            .init(CKM_KUZNECHIK_ECB, .cipher(.kuznyechik, .ecb)),
            .init(CKM_MAGMA_CTR_ACPKM, .cipher(.magma, .stream)),
            .init(CKM_KUZNECHIK_CTR_ACPKM, .cipher(.kuznyechik, .stream)),
            .init(CKM_MAGMA_MGM, .cipher(.magma, .authenticated)),
            .init(CKM_KUZNECHIK_MGM, .cipher(.kuznyechik, .authenticated)),
            .init(CKM_MAGMA_MAC, .code(.magma)),
            .init(CKM_KUZNECHIK_MAC, .code(.kuznyechik)),
            .init(CKM_GOSTR3411_12_256_HMAC, .code(.hmac(.streebog256))),
            .init(CKM_GOSTR3411_12_512_HMAC, .code(.hmac(.streebog512))),
            .init(CKM_GOSTR3411_HMAC, .code(.hmac(.gostR341194)), inHardware: false),
            .init(CKM_EC_KEY_PAIR_GEN, .keyPairGeneration(.ec), keySizes: 256...256),
            .init(CKM_ECDSA, .signature(.ec, hash: nil), keySizes: 256...256),
            .init(CKM_ECDSA_SHA1, .signature(.ec, hash: .sha1), keySizes: 256...256),
            .init(CKM_ECDSA_SHA224, .signature(.ec, hash: .sha224), keySizes: 256...256),
            .init(CKM_ECDSA_SHA256, .signature(.ec, hash: .sha256), keySizes: 256...256),
            .init(CKM_ECDSA_SHA384, .signature(.ec, hash: .sha384), keySizes: 256...256),
            .init(CKM_ECDSA_SHA512, .signature(.ec, hash: .sha512), keySizes: 256...256),
            .init(CKM_CONCATENATE_BASE_AND_KEY, .keyDerivation(.concatenation)),
            .init(CKM_KDF_TREE_GOSTR3411_2012_256, .keyDerivation(.tree)),
            .init(CKM_GOST_KEG, .keyDerivation(.keg)),
            .init(CKM_ECDH1_DERIVE, .keyDerivation(.ecdh), keySizes: 255...512),
            .init(CKM_KUZNECHIK_KEXP_15_WRAP, .keyWrapping(.kuznyechik)),
            .init(CKM_MAGMA_KEXP_15_WRAP, .keyWrapping(.magma)),
            .init(CKM_GENERIC_SECRET_KEY_GEN, .keyGeneration(.generic), inHardware: false, keySizes: 80...2048),
        ]

    private static let rsa: [MechanismDefinition] = [
        .init(CKM_RSA_PKCS_KEY_PAIR_GEN, .keyPairGeneration(.rsa), keySizes: 512...4096),
        .init(CKM_RSA_PKCS, .rsa(.pkcs1, hash: nil), keySizes: 512...4096),
        .init(CKM_RSA_X_509, .rsa(.raw, hash: nil), keySizes: 512...4096),
        .init(CKM_RSA_PKCS_OAEP, .rsa(.oaep, hash: nil), keySizes: 512...4096),
        .init(CKM_RSA_PKCS_PSS, .rsa(.pss, hash: nil), keySizes: 512...4096),
        .init(CKM_MD5_RSA_PKCS, .rsa(.pkcs1, hash: .md5), keySizes: 512...4096),
        .init(CKM_SHA1_RSA_PKCS, .rsa(.pkcs1, hash: .sha1), keySizes: 512...4096),
        .init(CKM_SHA224_RSA_PKCS, .rsa(.pkcs1, hash: .sha224), keySizes: 512...4096),
        .init(CKM_SHA256_RSA_PKCS, .rsa(.pkcs1, hash: .sha256), keySizes: 512...4096),
        .init(CKM_SHA384_RSA_PKCS, .rsa(.pkcs1, hash: .sha384), keySizes: 768...4096),
        .init(CKM_SHA512_RSA_PKCS, .rsa(.pkcs1, hash: .sha512), keySizes: 768...4096),
        .init(CKM_SHA1_RSA_PKCS_PSS, .rsa(.pss, hash: .sha1), keySizes: 512...4096),
        .init(CKM_SHA224_RSA_PKCS_PSS, .rsa(.pss, hash: .sha224), keySizes: 512...4096),
        .init(CKM_SHA256_RSA_PKCS_PSS, .rsa(.pss, hash: .sha256), keySizes: 512...4096),
        .init(CKM_SHA384_RSA_PKCS_PSS, .rsa(.pss, hash: .sha384), keySizes: 768...4096),
        .init(CKM_SHA512_RSA_PKCS_PSS, .rsa(.pss, hash: .sha512), keySizes: 768...4096),
    ]

    /// Mechanisms that work, and are not listed because no token of the vendor's lists them.
    private static let unlisted: [MechanismDefinition] = [
        .init(CKM_SHA_1_HMAC, .code(.hmac(.sha1)), inHardware: false),
        .init(CKM_SHA224_HMAC, .code(.hmac(.sha224)), inHardware: false),
        .init(CKM_SHA256_HMAC, .code(.hmac(.sha256)), inHardware: false),
        .init(CKM_SHA384_HMAC, .code(.hmac(.sha384)), inHardware: false),
        .init(CKM_SHA512_HMAC, .code(.hmac(.sha512)), inHardware: false),
        .init(CKM_AES_KEY_GEN, .keyGeneration(.aes), inHardware: false),
        .init(CKM_GOSTR3410_KEY_WRAP, .keyTransport, inHardware: false),
        .init(CKM_VENDOR_GOST_KEG, .keyDerivation(.keg), inHardware: false),
        .init(CKM_AES_ECB, .cipher(.aes, .ecb), inHardware: false),
        .init(CKM_AES_CBC, .cipher(.aes, .cbc), inHardware: false),
        .init(CKM_AES_CBC_PAD, .cipher(.aes, .padded), inHardware: false),
    ]

    /// The types of all mechanisms that work, listed or not.
    package static var types: [CK_MECHANISM_TYPE] { (all + unlisted).map(\.type) }

    /// - Throws: `CKR_MECHANISM_INVALID` for a mechanism that works with no token.
    static func find(_ type: CK_MECHANISM_TYPE) throws(CKError) -> MechanismDefinition {
        if let definition = all.first(where: { $0.type == type }) { return definition }
        guard let definition = unlisted.first(where: { $0.type == type }) else {
            throw .mechanismInvalid("\(mechanism: type) does not work here")
        }
        return definition
    }

    /// The possible lengths of a mechanism's parameter in bytes, if present, by the type; nil for a mechanism that has
    /// none, or does not work. Programs leave the parameter of such a mechanism as it happens to be: it must not be read.
    package static func parameterSizes(of type: CK_MECHANISM_TYPE) -> ClosedRange<Int>? {
        (try? find(type))?.parameterSizes
    }

    private var parameterSizes: ClosedRange<Int>? {
        let word = MemoryLayout<CK_ULONG>.size
        switch work {
        case .keyPairGeneration, .keyGeneration, .signature(_, hash: nil): return nil
        case .digest(let hash), .signature(_, hash: .some(let hash)):
            return hash.parameterSet.map { $0.count...$0.count }
        // The structures of these, in which each member is as long as a pointer.
        case .rsa(.oaep, _), .keyTransport: return 5 * word...5 * word
        case .rsa(.pss, _): return 3 * word...3 * word
        case .rsa, .cipher(_, .ecb), .code(.magma), .code(.kuznyechik), .code(.hmac): return nil
        case .cipher, .code(.gost28147), .keyWrapping: return 1...16
        case .keyDerivation(.concatenation): return word...word
        // A structure, or numbers, a public key and UKM one after another.
        case .keyDerivation: return 1...1024
        }
    }

    /// Mechanisms that hash by GOST accept the hash's parameter set as their parameter, or none. Ciphers, MACs,
    /// wrapping and derivation check theirs when they begin. The others accept none.
    func checkParameter(_ parameter: [UInt8]) throws(CKError) {
        guard !parameter.isEmpty else { return }
        switch work {
        case .digest(let hash), .signature(_, hash: .some(let hash)):
            guard parameter == hash.parameterSet else {
                throw .mechanismParameterInvalid(
                    "the parameter of \(parameter.count) bytes is not the hash function's parameter set")
            }
        case .cipher, .code, .keyWrapping, .keyTransport, .keyDerivation, .rsa: break
        case .keyPairGeneration, .signature(_, hash: nil), .keyGeneration:
            throw .mechanismParameterInvalid("the parameter has \(parameter.count) bytes, and must have none")
        }
    }
}

extension MechanismDefinition {
    /// The length in bits of a key of RSA for this mechanism.
    ///
    /// - Throws: `CKR_KEY_SIZE_RANGE`.
    func bitCount(of key: Object) throws(CKError) -> Int {
        let bitCount = try key.modulusBits()
        guard keySizes.contains(CK_ULONG(bitCount)) else {
            throw .keySizeRange(
                "the key has \(bitCount) bits, the mechanism takes \(keySizes.lowerBound) to \(keySizes.upperBound)")
        }
        return bitCount
    }
}

extension DigestAlgorithm {
    /// The parameter set of a GOST hash function: its object identifier in DER.
    var parameterSet: [UInt8]? {
        switch self {
        case .gostR341194: HashAlgorithm.gostR341194.oid
        case .streebog256: HashAlgorithm.streebog256.oid
        case .streebog512: HashAlgorithm.streebog512.oid
        default: nil
        }
    }
}

/// How a mechanism uses a block cipher.
enum CipherMode: Sendable {
    /// ECB: whole blocks.
    case ecb
    /// CBC without padding: whole blocks.
    case cbc
    /// CBC with padding: the text as a whole.
    case padded
    /// Any number of bytes, in parts of any length: CTR-ACPKM, or with GOST 28147-89 the mode of its parameter set.
    case stream
    /// MGM: the text as a whole, and a tag after it.
    case authenticated
}

/// An algorithm of message authentication codes.
enum MACAlgorithm: Sendable {
    /// GOST 28147-89 with 32 bits. The parameter set decides on key meshing. The IV has 8 bytes or none.
    case gost28147
    /// OMAC of one block (GOST R 34.13-2015, 5.6).
    case magma, kuznyechik
    case hmac(DigestAlgorithm)

    /// The bytes of a MAC.
    var size: Int {
        switch self {
        case .gost28147: 4
        case .magma: CipherAlgorithm.magma.blockSize
        case .kuznyechik: CipherAlgorithm.kuznyechik.blockSize
        case .hmac(let hash): hash.size
        }
    }

    /// The types of keys that the MAC is computed with.
    var keyTypes: [SecretKeyType] {
        switch self {
        case .gost28147: [.gost28147]
        case .magma: [.magma]
        case .kuznyechik: [.kuznyechik]
        case .hmac(let hash): [.hmac(hash), .generic, .gost28147, .magma, .kuznyechik]
        }
    }
}
