// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import GOST
import HostCrypto
import Secrets
import Tokens

/// How a key is derived from another.
enum KeyDerivation: Sendable {
    /// VKO GOST R 34.10-2001 (RFC 4357, 5.2), then the derivation that the parameter names.
    case vko2001
    /// VKO_GOSTR3410_2012_256 (RFC 7836, 4.3.1), then the derivation that the parameter names.
    case vko2012256
    /// VKO_GOSTR3410_2012_512 (RFC 7836, 4.3.2).
    case vko2012512
    /// KEG (RFC 9189, 8.3.1).
    case keg
    /// ECDH with the cofactor 1 (PKCS #11 v2.40 current mechanisms, 2.3.8), then the derivation that the parameter
    /// names.
    case ecdh
    /// KDF_TREE_GOSTR3411_2012_256 (RFC 7836, 4.4).
    case tree
    /// The base key's value followed by another's (PKCS #11 v2.40, 2.31.2).
    case concatenation

    /// The types of the private keys that agree; none without an agreement.
    var keyTypes: [KeyType] {
        switch self {
        case .vko2001: [.gostR3410]
        case .vko2012256, .keg: [.gostR3410, .gostR3410With512Bits]
        case .vko2012512: [.gostR3410With512Bits]
        case .ecdh: [.ec]
        case .tree, .concatenation: []
        }
    }

    /// Whether it begins with secret keys, and not with an agreement.
    var isOfSecrets: Bool { keyTypes.isEmpty }

    /// The types of the keys that are derived. The first is the default if the template names none.
    var derivedTypes: [SecretKeyType] {
        switch self {
        case .vko2001, .vko2012256: [.gost28147, .magma, .kuznyechik, .generic]
        case .vko2012512, .keg: [.kuznyechikTwin, .magmaTwin, .generic]
        case .ecdh, .tree, .concatenation: [.generic] + SecretKeyType.all.filter { $0 != .generic }
        }
    }
}

/// The agreement proper: of a point X ‖ Y, a UKM, a little-endian number, and a hash function.
typealias VKO = (_ peer: [UInt8], _ ukm: [UInt8], _ hash: HashAlgorithm) throws(CKError) -> Secret

extension AgreementParameters {
    /// The secret that a private key and the other side's public key agree on.
    ///
    /// - Parameters:
    ///   - size: The bytes of a coordinate.
    ///   - vko: The computation with the private key.
    func agree(size: Int, _ derivation: KeyDerivation, sBox: SBox, _ vko: VKO) throws(CKError) -> Secret {
        let peer = bare(size)
        switch derivation {
        case .vko2001:
            let secret = try vko(peer, ukm, .gostR341194)
            return try diversify(secret, sBox)
        case .vko2012256:
            let secret = try vko(peer, ukm, .streebog256)
            return try diversify(secret, sBox)
        case .vko2012512:
            guard function == CK_ULONG(CKD_NULL) else {
                throw .mechanismParameterInvalid("kdf is \(hex: self.derivation), and must be CKD_NULL")
            }
            return try vko(peer, ukm, .streebog512)
        case .keg:
            // The first 16 bytes are the UKM; the next 8 are a seed, on curves of 256 bits only.
            guard function == CK_ULONG(CKD_NULL), ukm.count >= (size == 32 ? 24 : 16) else {
                throw .mechanismParameterInvalid(
                    "kdf is \(hex: self.derivation), and must be CKD_NULL, or the UKM has \(ukm.count) bytes")
            }
            let number = Array(ukm.prefix(16).reversed())
            guard size == 32 else { return try vko(peer, number, .streebog512) }
            let secret = try vko(peer, number, .streebog256)
            do { return try PrivateKey.kegKeys(from: secret, seed: ukm.span.extracting(16..<24)) } catch {
                throw CKError(error)
            }
        case .ecdh, .tree, .concatenation: throw .mechanismInvalid("it is not an agreement of GOST")
        }
    }

    /// The public key without the OCTET STRING around it that some applications send.
    private func bare(_ size: Int) -> [UInt8] {
        publicData.count > 2 * size && publicData.first == 4 ? publicData.suffix(2 * size) : publicData
    }

