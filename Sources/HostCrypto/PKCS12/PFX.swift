// SPDX-License-Identifier: Apache-2.0

package import GOST
import Secrets

/// Private keys and certificates that travel in a file under a password (PFX, PKCS #12; RFC 7292).
///
/// A file is opened only if its MAC verifies password and contents. Revocation lists and other things in it are
/// ignored.
package struct PFX: Sendable {
    /// In the order of the file.
    package let keys: [Key]
    package internal(set) var certificates: [Certificate]

    /// The greatest number of bytes of a file.
    package static let sizeLimit = 1 << 20
    /// The greatest number of times that all key derivations of a file together may compute a hash function. Programs
    /// write up to 600,000 iterations: up to five million computations for a file with one key, a few seconds. All of
    /// it lasts a minute or two.
    package static let workLimit = 40_000_000
    /// The greatest number of keys, certificates and other things in a file.
    package static let bagLimit = 256
    /// The greatest number of private keys in a file, each of which is checked.
    package static let keyLimit = 16

    /// A private key.
    package final class Key: Sendable {
        package enum Material: ~Copyable, Sendable {
            case gost(PrivateKeyInfo)
            case rsa(RSAPrivateKey)
            case ec(ECPrivateKey)
        }

        package let material: Material
        /// The private key's public half.
        package let publicKey: PublicKeyInfo
        package let name: BagName
        /// Whether only a certificate can confirm that the key was read as its writer meant it.
        let needsCertificate: Bool

        init(
            _ material: consuming Material, _ publicKey: PublicKeyInfo, _ name: BagName, needsCertificate: Bool = false
        ) {
            self.material = material
            self.publicKey = publicKey
            self.name = name
            self.needsCertificate = needsCertificate
        }
    }

    package struct Certificate: Sendable, Equatable {
        /// The bytes in the file, not yet parsed.
        package let der: [UInt8]
        package let name: BagName

        /// nil if the bytes are not a certificate, or its key is of a kind that the host does not support.
        package var publicKey: PublicKeyInfo? {
            guard let certificate = try? HostCrypto.Certificate(der: der.span) else { return nil }
            let info = certificate.subjectPublicKeyInfo
            return try? PublicKeyInfo(der: info.span)
        }
    }

    /// The writer's names for a key or a certificate.
    package struct BagName: Sendable, Equatable {
        /// localKeyId: a key and its certificate have the same (RFC 2985, 5.5.2). Empty if missing.
        package internal(set) var id: [UInt8] = []
        /// friendlyName (RFC 2985, 5.5.1). Empty if missing or unreadable.
        package internal(set) var label = ""
    }

    /// The first certificate of a key.
    package func certificate(of key: Key) -> Certificate? {
        certificates.first { $0.publicKey?.isSamePoint(as: key.publicKey) == true }
    }
}

extension PublicKeyInfo {
    /// Whether two keys are the same numbers. Parameter sets of GOST R 34.10 have several names for one curve, and a key and
    /// its certificate may differ in the name.
    package func isSamePoint(as other: PublicKeyInfo) -> Bool {
        if case .gost(let own) = self, case .gost(let other) = other { return own.key.bytes == other.key.bytes }
        return self == other
    }
}

extension PFX.Key {
    /// Reads an EncryptedPrivateKeyInfo (RFC 5958, 3).
    convenience init(
        shrouded value: Span<UInt8>, _ name: PFX.BagName, _ password: inout PFXPassword
    ) throws(PFXError) {
        var outer = PFXReader(value)
        var bag = PFXReader(try outer.contents(.sequence))
        try outer.end()
        let algorithm = try bag.contents(.sequence)
        let ciphertext = try bag.contents(.octetString)
        try bag.end()
        var identifier = PFXReader(algorithm)
        guard try identifier.objectIdentifier() == PFXIdentifier.cryptoProKey else {
            let opened = try password.open(ciphertext, algorithm)
            try self.init(opened.bytes, name)
            return
        }
        let info = try password.openCryptoPro(ciphertext, identifier.contents(.sequence))
        try self.init(info, name, needsCertificate: true)
    }

