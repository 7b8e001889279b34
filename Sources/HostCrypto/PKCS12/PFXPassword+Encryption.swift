// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// Decryption under a password.
extension PFXPassword {
    /// Deciphers.
    ///
    /// - Parameter algorithm: The contents of an AlgorithmIdentifier.
    mutating func open(_ ciphertext: Span<UInt8>, _ algorithm: Span<UInt8>) throws(PFXError) -> Secret {
        var identifier = PFXReader(algorithm)
        let oid = try identifier.objectIdentifier()
        switch oid {
        case PFXIdentifier.pbes2:
            var parameters = PFXReader(try identifier.contents(.sequence))
            try identifier.end()
            let derivation = try parameters.contents(.sequence)
            let scheme = try parameters.contents(.sequence)
            try parameters.end()
            return try open(ciphertext, derivation, scheme)
        case PFXIdentifier.pkcs([12, 1, 3]), PFXIdentifier.pkcs([12, 1, 4]):
            let isLong = oid.last == 3
            let derived = try keyAndIV(identifier.contents(.sequence), keySize: isLong ? 24 : 16)
            // Of two keys the first comes again (NIST SP 800-67, 3.2).
            let again = derived.key.bytes.extracting(first: isLong ? 0 : 8)
            let key = derived.key.appending(again)
            do throws(HostCryptoError) {
                let iv = [UInt8](copying: derived.iv)
                return try PaddedCBC.tripleDES.apply(ciphertext, key: key.bytes, iv: iv, isEncryption: false)
            } catch {
                throw PFXError(error, else: .damaged)
            }
        case PFXIdentifier.pkcs([12, 1, 5]), PFXIdentifier.pkcs([12, 1, 6]):
            let derived = try keyAndIV(identifier.contents(.sequence), keySize: oid.last == 5 ? 16 : 5)
            do throws(HostCryptoError) {
                let cipher = try RC2(key: derived.key.bytes)
                return try cipher.decrypt(ciphertext, iv: derived.iv.bytes)
            } catch {
                throw PFXError(error, else: .damaged)
            }
        default: throw .unsupported(oid)
        }
    }

    /// The key and the initialisation vector of the algorithms of PKCS #12 itself (RFC 7292, C).
    private struct KeyAndIV: ~Copyable {
        let key, iv: Secret
    }

    private mutating func keyAndIV(_ parameters: Span<UInt8>, keySize: Int) throws(PFXError) -> KeyAndIV {
        var reader = PFXReader(parameters)
        let salt = try reader.bytes()
        let iterations = try reader.number()
        try reader.end()
        let key = try pkcs12(.key, .sha1, salt: salt, iterations: iterations, count: keySize)
        let iv = try pkcs12(.initialisationVector, .sha1, salt: salt, iterations: iterations, count: 8)
        return KeyAndIV(key: key, iv: iv)
    }

    /// Deciphers by PBES2 (RFC 8018, 6.2).
    private mutating func open(
        _ ciphertext: Span<UInt8>, _ derivation: Span<UInt8>, _ scheme: Span<UInt8>
    ) throws(PFXError) -> Secret {
        var identifier = PFXReader(scheme)
        let oid = try identifier.objectIdentifier()
        guard let cipher = PFXCipher(oid) else { throw .unsupported(oid) }
        let key = try key(derivation, count: cipher.keySize)
        return try cipher.decrypt(ciphertext, key: key.bytes, &identifier)
    }

