// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

extension DigestAlgorithm {
    /// Those that RSA and ECDSA are used with.
    static let general: [DigestAlgorithm] = [.md5, .sha1, .sha224, .sha256, .sha384, .sha512]

    func callAsFunction(_ message: [UInt8]) throws -> [UInt8] { try Digest.digest(message.span, self) }
}

extension [UInt8] {
    init(_ text: String) { self = Array(text.utf8) }

    /// The bytes with one bit flipped.
    func changed(at index: Int, bit: Int = 0) -> [UInt8] {
        var copy = self
        copy[index] ^= 1 << bit
        return copy
    }
}

/// Expects a call to be refused.
func expect(
    _ error: HostCryptoError, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    #expect(throws: error, sourceLocation: sourceLocation) { try body() }
}

/// An RSAPrivateKey (RFC 8017, A.1.2).
struct RSAKeyFile {
    let modulus, publicExponent: [UInt8]
    /// d, p, q, d modulo p − 1, d modulo q − 1, the inverse of q modulo p.
    let privateNumbers: [[UInt8]]

    init(_ components: borrowing RSAComponents) {
        modulus = components.modulus
        publicExponent = components.publicExponent
        var numbers = [[UInt8](copying: components.privateExponent)]
        switch components.factors {
        case .none: break
        case .some(let factors):
            numbers.append([UInt8](copying: factors.prime1))
            numbers.append([UInt8](copying: factors.prime2))
            numbers.append([UInt8](copying: factors.exponent1))
            numbers.append([UInt8](copying: factors.exponent2))
            numbers.append([UInt8](copying: factors.coefficient))
        }
        privateNumbers = numbers
    }

    /// - Parameter text: The output of `openssl asn1parse` for the structure.
    init(asn1parse text: String) {
        let numbers = text.split(separator: "\n").compactMap { line in
            line.contains("INTEGER") ? line.split(separator: ":").last.map { [UInt8](hex: String($0)) } : nil
        }
        (modulus, publicExponent) = (numbers[1], numbers[2])
        privateNumbers = Array(numbers[3...])
    }

    var components: RSAComponents {
        let secrets = privateNumbers
        return RSAComponents(
            modulus: modulus, publicExponent: publicExponent, privateExponent: Secret(copying: secrets[0]),
            factors: RSAFactors(
                prime1: Secret(copying: secrets[1]), prime2: Secret(copying: secrets[2]),
                exponent1: Secret(copying: secrets[3]), exponent2: Secret(copying: secrets[4]),
                coefficient: Secret(copying: secrets[5])))
    }

    var der: [UInt8] {
        element(0x30, ([[], modulus, publicExponent] + privateNumbers).flatMap { element(0x02, [0] + $0) })
    }
}

/// An element as in DER, except that its length always takes two bytes.
func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + contents
}

extension OpenSSL {
    /// Has a key in the file key.pem and reads it.
    func makeRSAKey(_ bits: Int) throws -> RSAPrivateKey {
        try RSANumbers.write(bits: bits, by: self)
        return try RSAPrivateKey(RSAKeyFile(asn1parse: run("asn1parse -in key.pem")).components)
    }
}

extension RSASignatureScheme {
    /// The scheme in words for `openssl pkeyutl`.
    var options: String {
        switch self {
        case .raw: "-pkeyopt rsa_padding_mode:none"
        case .pkcs1: "-pkeyopt rsa_padding_mode:pkcs1"
        case .pkcs1DigestInfo(let hash): "-pkeyopt rsa_padding_mode:pkcs1 -pkeyopt digest:\(hash)"
        case .pss(let hash, let mask, let salt):
            """
            -pkeyopt rsa_padding_mode:pss -pkeyopt digest:\(hash) -pkeyopt rsa_mgf1_md:\(mask) \
            -pkeyopt rsa_pss_saltlen:\(salt)
            """
        }
    }
}

extension RSAEncryptionScheme {
    static let samples: [RSAEncryptionScheme] =
        [.pkcs1] + DigestAlgorithm.general.map { .oaep(hash: $0, mask: $0, label: []) } + [
            .oaep(hash: .sha256, mask: .sha1, label: []), .oaep(hash: .sha1, mask: .sha1, label: [0, 1, 2]),
        ]

    /// The longest message, in bytes, for a key of `size` bytes (RFC 8017, 7.1.1 and 7.2.1).
    func room(in size: Int) -> Int? {
        let room =
            switch self {
            case .raw: size
            case .pkcs1: size - 11
            case .oaep(let hash, _, _): size - 2 * hash.size - 2
            }
        return room < 0 ? nil : room
    }

    /// The scheme in words for `openssl pkeyutl`.
    var options: String {
        switch self {
        case .raw: "-pkeyopt rsa_padding_mode:none"
        case .pkcs1: "-pkeyopt rsa_padding_mode:pkcs1"
        case .oaep(let hash, let mask, let label):
            """
            -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:\(hash) -pkeyopt rsa_mgf1_md:\(mask)\
            \(label.isEmpty ? "" : " -pkeyopt rsa_oaep_label:\(label.hex)")
            """
        }
    }
}

/// The operations of a key on arrays.
extension RSAPrivateKey {
    func signature(_ input: [UInt8], _ scheme: RSASignatureScheme) throws -> [UInt8] { try sign(input.span, scheme) }

    func plaintext(_ ciphertext: [UInt8], _ scheme: RSAEncryptionScheme) throws -> [UInt8] {
        let plaintext = try decrypt(ciphertext.span, scheme)
        return [UInt8](copying: plaintext)
    }
}

extension RSAPublicKey {
    func accepts(_ signature: [UInt8], _ input: [UInt8], _ scheme: RSASignatureScheme) throws -> Bool {
        try isValidSignature(signature.span, of: input.span, scheme)
    }

    func input(_ signature: [UInt8], _ scheme: RSASignatureScheme) throws -> [UInt8] {
        try recover(signature.span, scheme)
    }

    func ciphertext(_ input: [UInt8], _ scheme: RSAEncryptionScheme) throws -> [UInt8] {
        try encrypt(input.span, scheme)
    }
}
