// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Keys and input of RSA")
struct RSAKeyTests {
    @Test("What is signed has the length that the scheme wants")
    func inputLengths() throws {
        let key = try RSAPrivateKey(generating: 512)
        let (digest, long) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 1, count: 64 - 10))
        expect(.invalidLength) { _ = try key.signature(long, .pkcs1) }
        for scheme: RSASignatureScheme in [
            .pkcs1DigestInfo(.sha1), .pss(hash: .sha1, mask: .sha1, saltLength: 20),
        ] {
            expect(.invalidLength) { _ = try key.signature(digest, scheme) }
            expect(.invalidLength) { _ = try key.signature([], scheme) }
            expect(.invalidLength) {
                _ = try key.publicKey.accepts([UInt8](repeating: 1, count: 64), digest, scheme)
            }
        }
        expect(.keyTooShort) { _ = try key.signature(digest, .pss(hash: .sha256, mask: .sha256, saltLength: 32)) }
        let sha512 = [UInt8](repeating: 1, count: 64)
        expect(.keyTooShort) { _ = try key.signature(sha512, .pkcs1DigestInfo(.sha512)) }
        expect(.keyTooShort) { _ = try key.signature(sha512, .pss(hash: .sha512, mask: .sha512, saltLength: 0)) }
    }

    @Test("Hash functions and salts that RSA does not take are refused")
    func parameters() throws {
        let key = try RSAPrivateKey(generating: 1024)
        let digest = [UInt8](repeating: 1, count: 32)
        for scheme: RSASignatureScheme in [
            .pkcs1DigestInfo(.streebog256), .pss(hash: .gostR341194, mask: .sha256, saltLength: 0),
            .pss(hash: .sha256, mask: .streebog512, saltLength: 0), .pss(hash: .sha256, mask: .sha256, saltLength: -1),
            .pss(hash: .sha256, mask: .sha256, saltLength: .min),
        ] {
            expect(.invalidParameter) { _ = try key.signature(digest, scheme) }
        }
        expect(.keyTooShort) { _ = try key.signature(digest, .pss(hash: .sha256, mask: .sha256, saltLength: .max)) }
        let oaep = RSAEncryptionScheme.oaep(hash: .streebog256, mask: .sha1, label: [])
        expect(.invalidParameter) { _ = try key.publicKey.ciphertext([], oaep) }
    }

    @Test("A key that comes without its factors has them found", arguments: [512, 1000, 1024, 3072])
    func withoutFactors(bits: Int) throws {
        let openssl = try OpenSSL()
        let key = try openssl.makeRSAKey(bits)
        let components = try key.components()
        let short = try RSAPrivateKey(
            RSAComponents(
                modulus: [0, 0] + components.modulus, publicExponent: [0] + components.publicExponent,
                privateExponent: components.privateExponent.copy(), factors: nil))
        #expect(short.publicKey == key.publicKey)
        #expect(try key.signature([1], .pkcs1) == short.signature([1], .pkcs1))
        let (given, found) = (RSAKeyFile(components), RSAKeyFile(try short.components()))
        try #require(found.privateNumbers.count == 6)
        #expect(found.privateNumbers[0] == given.privateNumbers[0])
        #expect(Set(found.privateNumbers[1...2]) == Set(given.privateNumbers[1...2]))
        try openssl.write(found.der, "found")
        #expect(try openssl.run("rsa -inform DER -in found -check -noout") == "RSA key ok\n")
    }

    @Test("A private exponent that is the smallest one, or not, leads to the factors")
    func exponents() throws {
        // p = 2²⁵⁶ − 189 and q = 2²⁵⁵ + 95 are primes; d belongs to 65537 modulo lcm(p − 1, q − 1) and its multiples.
        for exponent in [RSASample.smallest, RSASample.ofTotient] {
            let key = try RSAPrivateKey(
                RSAComponents(
                    modulus: RSASample.modulus, publicExponent: [1, 0, 1], privateExponent: Secret(copying: exponent),
                    factors: nil))
            let numbers = RSAKeyFile(try key.components()).privateNumbers
            try #require(numbers.count == 6)
            #expect(Array(numbers[1...2]) == RSASample.primes)
        }
    }

    @Test("A key of three primes, or of one, works, and has no factors")
    func otherModuli() throws {
        for (modulus, exponent) in [RSASample.ofThreePrimes, RSASample.ofOnePrime] {
            let key = try RSAPrivateKey(
                RSAComponents(
                    modulus: modulus, publicExponent: [1, 0, 1], privateExponent: Secret(copying: exponent),
                    factors: nil))
            let hasFactors = try key.components().factors != nil
            #expect(!hasFactors)
        }
    }

    @Test("Numbers that make no public key are refused")
    func publicKeys() throws {
        let modulus = try RSAPrivateKey(generating: 512).publicKey.modulus
        let e: [UInt8] = [1, 0, 1]
        #expect(try RSAPublicKey(modulus: modulus, publicExponent: e).size == 64)
        for exponent in [[], [0], [1], [2], modulus, modulus + [1]] {
            expect(.invalidKey) { _ = try RSAPublicKey(modulus: modulus, publicExponent: exponent) }
        }
        expect(.invalidKey) { _ = try RSAPublicKey(modulus: modulus.changed(at: 63), publicExponent: e) }
        let odd = [UInt8](repeating: 0xFF, count: 512)
        let wrong: [[UInt8]] = [[], [0], [0x7F] + Array(odd.prefix(63)), [1] + odd, odd + odd]
        for modulus in wrong {
            expect(.unsupportedKeySize) { _ = try RSAPublicKey(modulus: modulus, publicExponent: e) }
        }
        _ = try RSAPublicKey(modulus: odd, publicExponent: [UInt8](repeating: 0xFF, count: 8))
        expect(.invalidKey) {
            _ = try RSAPublicKey(modulus: odd, publicExponent: [1] + [UInt8](repeating: 1, count: 8))
        }
    }

    @Test("A private key whose numbers do not belong together is refused")
    func privateKeys() throws {
        let key = try RSAPrivateKey(generating: 512)
        for number in 0..<6 {
            let changes: [([UInt8]) -> [UInt8]] = [
                { $0.changed(at: $0.count - 1, bit: 1) }, { _ in [] }, { $0 + $0 + $0 },
            ]
            for change in changes {
                let numbers = try KeyNumbers(key).changed(number, change)
                expect(.invalidKey) { _ = try RSAPrivateKey(numbers.components()) }
            }
        }
        for (p, q): ([UInt8], [UInt8]) in [([1], key.publicKey.modulus), (key.publicKey.modulus, [1])] {
            var numbers = try KeyNumbers(key)
            (numbers.values[1], numbers.values[2]) = (p, q)
            expect(.invalidKey) { _ = try RSAPrivateKey(numbers.components()) }
        }
    }
}

