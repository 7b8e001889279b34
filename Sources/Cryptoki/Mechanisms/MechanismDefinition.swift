import CCryptoki
import GOST
import HostCrypto

/// What a mechanism does, for which keys, and what `C_GetMechanismInfo` tells of it.
struct MechanismDefinition: Sendable {
    enum Work: Sendable {
        case keyPairGeneration(KeyType)
        /// Signs a digest by GOST R 34.10 or ECDSA, or with `hash` a message of any length.
        case signature(KeyType, hash: DigestAlgorithm?)
        /// Encrypts with RSA or signs, with `hash` a message of any length: what the flags say.
        case rsa(RSAPadding, hash: DigestAlgorithm?)
        case digest(DigestAlgorithm)
        case keyGeneration(SecretKeyType)
        case cipher(SecretKeyType, CipherMode)
        case code(CodeAlgorithm)
        case keyWrapping(KeyWrapping)
        /// Wraps with a public key of GOST R 34.10 and unwraps with the private key.
        case keyTransport
        case keyDerivation(KeyDerivation)
    }

    var type: CK_MECHANISM_TYPE
    var work: Work
    var keySizes: ClosedRange<CK_ULONG>
    var flags: CK_FLAGS

    private init(
        _ type: CK_MECHANISM_TYPE, _ work: Work, _ flags: CK_FLAGS, keySizes: ClosedRange<CK_ULONG> = 0...0
    ) {
        self.type = type
        self.work = work
        self.keySizes = keySizes
        self.flags = flags
    }

