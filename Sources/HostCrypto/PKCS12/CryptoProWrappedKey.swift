// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A private key as CryptoPro's programs put it into a file, under the algorithm 1.2.840.113549.1.12.1.80.
///
/// No standard describes it. The format is inferred from programs that open such files, and opens files that
/// CryptoPro's program has made. So a key counts only if a certificate in the file is its own.
extension PFXPassword {
    /// Opens a key.
    ///
    /// - Parameter parameters: The algorithm's: salt and number of iterations.
    mutating func openCryptoPro(
        _ ciphertext: Span<UInt8>, _ parameters: Span<UInt8>
    ) throws(PFXError) -> PrivateKeyInfo {
        var reader = PFXReader(parameters)
        let salt = try reader.bytes()
        let iterations = try reader.number()
        try reader.end()
        guard (8...64).contains(salt.count) else { throw .damaged }
        let transportKey = try transportKey(salt, iterations)
        let opened: Secret
        do throws(GOSTError) {
            opened = try CipherMessage.decrypt(
                ciphertext, .gost28147(.cryptoProA), .cfb, key: transportKey.bytes, iv: salt.span.extracting(first: 8),
                section: CipherMessage.meshingSection)
        } catch {
            throw .damaged
        }
        var outer = PFXReader(opened.bytes)
        var info = PFXReader(try outer.contents(.sequence))
        try outer.end()
        _ = try info.number()
        _ = try info.contents(.sequence)
        let blob = try info.contents(.octetString)
        // A header of the program's own interface comes first.
        let header = 16
        guard blob.count > header else { throw .damaged }
        let wrapped = try CryptoProWrappedKey(blob.extracting(droppingFirst: header))
        return try wrapped.unwrap(transportKey)
    }

    /// The hash code of the password, the salt and 1, the hash code of that, the salt and 2, and so on.
    private mutating func transportKey(_ salt: [UInt8], _ iterations: Int) throws(PFXError) -> Secret {
        try derivation(salt, iterations)
        var key = try utf16(isBigEndian: false)
        for number in 1...iterations {
            if number % 4096 == 0 { try proceed(number, of: iterations) }
            var hash = HashState(.gostR341194)
            hash.update(key.bytes)
            hash.update(salt.span)
            let suffix = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
            hash.update(suffix.span)
            key = hash.finalize()
        }
        return key
    }
}

/// A private key that is wrapped by another, GOST 28147-89 (RFC 4357, 6).
private struct CryptoProWrappedKey {
    let ukm, enciphered, code: [UInt8]
    let algorithm: PublicKeyAlgorithm
    let curve: Curve

    init(_ bytes: Span<UInt8>) throws(PFXError) {
        var outer = PFXReader(bytes)
        var exported = PFXReader(try outer.contents(.sequence))
        var blob = PFXReader(try exported.contents(.sequence))
        ukm = try blob.bytes()
        var key = PFXReader(try blob.contents(.sequence))
        enciphered = try key.bytes()
        code = try key.bytes()
        var info = PFXReader(try blob.contents(.context0))
        _ = try info.contents(.bitString)
        var identifier = PFXReader(try info.contents(.context0))
        let oid = try identifier.objectIdentifier()
        guard let algorithm = PublicKeyAlgorithm(privateKey: oid) else { throw .unsupported(oid) }
        self.algorithm = algorithm
        var parameters = PFXReader(try identifier.contents(.sequence))
        let name = try parameters.objectIdentifier()
        guard let curve = Curve(oid: name) else { throw .unsupported(name) }
        self.curve = curve
    }

    func unwrap(_ transportKey: borrowing Secret) throws(PFXError) -> PrivateKeyInfo {
        guard ukm.count == 8, enciphered.count == curve.coordinateSize else { throw .damaged }
        do throws(GOSTError) {
            let kek = try kek(transportKey.bytes)
            let scalar = try CipherMessage.decrypt(
                enciphered.span, .gost28147(.cryptoProA), .ecb, key: kek.bytes)
            try authenticate(scalar, kek)
            let key = try PrivateKey(curve: curve, scalar: scalar)
            return try PrivateKeyInfo(algorithm: algorithm, key: key)
        } catch {
            throw PFXError(error, else: error == .authenticationFailed ? .damaged : .invalidKey)
        }
    }

    /// Compares the MAC of the key with the one in the file (RFC 4357, 6.3).
    private func authenticate(_ scalar: borrowing Secret, _ kek: borrowing Secret) throws(GOSTError) {
        let expected = try GOST28147IMIT.authenticate(
            scalar.bytes, key: kek.bytes, iv: ukm.span, sBox: .cryptoProA, meshing: false)
        guard constantTimeEqual(expected.bytes, code.span) else { throw .authenticationFailed }
    }

    private func kek(_ transportKey: Span<UInt8>) throws(GOSTError) -> Secret {
        guard algorithm != .gostR34102001 else {
            return try GOST28147KeyWrap.diversify(transportKey, ukm: ukm.span, sBox: .cryptoProA)
        }
        let label: [UInt8] = [0x26, 0xBD, 0xB8, 0x78]
        return KDF.derive(key: transportKey, label: label.span, seed: ukm.span)
    }
}
