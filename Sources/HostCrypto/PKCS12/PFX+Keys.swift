// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

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
        let modulus = try numbers.octets(.integer)
        let publicExponent = try numbers.octets(.integer)
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
            throw PFXError(error, else: error == .invalidEncoding ? .damaged : .invalidKey)
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