    /// All mechanisms, in the order in which a token's vendor lists them.
    static let all: [MechanismDefinition] =
        rsa + [
            .init(CKM_MD5, .digest(.md5), 0x400),
            .init(CKM_SHA_1, .digest(.sha1), 0x400),
            .init(CKM_SHA224, .digest(.sha224), 0x400),
            .init(CKM_SHA256, .digest(.sha256), 0x400),
            .init(CKM_SHA384, .digest(.sha384), 0x400),
            .init(CKM_SHA512, .digest(.sha512), 0x400),
            .init(CKM_GOSTR3410_KEY_PAIR_GEN, .keyPairGeneration(.gostR3410), 0x10001),
            .init(CKM_GOSTR3410, .signature(.gostR3410, hash: nil), 0x2801),
            .init(CKM_GOSTR3410_DERIVE, .keyDerivation(.vko2001), 0x80001),
            .init(CKM_GOSTR3410_512_KEY_PAIR_GEN, .keyPairGeneration(.gostR3410With512Bits), 0x10001),
            .init(CKM_GOSTR3410_512, .signature(.gostR3410With512Bits, hash: nil), 0x2801),
            .init(CKM_GOSTR3410_12_DERIVE, .keyDerivation(.vko2012256), 0x80001),
            .init(CKM_VKO_GOSTR3410_2012_512, .keyDerivation(.vko2012512), 0x80001),
            .init(CKM_GOSTR3411, .digest(.gostR341194), 0x401),
            .init(CKM_GOSTR3411_12_256, .digest(.streebog256), 0x401),
            .init(CKM_GOSTR3411_12_512, .digest(.streebog512), 0x401),
            .init(CKM_GOSTR3410_WITH_GOSTR3411, .signature(.gostR3410, hash: .gostR341194), 0x2801),
            .init(CKM_GOSTR3410_WITH_GOSTR3411_12_256, .signature(.gostR3410, hash: .streebog256), 0x2801),
            .init(CKM_GOSTR3410_WITH_GOSTR3411_12_512, .signature(.gostR3410With512Bits, hash: .streebog512), 0x2801),
            .init(CKM_GOST28147_KEY_WRAP, .keyWrapping(.gost28147), 0x60001),
            .init(CKM_GOST28147_ECB, .cipher(.gost28147, .codebook), 0x301),
            .init(CKM_GOST28147, .cipher(.gost28147, .stream), 0x301),
            .init(CKM_GOST28147_KEY_GEN, .keyGeneration(.gost28147), 0x8001),
            .init(CKM_GOST28147_MAC, .code(.gost28147), 0x2801),
            .init(CKM_MAGMA_KEY_GEN, .keyGeneration(.magma), 0x8001),
            .init(CKM_KUZNECHIK_KEY_GEN, .keyGeneration(.kuznyechik), 0x8001),
            .init(CKM_MAGMA_ECB, .cipher(.magma, .codebook), 0x301),
            .init(CKM_KUZNECHIK_ECB, .cipher(.kuznyechik, .codebook), 0x301),
            .init(CKM_MAGMA_CTR_ACPKM, .cipher(.magma, .stream), 0x301),
            .init(CKM_KUZNECHIK_CTR_ACPKM, .cipher(.kuznyechik, .stream), 0x301),
            .init(CKM_MAGMA_MGM, .cipher(.magma, .authenticated), 0x301),
            .init(CKM_KUZNECHIK_MGM, .cipher(.kuznyechik, .authenticated), 0x301),
            .init(CKM_MAGMA_MAC, .code(.magma), 0x2801),
            .init(CKM_KUZNECHIK_MAC, .code(.kuznyechik), 0x2801),
            .init(CKM_GOSTR3411_12_256_HMAC, .code(.hmac(.streebog256)), 0x2801),
            .init(CKM_GOSTR3411_12_512_HMAC, .code(.hmac(.streebog512)), 0x2801),
            .init(CKM_GOSTR3411_HMAC, .code(.hmac(.gostR341194)), 0x2800),
            .init(CKM_EC_KEY_PAIR_GEN, .keyPairGeneration(.ec), 0x191_0001, keySizes: 256...256),
            .init(CKM_ECDSA, .signature(.ec, hash: nil), 0x190_2801, keySizes: 256...256),
            .init(CKM_ECDSA_SHA1, .signature(.ec, hash: .sha1), 0x190_2801, keySizes: 256...256),
            .init(CKM_ECDSA_SHA224, .signature(.ec, hash: .sha224), 0x190_2801, keySizes: 256...256),
            .init(CKM_ECDSA_SHA256, .signature(.ec, hash: .sha256), 0x190_2801, keySizes: 256...256),
            .init(CKM_ECDSA_SHA384, .signature(.ec, hash: .sha384), 0x190_2801, keySizes: 256...256),
            .init(CKM_ECDSA_SHA512, .signature(.ec, hash: .sha512), 0x190_2801, keySizes: 256...256),
            .init(CKM_CONCATENATE_BASE_AND_KEY, .keyDerivation(.concatenation), 0x80001),
            .init(CKM_KDF_TREE_GOSTR3411_2012_256, .keyDerivation(.tree), 0x80001),
            .init(CKM_GOST_KEG, .keyDerivation(.keg), 0x80001),
            .init(CKM_ECDH1_DERIVE, .keyDerivation(.ecdh), 0x198_0001, keySizes: 255...512),
            .init(CKM_KUZNECHIK_KEXP_15_WRAP, .keyWrapping(.kuznyechik), 0x60001),
            .init(CKM_MAGMA_KEXP_15_WRAP, .keyWrapping(.magma), 0x60001),
            .init(CKM_GENERIC_SECRET_KEY_GEN, .keyGeneration(.generic), 0x98000, keySizes: 80...2048),
        ]

