// SPDX-License-Identifier: Apache-2.0

import CCryptoki
import Cryptoki
import HostCrypto
import Secrets

/// The kind of a key pair: algorithm and size.
public enum KeyKind: Sendable, Hashable {
    /// GOST R 34.10-2012 with 256 bits. The parameter set is CryptoPro's A.
    case gost256
    /// GOST R 34.10-2012 with 512 bits. The parameter set is TK 26's A.
    case gost512
    /// RSA with a modulus of so many bits.
    case rsa(bits: Int)
    /// ECDSA on the curve P-256.
    case p256
    /// A pair that another program made and that this library only lists.
    case other
}

/// A key pair on a token. The private key never leaves it.
public struct KeyPair: Sendable, Equatable {
    /// The kind of the pair: algorithm and size.
    public let kind: KeyKind
    /// The identifier that both halves and their certificate share.
    public let id: [UInt8]
    /// The name that it was given.
    public let label: String
    let privateKey: ObjectReference
    let publicKey: ObjectReference?
}

extension Session {
    /// The key pairs on the token. They are seen after the PIN only.
    public func keyPairs() throws(KanalError) -> [KeyPair] {
        let publicKeys = try objects([(CKA_CLASS, CKO_PUBLIC_KEY.bytes)], [CKA_PUBLIC_KEY_INFO])
        let template = [(type: CKA_CLASS, value: CKO_PRIVATE_KEY.bytes), (CKA_TOKEN, [1])]
        return try objects(template, [CKA_PUBLIC_KEY_INFO]).map { handle, attributes in
            let candidates = publicKeys.filter { candidate in
                candidate.attributes[CKA_ID] == attributes[CKA_ID]
                    && candidate.attributes[CKA_KEY_TYPE] == attributes[CKA_KEY_TYPE]
            }
            // Several pairs can have one identifier.
            let publicKey =
                candidates.first { $0.attributes[CKA_PUBLIC_KEY_INFO] == attributes[CKA_PUBLIC_KEY_INFO] }
                ?? candidates.first
            return KeyPair(
                kind: KeyKind(attributes), id: attributes[CKA_ID] ?? [], label: attributes.text(CKA_LABEL),
                privateKey: ObjectReference(handle, attributes),
                publicKey: publicKey.map { ObjectReference($0.handle, $0.attributes) })
        }
    }

    /// Makes a key pair on the token. RSA takes many seconds.
    ///
    /// - Parameters:
    ///   - id: The identifier that both halves get, and that a certificate should get.
    ///   - canAgree: Whether the key may agree on secrets (``agree(by:with:using:)``), which cannot be changed later. Keys of
    ///     RSA do not.
    public func generateKeyPair(
        _ kind: KeyKind, id: [UInt8], label: String, canAgree: Bool = false
    ) throws(KanalError) -> KeyPair {
        let mechanism = try kind.generation
        if case .rsa = kind, canAgree { throw .invalidArgument("a key of RSA agrees on no secrets") }
        let common: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = [
            (CKA_TOKEN, [1]), (CKA_ID, id), (CKA_LABEL, Array(label.utf8)),
        ]
        let parameters = try kind.parameters
        let handles = try call { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(type: mechanism, parameter: []),
                publicTemplate: Attributes(template: common + parameters),
                privateTemplate: Attributes(template: common + [(CKA_PRIVATE, [1]), (CKA_DERIVE, [canAgree ? 1 : 0])]))
        }
        guard let pair = try keyPairs().first(where: { $0.privateKey.handle == handles.1 }) else {
            throw .objectNotFound
        }
        return pair
    }

    /// Removes a key pair from the token, for ever.
    public func delete(_ keyPair: KeyPair) throws(KanalError) {
        try delete(keyPair.privateKey)
        if let publicKey = keyPair.publicKey { try delete(publicKey) }
    }

    /// The public key of a pair, a SubjectPublicKeyInfo in DER (RFC 5280, 4.1), as certificates and files of public keys
    /// have it.
    ///
    /// - Throws: ``KanalError/invalidArgument(_:)`` if nothing on the token tells it.
    public func publicKeyInfo(of keyPair: KeyPair) throws(KanalError) -> [UInt8] {
        let handle = try handle(of: keyPair.privateKey)
        let info = try call { session throws(CKError) in
            try session.attributes(of: handle, types: [CKA_PUBLIC_KEY_INFO])[CKA_PUBLIC_KEY_INFO] ?? []
        }
        guard !info.isEmpty else { throw .invalidArgument("the key pair's public key is not on the token") }
        return info
    }
}