/// d, p, q, dp, dq and the coefficient of a key, to be changed.
private struct KeyNumbers {
    var modulus, publicExponent: [UInt8]
    var values: [[UInt8]]

    init(_ key: borrowing RSAPrivateKey) throws {
        let components = try key.components()
        modulus = components.modulus
        publicExponent = components.publicExponent
        values = RSAKeyFile(components).privateNumbers
    }

    func changed(_ index: Int, _ change: ([UInt8]) -> [UInt8]) -> KeyNumbers {
        var copy = self
        copy.values[index] = change(values[index])
        return copy
    }

    func components() -> RSAComponents {
        RSAComponents(
            modulus: modulus, publicExponent: publicExponent, privateExponent: Secret(copying: values[0]),
            factors: RSAFactors(
                prime1: Secret(copying: values[1]), prime2: Secret(copying: values[2]),
                exponent1: Secret(copying: values[3]), exponent2: Secret(copying: values[4]),
                coefficient: Secret(copying: values[5])))
    }
}

/// Keys of RSA with the public exponent 65537, small enough to be written down.
private enum RSASample {
    /// 2²⁵⁶ − 189 and 2²⁵⁵ + 95.
    static let primes = [
        [UInt8](repeating: 0xFF, count: 31) + [0x43], [0x80] + [UInt8](repeating: 0, count: 30) + [0x5F],
    ]
    /// Their product.
    static let modulus =
        [0x80] + [UInt8](repeating: 0, count: 31) + [0x7F] + [UInt8](repeating: 0xFF, count: 29) + [0xB9, 0xDD]
    /// The inverse of 65537 modulo the least common multiple of p − 1 and q − 1, and modulo their product.
    static let smallest = [UInt8](
        hex: """
            0709a3a10709a3a10709a3a10709a3a10709a3a10709a3a10709a3a10709a3a0f8f65c5ef8f65c5ef8f65c5e
            f8f65c5ef8f65c5ef8f65c5ef8f65c5ef8f65889
            """)
    static let ofTotient = [UInt8](
        hex: """
            31b44e4bb1b44e4bb1b44e4bb1b44e4bb1b44e4bb1b44e4bb1b44e4bb1b44e4b4e4bb1b44e4bb1b44e4bb1b4
            4e4bb1b44e4bb1b44e4bb1b44e4bb1b44e4b969d
            """)
    /// A modulus of 515 bits with three prime factors of as many bits, and a private exponent.
    static let ofThreePrimes = (
        [UInt8](
            hex: """
                06c00000000000900012000000000000c0000c0001b6300000000017b802fd00000000000f1000f10024fce4
                00000000f9791fa7a00000000000000000010a0a09
                """),
        [UInt8](
            hex: """
                811f35bc37faae35ae905cdd59fe13c72082e99d3700cbdaa1dc3b556abef39ec33caa7b4fe39d792e698051
                ed64ee1b474d5aa01c3b517b89f22ce940e141
                """)
    )
    /// 2⁵¹² − 569, which is a prime, and a private exponent.
    static let ofOnePrime = (
        [UInt8](repeating: 0xFF, count: 62) + [0xFD, 0xC7],
        [UInt8](hex: String(repeating: "d04f2fb0", count: 15) + "d04f2de1")
    )
}