    private static let rsa: [MechanismDefinition] = [
        .init(CKM_RSA_PKCS_KEY_PAIR_GEN, .keyPairGeneration(.rsa), 0x10001, keySizes: 512...4096),
        .init(CKM_RSA_PKCS, .rsa(.pkcs1, hash: nil), 0x2B01, keySizes: 512...4096),
        .init(CKM_RSA_X_509, .rsa(.raw, hash: nil), 0x2B01, keySizes: 512...4096),
        .init(CKM_RSA_PKCS_OAEP, .rsa(.oaep, hash: nil), 0x301, keySizes: 512...4096),
        .init(CKM_RSA_PKCS_PSS, .rsa(.pss, hash: nil), 0x2801, keySizes: 512...4096),
        .init(CKM_MD5_RSA_PKCS, .rsa(.pkcs1, hash: .md5), 0x2801, keySizes: 512...4096),
        .init(CKM_SHA1_RSA_PKCS, .rsa(.pkcs1, hash: .sha1), 0x2801, keySizes: 512...4096),
        .init(CKM_SHA224_RSA_PKCS, .rsa(.pkcs1, hash: .sha224), 0x2801, keySizes: 512...4096),
        .init(CKM_SHA256_RSA_PKCS, .rsa(.pkcs1, hash: .sha256), 0x2801, keySizes: 512...4096),
        .init(CKM_SHA384_RSA_PKCS, .rsa(.pkcs1, hash: .sha384), 0x2801, keySizes: 768...4096),
        .init(CKM_SHA512_RSA_PKCS, .rsa(.pkcs1, hash: .sha512), 0x2801, keySizes: 768...4096),
        .init(CKM_SHA1_RSA_PKCS_PSS, .rsa(.pss, hash: .sha1), 0x2801, keySizes: 512...4096),
        .init(CKM_SHA224_RSA_PKCS_PSS, .rsa(.pss, hash: .sha224), 0x2801, keySizes: 512...4096),
        .init(CKM_SHA256_RSA_PKCS_PSS, .rsa(.pss, hash: .sha256), 0x2801, keySizes: 512...4096),
        .init(CKM_SHA384_RSA_PKCS_PSS, .rsa(.pss, hash: .sha384), 0x2801, keySizes: 768...4096),
        .init(CKM_SHA512_RSA_PKCS_PSS, .rsa(.pss, hash: .sha512), 0x2801, keySizes: 768...4096),
    ]

    /// What works for who asks, and is not listed because no token of the vendor's lists it.
    private static let unlisted: [MechanismDefinition] = [
        .init(CKM_SHA_1_HMAC, .code(.hmac(.sha1)), 0x2800),
        .init(CKM_SHA224_HMAC, .code(.hmac(.sha224)), 0x2800),
        .init(CKM_SHA256_HMAC, .code(.hmac(.sha256)), 0x2800),
        .init(CKM_SHA384_HMAC, .code(.hmac(.sha384)), 0x2800),
        .init(CKM_SHA512_HMAC, .code(.hmac(.sha512)), 0x2800),
        .init(CKM_AES_KEY_GEN, .keyGeneration(.aes), 0x8000),
        .init(CKM_GOSTR3410_KEY_WRAP, .keyTransport, 0x60000),
        .init(CKM_VENDOR_GOST_KEG, .keyDerivation(.keg), 0x80000),
        .init(CKM_AES_ECB, .cipher(.aes, .codebook), 0x300),
        .init(CKM_AES_CBC, .cipher(.aes, .chained), 0x300),
        .init(CKM_AES_CBC_PAD, .cipher(.aes, .padded), 0x300),
    ]

    /// - Throws: `CKR_MECHANISM_INVALID` for a mechanism that does not work.
    static func find(_ type: CK_MECHANISM_TYPE) throws(CKError) -> MechanismDefinition {
        if let definition = all.first(where: { $0.type == type }) { return definition }
        guard let definition = unlisted.first(where: { $0.type == type }) else {
            throw .mechanismInvalid("\(mechanism: type) does not work here")
        }
        return definition
    }

    /// Mechanisms that hash by GOST accept the hash's parameter set as their parameter, or none. Ciphers, codes and what
    /// makes keys of keys check theirs when they begin; the others accept none.
    func checkParameter(_ parameter: [UInt8]) throws(CKError) {
        guard !parameter.isEmpty else { return }
        switch work {
        case .digest(let hash), .signature(_, hash: .some(let hash)):
            guard parameter == hash.parameterSet else {
                throw .mechanismParameterInvalid(
                    "the parameter of \(parameter.count) octets is not the hash function's parameter set")
            }
        case .cipher, .code, .keyWrapping, .keyTransport, .keyDerivation, .rsa: break
        case .keyPairGeneration, .signature(_, hash: nil), .keyGeneration:
            throw .mechanismParameterInvalid("the parameter has \(parameter.count) octets, and must have none")
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
