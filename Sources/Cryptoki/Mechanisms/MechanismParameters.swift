// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import GOST
import HostCrypto
import Tokens

/// A mechanism's parameter that is a structure with pointers.
package enum MechanismParameters: Sendable {
    case agreement(AgreementParameters)
    case tree(KeyTreeParameters)
    case oaep(OAEPParameters)
    case transport(KeyTransportParameters)
}

extension Mechanism {
    /// The parameters of a key agreement, in whichever layout they came.
    func agreement() throws(CKError) -> AgreementParameters {
        if case .agreement(let parameters) = structure { return parameters }
        if let parameters = AgreementParameters(flat: parameter) { return parameters }
        guard type == CKM_GOSTR3410_12_DERIVE, let parameters = AgreementParameters(fixed: parameter) else {
            throw .mechanismParameterInvalid(
                "the parameter of \(parameter.count) bytes has none of the layouts of an agreement")
        }
        return parameters
    }
}

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
                throw .mechanismParameterInvalid("the parameter has \(parameter.count) bytes, and must have none")
            }
            guard let hash else { return padding == .raw ? .raw : .pkcs1 }
            return .pkcs1DigestInfo(hash)
        case .pss:
            // CK_RSA_PKCS_PSS_PARAMS: the hash function, the mask generation function, the length of the salt.
            guard let numbers = parameter.numbers, numbers.count == 3,
                let given = DigestAlgorithm.named(numbers[0]),
                hash ?? given == given, let mask = DigestAlgorithm.named(mask: numbers[1]),
                let saltLength = Int(exactly: numbers[2])
            else {
                throw .mechanismParameterInvalid(
                    "the parameter of \(parameter.count) bytes is not a CK_RSA_PKCS_PSS_PARAMS with known functions")
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
                throw .mechanismParameterInvalid("the parameter has \(parameter.count) bytes, and must have none")
            }
            return padding == .raw ? .raw : .pkcs1
        case .oaep:
            // Without a label the source may be 0, as in OpenSC's pkcs11-tool 0.23.
            guard case .oaep(let parameters) = structure,
                parameters.source == CKZ_DATA_SPECIFIED || (parameters.source == 0 && parameters.label.isEmpty),
                let hash = DigestAlgorithm.named(parameters.hash),
                let mask = DigestAlgorithm.named(mask: parameters.maskGeneration)
            else {
                throw .mechanismParameterInvalid(
                    "the parameter of \(parameter.count) bytes is not a CK_RSA_PKCS_OAEP_PARAMS with known functions")
            }
            return .oaep(hash: hash, mask: mask, label: parameters.label)
        case .pss: throw .mechanismInvalid("PSS encrypts nothing")
        }
    }
}

extension DigestAlgorithm {
    /// The hash functions of OAEP and PSS, as a parameter names them: each by itself, and for MGF1 (`CKG_MGF1_`).
    private static let names: [(hash: DigestAlgorithm, mechanism: CK_MECHANISM_TYPE, mask: CK_ULONG)] = [
        (.sha1, CKM_SHA_1, CK_ULONG(CKG_MGF1_SHA1)), (.sha224, CKM_SHA224, CK_ULONG(CKG_MGF1_SHA224)),
        (.sha256, CKM_SHA256, CK_ULONG(CKG_MGF1_SHA256)), (.sha384, CKM_SHA384, CK_ULONG(CKG_MGF1_SHA384)),
        (.sha512, CKM_SHA512, CK_ULONG(CKG_MGF1_SHA512)),
    ]

    fileprivate static func named(_ mechanism: CK_MECHANISM_TYPE) -> DigestAlgorithm? {
        names.first { $0.mechanism == mechanism }?.hash
    }

    fileprivate static func named(mask: CK_ULONG) -> DigestAlgorithm? { names.first { $0.mask == mask }?.hash }
}

extension [UInt8] {
    /// The numbers that a parameter is made of; nil if it is not made of whole ones.
    var numbers: [CK_ULONG]? {
        let size = MemoryLayout<CK_ULONG>.size
        guard count.isMultiple(of: size) else { return nil }
        return stride(from: 0, to: count, by: size).compactMap { CK_ULONG(bytes: Array(self[$0..<$0 + size])) }
    }
}