    /// The result of the key derivation function for a shared secret of 32 bytes.
    private func diversify(_ secret: borrowing Secret, _ sBox: SBox) throws(CKError) -> Secret {
        switch function {
        case CK_ULONG(CKD_NULL): return secret.copy()
        case CK_ULONG(CKD_CPDIVERSIFY_KDF), CK_ULONG(CKD_KDF_4357):
            do { return try GOST28147KeyWrap.diversify(secret.bytes, ukm: ukm.span, sBox: sBox) } catch {
                throw .mechanismParameterInvalid("pUKM has \(ukm.count) bytes, the KDF takes 8")
            }
        case CK_ULONG(CKD_KDF_GOSTR3411_2012_256):
            let label: [UInt8] = [0x26, 0xBD, 0xB8, 0x78]
            return KDF.derive(key: secret.bytes, label: label.span, seed: ukm.span)
        default: throw .mechanismParameterInvalid("kdf is \(hex: derivation), which this mechanism does not have")
        }
    }
}

extension AgreementParameters {
    /// The other side's public key, bare or in an OCTET STRING, compressed or not.
    func publicKey(on curve: ECCurve) throws(CKError) -> ECPublicKey {
        do throws(HostCryptoError) { return try ECPublicKey(curve: curve, anyForm: publicData) } catch {
            throw error == .libraryFailure
                ? .hostFailed : .mechanismParameterInvalid("pPublicData is not a point of the key's curve")
        }
    }

    /// Derives `count` bytes from the shared secret of ECDH. Without a key derivation function these are its last
    /// bytes.
    func expand(_ secret: borrowing Secret, count: Int?) throws(CKError) -> Secret {
        let hash: DigestAlgorithm
        switch derivation {
        case CK_ULONG(CKD_NULL):
            guard ukm.isEmpty else {
                throw .mechanismParameterInvalid("kdf is CKD_NULL, and pSharedData has \(ukm.count) bytes")
            }
            let count = count ?? secret.count
            guard count <= secret.count else {
                throw .templateInconsistent("CKA_VALUE_LEN is \(count), the secret has \(secret.count) bytes")
            }
            return secret.extracting(secret.count - count..<secret.count)
        case CK_ULONG(CKD_SHA1_KDF): hash = .sha1
        case CK_ULONG(CKD_SHA224_KDF): hash = .sha224
        case CK_ULONG(CKD_SHA256_KDF): hash = .sha256
        case CK_ULONG(CKD_SHA384_KDF): hash = .sha384
        case CK_ULONG(CKD_SHA512_KDF): hash = .sha512
        default: throw .mechanismParameterInvalid("kdf is \(hex: derivation), which this mechanism does not have")
        }
        guard let count else { throw .templateIncomplete("CKA_VALUE_LEN is missing") }
        do throws(HostCryptoError) { return try X963KDF.derive(from: secret, info: ukm, count: count, hash) } catch {
            throw error == .invalidParameter
                ? .templateInconsistent("CKA_VALUE_LEN is \(count), more than the KDF gives") : CKError(error)
        }
    }
}

extension KeyTreeParameters {
    /// Derives `count` bytes of the tree, or all from the offset on.
    func derive(from key: borrowing Secret, count: Int?) throws(CKError) -> Secret {
        guard let r = Int(exactly: r), let length = Int(exactly: length), let offset = Int(exactly: offset),
            (1...4).contains(r), (1...4096).contains(length), (0..<length).contains(offset)
        else {
            throw .mechanismParameterInvalid("ulR, ulL and ulOffset are \(r), \(length) and \(offset)")
        }
        let count = count ?? length - offset
        guard count <= length - offset else {
            throw .mechanismParameterInvalid("ulL \(length) and ulOffset \(offset) leave no \(count) bytes")
        }
        do throws(GOSTError) {
            let bytes = try KDFTree<Streebog256>.derive(
                key: key.bytes, label: label.span, seed: seed.span, r: r, count: length)
            return bytes.extracting(offset..<(offset + count))
        } catch {
            throw .mechanismParameterInvalid("ulR \(r) bytes count no \(length) bytes")
        }
    }
}
