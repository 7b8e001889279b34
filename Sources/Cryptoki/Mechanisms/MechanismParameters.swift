// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
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

/// The parameters of RSAES-OAEP (`CK_RSA_PKCS_OAEP_PARAMS`).
package struct OAEPParameters: Sendable {
    package var hash: CK_MECHANISM_TYPE
    package var maskGeneration: CK_ULONG
    /// The source of the label (`CKZ_`).
    package var source: CK_ULONG
    package var label: [UInt8]

    package init(hash: CK_MECHANISM_TYPE, maskGeneration: CK_ULONG, source: CK_ULONG, label: [UInt8]) {
        self.hash = hash
        self.maskGeneration = maskGeneration
        self.source = source
        self.label = label
    }
}

/// The parameters of a key agreement: `CK_GOSTR3410_DERIVE_PARAMS`, `CK_ECDH1_DERIVE_PARAMS`, or the same without
/// pointers.
package struct AgreementParameters: Sendable, Equatable {
    /// The derivation from the shared secret (`CKD_`).
    package var derivation: CK_ULONG
    /// The other side's public key.
    package var publicData: [UInt8]
    /// The user keying material.
    package var ukm: [UInt8]

    package init(derivation: CK_ULONG, publicData: [UInt8], ukm: [UInt8]) {
        self.derivation = derivation
        self.publicData = publicData
        self.ukm = ukm
    }

    /// Reads the layouts without pointers: the three numbers in 32 bits, little-endian, as the vendor's C samples have
    /// them, or as `CK_ULONG`, as the vendor's .NET binding has. The lengths tell which.
    init?(flat bytes: [UInt8]) {
        guard let parameters = Self(flat: bytes, width: 4) ?? Self(flat: bytes, width: 8) else { return nil }
        self = parameters
    }

    /// Reads the same with fields of fixed length, as older bindings have them: 128 bytes for the public key, which
    /// need not fill them, and 8 for the UKM.
    init?(fixed bytes: [UInt8]) {
        let room = (publicData: 128, ukm: 8)
        guard let parameters = Self(flat: bytes, width: 4, room) ?? Self(flat: bytes, width: 8, room) else {
            return nil
        }
        self = parameters
    }

    /// - Parameter room: The least lengths of the fields.
    private init?(flat bytes: [UInt8], width: Int, _ room: (publicData: Int, ukm: Int) = (0, 0)) {
        var rest = bytes[...]
        func number() -> UInt64? {
            guard rest.count >= width else { return nil }
            let value = rest.prefix(width).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(width)
            return value
        }
        func field(_ room: Int) -> [UInt8]? {
            guard let count = number().flatMap({ Int(exactly: $0) }), max(count, room) <= rest.count else { return nil }
            defer { rest = rest.dropFirst(max(count, room)) }
            return Array(rest.prefix(count))
        }
        guard let derivation = number(), let publicData = field(room.publicData), let ukm = field(room.ukm),
            rest.isEmpty
        else { return nil }
        self.init(derivation: CK_ULONG(derivation), publicData: publicData, ukm: ukm)
    }
}

extension AgreementParameters {
    /// ``derivation`` as the standard numbers it, for agreements of GOST R 34.10. The vendor's bindings for Java have
    /// two numbers of their own. Some programs write an `int` as a `long`, so that the upper half is its sign.
    var function: CK_ULONG {
        let number = derivation >> 31 == 0x1_FFFF_FFFF ? derivation & 0xFFFF_FFFF : derivation
        return switch number {
        case Self.javaNull: CK_ULONG(CKD_NULL)
        case Self.javaDiversify: CK_ULONG(CKD_CPDIVERSIFY_KDF)
        default: number
        }
    }

    private static let (javaNull, javaDiversify): (CK_ULONG, CK_ULONG) = (0x9000_0001, 0x9000_0009)
}

/// The parameters of the transport of a key (`CK_GOSTR3410_KEY_WRAP_PARAMS`).
package struct KeyTransportParameters: Sendable {
    /// The object identifier of a substitution, or nothing.
    package var wrapOID: [UInt8] = []
    /// The user keying material: 8 bytes, or nothing.
    package var ukm: [UInt8] = []
    /// The sender's key, or `CK_INVALID_HANDLE`.
    package var key = CK_OBJECT_HANDLE(CK_INVALID_HANDLE)

    package init() {}
}

extension KeyTransportParameters {
    /// The substitution that the parameters name.
    ///
    /// - Throws: `CKR_MECHANISM_PARAM_INVALID` for an unknown one.
    var sBox: SBox? {
        get throws(CKError) {
            guard !wrapOID.isEmpty else { return nil }
            guard let sBox = SBox.all.first(where: { $0.oid == wrapOID }) else {
                throw .mechanismParameterInvalid("pWrapOID names no known substitution")
            }
            return sBox
        }
    }
}

/// The parameters of KDF_TREE_GOSTR3411_2012_256 (`CK_KDF_TREE_GOST_PARAMS`).
package struct KeyTreeParameters: Sendable {
    package var label: [UInt8]
    package var seed: [UInt8]
    /// The bytes of the counter.
    package var r: CK_ULONG
    /// The bytes that the tree gives.
    package var length: CK_ULONG
    /// The key's offset in them.
    package var offset: CK_ULONG

    package init(label: [UInt8], seed: [UInt8], r: CK_ULONG, length: CK_ULONG, offset: CK_ULONG) {
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