    /// Reads the AlgorithmIdentifier of PBKDF2 (RFC 8018, A.2) and derives a key.
    ///
    /// - Parameter count: The bytes of the key; nil if the parameters have to say it, from 20 on (RFC 9579, 5).
    mutating func key(_ derivation: Span<UInt8>, count: Int?) throws(PFXError) -> Secret {
        var identifier = PFXReader(derivation)
        let oid = try identifier.objectIdentifier()
        guard oid == PFXIdentifier.pbkdf2 else { throw .unsupported(oid) }
        var parameters = PFXReader(try identifier.contents(.sequence))
        let salt = try parameters.bytes()
        let iterations = try parameters.number()
        let given = try parameters.isAt(.integer) ? parameters.number() : count
        guard let size = given, count == nil ? Self.codeKeySizes.contains(size) : size == count else { throw .damaged }
        var hash = DigestAlgorithm.sha1
        if !parameters.isAtEnd {
            var function = PFXReader(try parameters.contents(.sequence))
            let oid = try function.objectIdentifier()
            guard let named = DigestAlgorithm(pseudorandomFunction: oid) else { throw .unsupported(oid) }
            hash = named
        }
        try parameters.end()
        return try pbkdf2(hash, salt: salt, iterations: iterations, count: size)
    }

    /// The bytes of a key for a code by PBMAC1.
    private static let codeKeySizes = 20...512
}

extension DigestAlgorithm {
    /// The hash function of a pseudorandom function of PBKDF2 (RFC 8018, B.1; RFC 9337, 4).
    init?(pseudorandomFunction oid: [UInt8]) {
        switch oid {
        case PFXIdentifier.rsadsi([2, 7]): self = .sha1
        case PFXIdentifier.rsadsi([2, 8]): self = .sha224
        case PFXIdentifier.rsadsi([2, 9]): self = .sha256
        case PFXIdentifier.rsadsi([2, 10]): self = .sha384
        case PFXIdentifier.rsadsi([2, 11]): self = .sha512
        case PFXIdentifier.tc26([4, 1]): self = .streebog256
        case PFXIdentifier.tc26([4, 2]): self = .streebog512
        // id-HMACGostR3411-94 (RFC 4357, 10).
        case PFXIdentifier.oid([0x2A, 0x85, 0x03, 0x02, 0x02, 0x0A]): self = .gostR341194
        default: return nil
        }
    }
}

/// A cipher of PBES2.
enum PFXCipher {
    /// RFC 9337, 7.3: in the mode CTR-ACPKM, with or without a MAC at the end.
    case kuznyechik(hasCode: Bool)
    case magma(hasCode: Bool)
    /// GOST 28147-89 in CFB (RFC 4490, 5.1), which TC26 had recommended before (R 50.1.112-2016).
    case gost28147
    /// In CBC (RFC 8018, B.2), with a key of so many bytes.
    case aes(Int)
    case tripleDES

    init?(_ oid: [UInt8]) {
        switch oid {
        case PFXIdentifier.tc26([5, 1, 1]): self = .magma(hasCode: false)
        case PFXIdentifier.tc26([5, 1, 2]): self = .magma(hasCode: true)
        case PFXIdentifier.tc26([5, 2, 1]): self = .kuznyechik(hasCode: false)
        case PFXIdentifier.tc26([5, 2, 2]): self = .kuznyechik(hasCode: true)
        case PFXIdentifier.oid([0x2A, 0x85, 0x03, 0x02, 0x02, 0x15]): self = .gost28147
        case PFXIdentifier.oid(Self.aes + [2]): self = .aes(16)
        case PFXIdentifier.oid(Self.aes + [22]): self = .aes(24)
        case PFXIdentifier.oid(Self.aes + [42]): self = .aes(32)
        case PFXIdentifier.rsadsi([3, 7]): self = .tripleDES
        default: return nil
        }
    }

