import CCryptoki
import HostCrypto

/// The padding of a mechanism of RSA.
enum RSAPadding: Sendable {
    /// Nothing: the number itself.
    case raw
    /// PKCS #1 v1.5.
    case pkcs1
    case oaep, pss
}

extension Mechanism {
    /// The scheme of a signature, or of a verification.
    ///
    /// - Parameter hash: The mechanism's own hash function.
    func signatureScheme(_ padding: RSAPadding, hash: DigestAlgorithm?) throws(CKError) -> RSASignatureScheme {
        switch padding {
        case .raw, .pkcs1:
            guard parameter.isEmpty else {
                throw .mechanismParameterInvalid("the parameter has \(parameter.count) octets, and must have none")
            }
            guard let hash else { return padding == .raw ? .raw : .pkcs1 }
            return .pkcs1DigestInfo(hash)
        case .pss:
            // CK_RSA_PKCS_PSS_PARAMS: the hash function, the mask generation function, the length of the salt.
            guard let numbers = parameter.numbers, numbers.count == 3,
                let given = DigestAlgorithm(mechanism: numbers[0]),
                hash ?? given == given, let mask = DigestAlgorithm(maskGeneration: numbers[1]),
                let saltLength = Int(exactly: numbers[2])
            else {
                throw .mechanismParameterInvalid(
                    "the parameter of \(parameter.count) octets is no CK_RSA_PKCS_PSS_PARAMS with known functions")
            }
            return .pss(hash: given, mask: mask, saltLength: saltLength)
        case .oaep: throw .mechanismInvalid("OAEP signs nothing")
        }
    }

    /// The scheme of an encryption or decryption.
    func encryptionScheme(_ padding: RSAPadding) throws(CKError) -> RSAEncryptionScheme {
        switch padding {
        case .raw, .pkcs1:
            guard parameter.isEmpty else {
                throw .mechanismParameterInvalid("the parameter has \(parameter.count) octets, and must have none")
            }
            return padding == .raw ? .raw : .pkcs1
        case .oaep:
            // Without a label the source may be 0, as in OpenSC's pkcs11-tool 0.23.
            guard case .oaep(let parameters) = structure,
                parameters.source == CKZ_DATA_SPECIFIED || (parameters.source == 0 && parameters.label.isEmpty),
                let hash = DigestAlgorithm(mechanism: parameters.hash),
                let mask = DigestAlgorithm(maskGeneration: parameters.maskGeneration)
            else {
                throw .mechanismParameterInvalid(
                    "the parameter of \(parameter.count) octets is no CK_RSA_PKCS_OAEP_PARAMS with known functions")
            }
            return .oaep(hash: hash, mask: mask, label: parameters.label)
        case .pss: throw .mechanismInvalid("PSS encrypts nothing")
        }
    }
}

extension DigestAlgorithm {
    /// The hash function that a parameter of OAEP or PSS names.
    fileprivate init?(mechanism: CK_MECHANISM_TYPE) {
        switch mechanism {
        case CKM_SHA_1: self = .sha1
        case CKM_SHA224: self = .sha224
        case CKM_SHA256: self = .sha256
        case CKM_SHA384: self = .sha384
        case CKM_SHA512: self = .sha512
        default: return nil
        }
    }

    /// The hash function of MGF1 (`CKG_MGF1_`).
    fileprivate init?(maskGeneration: CK_ULONG) {
        switch maskGeneration {
        case CK_ULONG(CKG_MGF1_SHA1): self = .sha1
        case CK_ULONG(CKG_MGF1_SHA224): self = .sha224
        case CK_ULONG(CKG_MGF1_SHA256): self = .sha256
        case CK_ULONG(CKG_MGF1_SHA384): self = .sha384
        case CK_ULONG(CKG_MGF1_SHA512): self = .sha512
        default: return nil
        }
    }
}

extension [UInt8] {
    /// The numbers that a parameter is made of; nil if it is not made of whole ones.
    var numbers: [CK_ULONG]? {
        let size = MemoryLayout<CK_ULONG>.size
        guard count.isMultiple(of: size) else { return nil }
        return stride(from: 0, to: count, by: size).map { start in
            self[start..<start + size].reversed().reduce(0) { $0 << 8 | CK_ULONG($1) }
        }
    }
}