extension KeyKind {
    init(_ attributes: Attributes) {
        self =
            switch try? attributes.number(CKA_KEY_TYPE) {
            case CKK_GOSTR3410: .gost256
            case CKK_GOSTR3410_512: .gost512
            case CKK_RSA: .rsa(bits: (attributes[CKA_MODULUS]?.count ?? 0) * 8)
            case CKK_EC where attributes[CKA_EC_PARAMS] == Self.p256Parameters: .p256
            default: .other
            }
    }

    private static let p256Parameters: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    fileprivate var generation: CK_MECHANISM_TYPE {
        get throws(KanalError) {
            switch self {
            case .gost256: CKM_GOSTR3410_KEY_PAIR_GEN
            case .gost512: CKM_GOSTR3410_512_KEY_PAIR_GEN
            case .rsa: CKM_RSA_PKCS_KEY_PAIR_GEN
            case .p256: CKM_EC_KEY_PAIR_GEN
            case .other: throw .invalidArgument("this kind of key pair cannot be made")
            }
        }
    }

    fileprivate var parameters: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] {
        get throws(KanalError) {
            switch self {
            case .gost256:
                [(CKA_GOSTR3410_PARAMS, [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01])]
            case .gost512:
                [(CKA_GOSTR3410_PARAMS, [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x02, 0x01])]
            case .rsa(let bits):
                [(CKA_MODULUS_BITS, CK_ULONG(clamping: bits).bytes), (CKA_PUBLIC_EXPONENT, [1, 0, 1])]
            case .p256: [(CKA_EC_PARAMS, Self.p256Parameters)]
            case .other: throw .invalidArgument("this kind of key pair cannot be made")
            }
        }
    }
}

extension Session {
    /// Puts the private keys of a PFX file (PKCS #12) onto the token, with their public keys and certificates. They cannot
    /// be read back.
    ///
    /// - Parameters:
    ///   - file: The file's bytes. Nothing of them is written to disk.
    ///   - password: The file's password.
    ///   - label: A name for the key pairs; nil for the file's own names.
    /// - Throws: ``KanalError/passwordIncorrect(triesLeft:)`` for a wrong password; ``KanalError/invalidArgument(_:)`` for a
    ///   file that cannot be read, with the reason. Keys before one that is refused stay.
    public func importPFX(
        _ file: [UInt8], password: borrowing PIN, label: String? = nil
    ) throws(KanalError) -> [KeyPair] {
        let secret = password.secret.secret.copy()
        let pfx: PFX
        do throws(PFXError) { pfx = try PFX(parsing: file.span, password: secret) } catch {
            guard error == .wrongPassword else {
                throw .invalidArgument("the PFX file cannot be read: \(error)")
            }
            throw .passwordIncorrect(triesLeft: nil)
        }
        guard !pfx.keys.isEmpty else { throw .invalidArgument("the PFX file has no private key") }
        var ids: [[UInt8]] = []
        for key in pfx.keys {
            let imported = try call { session throws(CKError) in
                try session.importPFX(key, of: pfx, label: label.map { Array($0.utf8) })
            }
            ids.append(imported.id)
        }
        return try keyPairs().filter { ids.contains($0.id) }
    }
}