    private static let aes: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01]

    /// The bytes of a key.
    var keySize: Int {
        switch self {
        case .aes(let size): size
        case .tripleDES: 24
        default: 32
        }
    }

    /// Deciphers.
    ///
    /// - Parameter parameters: The parameters after the cipher's object identifier.
    @_lifetime(parameters: copy parameters)
    func decrypt(
        _ ciphertext: Span<UInt8>, key: Span<UInt8>, _ parameters: inout PFXReader
    ) throws(PFXError) -> Secret {
        switch self {
        case .kuznyechik(let hasCode):
            let ukm = try Self.userKeyingMaterial(&parameters)
            return try PasswordACPKM.decrypt(
                ciphertext, .kuznyechik, key: key, ukm: ukm.span, section: 1 << 18, hasCode: hasCode)
        case .magma(let hasCode):
            let ukm = try Self.userKeyingMaterial(&parameters)
            return try PasswordACPKM.decrypt(
                ciphertext, .magma, key: key, ukm: ukm.span, section: 1 << 13, hasCode: hasCode)
        case .gost28147:
            var fields = PFXReader(try parameters.contents(.sequence))
            try parameters.end()
            let iv = try fields.bytes()
            let name = try fields.objectIdentifier()
            try fields.end()
            guard let sBox = SBox.all.first(where: { $0.oid == name }) else { throw .unsupported(name) }
            do throws(GOSTError) {
                // Every set of parameters of CryptoPro and TC26 changes keys by meshing (RFC 4357, 2.3.2).
                return try CipherMessage.decrypt(
                    ciphertext, .gost28147(sBox), .cfb, key: key, iv: iv.span, section: CipherMessage.meshingSection)
            } catch {
                throw .damaged
            }
        case .aes: return try Self.decrypt(ciphertext, .aes, key, &parameters)
        case .tripleDES: return try Self.decrypt(ciphertext, .tripleDES, key, &parameters)
        }
    }

    @_lifetime(parameters: copy parameters)
    private static func decrypt(
        _ ciphertext: Span<UInt8>, _ cipher: PaddedCBC, _ key: Span<UInt8>, _ parameters: inout PFXReader
    ) throws(PFXError) -> Secret {
        let iv = try parameters.bytes()
        try parameters.end()
        do throws(HostCryptoError) {
            return try cipher.apply(ciphertext, key: key, iv: iv, isEncryption: false)
        } catch {
            throw PFXError(error, else: .damaged)
        }
    }

    private static func userKeyingMaterial(_ identifier: inout PFXReader) throws(PFXError) -> [UInt8] {
        var parameters = PFXReader(try identifier.contents(.sequence))
        try identifier.end()
        let ukm = try parameters.bytes()
        try parameters.end()
        return ukm
    }
}

/// CTR-ACPKM with a derived key (RFC 9337, 7.3).
private enum PasswordACPKM {
    /// - Parameters:
    ///   - ukm: The initialisation vector, half a block, and the seed of the keys of message and MAC, 8 bytes.
    ///   - section: The bytes after which the key changes.
    ///   - hasCode: Whether the plaintext is followed by its MAC (OMAC), and both are encrypted.
    static func decrypt(
        _ ciphertext: Span<UInt8>, _ algorithm: CipherAlgorithm, key: Span<UInt8>, ukm: Span<UInt8>, section: Int,
        hasCode: Bool
    ) throws(PFXError) -> Secret {
        let half = algorithm.blockSize / 2
        guard ukm.count == half + 8 else { throw .damaged }
        do throws(GOSTError) {
            let iv = ukm.extracting(first: half)
            guard hasCode else {
                return try CipherMessage.decrypt(ciphertext, algorithm, .ctr, key: key, iv: iv, section: section)
            }
            let label = Array("kdf tree".utf8)
            let keys = try KDFTree<Streebog256>.derive(
                key: key, label: label.span, seed: ukm.extracting(last: 8), count: 64)
            let opened = try CipherMessage.decrypt(
                ciphertext, algorithm, .ctr, key: keys.bytes.extracting(first: 32), iv: iv, section: section)
            let count = opened.count - algorithm.blockSize
            guard count >= 0 else { throw GOSTError.invalidLength }
            let code = try OMAC.authenticate(
                opened.bytes.extracting(first: count), algorithm, key: keys.bytes.extracting(last: 32))
            guard constantTimeEqual(code.bytes, opened.bytes.extracting(droppingFirst: count)) else {
                throw GOSTError.authenticationFailed
            }
            return opened.extracting(0..<count)
        } catch {
            throw .damaged
        }
    }
}
