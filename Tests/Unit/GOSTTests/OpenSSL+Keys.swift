// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport

/// Keys of GOST R 34.10 in the files that the program reads and writes.
extension OpenSSL {
    /// Writes a private key as PKCS #8 has it.
    func write(_ key: borrowing PrivateKey, of algorithm: PublicKeyAlgorithm, _ name: String) throws {
        let key = try PrivateKey(curve: key.curve, scalar: key.scalar.copy())
        let info = try PrivateKeyInfo(algorithm: algorithm, key: key)
        try write(info.der().array, name)
    }

    /// Writes a public key as X.509 has it.
    func write(_ key: PublicKey, of algorithm: PublicKeyAlgorithm, _ name: String) throws {
        try write(SubjectPublicKeyInfo(algorithm: algorithm, key: key).der, name)
    }

    /// Reads a private key as PKCS #8 has it.
    func readPrivateKey(_ name: String) throws -> PrivateKey {
        let der = try read(name)
        let info = try PrivateKeyInfo(der: der.span)
        return try PrivateKey(curve: info.key.curve, scalar: info.key.scalar.copy())
    }

    /// Reads a public key as X.509 has it.
    func readPublicKey(_ name: String) throws -> PublicKey {
        let der = try read(name)
        return try SubjectPublicKeyInfo(der: der.span).key
    }

    /// Runs `openssl` with these words, and expects success.
    ///
    /// - Parameter sBox: The parameter set that ciphers of GOST 28147-89 take unless they bring their own.
    func run(_ words: String, sBox: SBox?) throws {
        try run(words, environment: sBox.map { ["CRYPT_PARAMS": $0.name] } ?? [:])
    }
}

extension PublicKeyAlgorithm {
    /// The algorithm of the parameter set's own standard.
    init(of curve: Curve) {
        switch curve.coordinateSize {
        case 64: self = .gostR34102012512
        case _ where curve.name.hasPrefix("id-tc26"): self = .gostR34102012256
        default: self = .gostR34102001
        }
    }

    /// The hash code of a message with the hash function that goes with the algorithm.
    func hash(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .gostR34102001: GOSTR341194.hash(message)
        case .gostR34102012256: Streebog256.hash(message)
        case .gostR34102012512: Streebog512.hash(message)
        }
    }
}