    /// Reads a PrivateKeyInfo (RFC 5958, 2).
    convenience init(_ value: Span<UInt8>, _ name: PFX.BagName) throws(PFXError) {
        var outer = PFXReader(value)
        var info = PFXReader(try outer.contents(.sequence))
        try outer.end()
        _ = try info.number()
        var identifier = PFXReader(try info.contents(.sequence))
        let algorithm = try identifier.objectIdentifier()
        switch algorithm {
        case PublicKeyInfo.rsaEncryption:
            try self.init(rsa: info.contents(.octetString), name)
        case PublicKeyInfo.ecPublicKey:
            let oid = try identifier.objectIdentifier()
            guard let curve = ECCurve(oid: oid) else { throw .unsupported(oid) }
            try self.init(ec: info.contents(.octetString), curve, name)
        default: try self.init(gost: value, algorithm, name)
        }
    }

    /// Reads an RSAPrivateKey (RFC 8017, A.1.2).
    private convenience init(rsa der: Span<UInt8>, _ name: PFX.BagName) throws(PFXError) {
        var outer = PFXReader(der)
        var numbers = PFXReader(try outer.contents(.sequence))
        try outer.end()
        guard try numbers.number() == 0 else { throw .invalidKey }
        let modulus = try numbers.bytes(.integer)
        let publicExponent = try numbers.bytes(.integer)
        let privateExponent = try numbers.secretNumber()
        let prime1 = try numbers.secretNumber()
        let prime2 = try numbers.secretNumber()
        let exponent1 = try numbers.secretNumber()
        let exponent2 = try numbers.secretNumber()
        let coefficient = try numbers.secretNumber()
        try numbers.end()
        let factors = RSAFactors(
            prime1: prime1, prime2: prime2, exponent1: exponent1, exponent2: exponent2, coefficient: coefficient)
        let components = RSAComponents(
            modulus: modulus, publicExponent: publicExponent, privateExponent: privateExponent, factors: factors)
        do throws(HostCryptoError) {
            let key = try RSAPrivateKey(components)
            let publicKey = key.publicKey
            self.init(.rsa(key), .rsa(publicKey), name)
        } catch {
            throw PFXError(error, else: .invalidKey)
        }
    }

    /// Reads an ECPrivateKey (RFC 5915, 3).
    private convenience init(ec der: Span<UInt8>, _ curve: ECCurve, _ name: PFX.BagName) throws(PFXError) {
        var outer = PFXReader(der)
        var fields = PFXReader(try outer.contents(.sequence))
        try outer.end()
        guard try fields.number() == 1 else { throw .damaged }
        let scalar = Secret(copying: try fields.contents(.octetString))
        do throws(HostCryptoError) {
            let key = try ECPrivateKey(curve: curve, scalar: scalar)
            let publicKey = key.publicKey
            self.init(.ec(key), .ec(publicKey), name)
        } catch {
            throw PFXError(error, else: .invalidKey)
        }
    }

    private convenience init(gost der: Span<UInt8>, _ algorithm: [UInt8], _ name: PFX.BagName) throws(PFXError) {
        guard PublicKeyAlgorithm(privateKey: algorithm) != nil else { throw .unsupported(algorithm) }
        let info: PrivateKeyInfo
        do throws(GOSTError) { info = try PrivateKeyInfo(der: der) } catch {
            switch error {
            case .invalidEncoding: throw .damaged
            case .invalidPoint: throw .ambiguousKey
            default: throw PFXError(error, else: .invalidKey)
            }
        }
        try self.init(info, name)
    }

    private convenience init(
        _ info: consuming PrivateKeyInfo, _ name: PFX.BagName, needsCertificate: Bool = false
    ) throws(PFXError) {
        let publicKey: SubjectPublicKeyInfo
        do throws(GOSTError) {
            let point = try info.key.publicKey()
            publicKey = try SubjectPublicKeyInfo(algorithm: info.algorithm.algorithm, key: point)
        } catch {
            throw PFXError(error, else: .invalidKey)
        }
        self.init(.gost(info), .gost(publicKey), name, needsCertificate: needsCertificate)
    }
}
