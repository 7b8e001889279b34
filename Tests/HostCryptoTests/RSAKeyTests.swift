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

    @Test("A key works without its factors, and then has none")
    func withoutFactors() throws {
        let key = try RSAPrivateKey(generating: 1024)
        let components = try key.components()
        let short = try RSAPrivateKey(
            RSAComponents(
                modulus: [0, 0] + components.modulus, publicExponent: [0] + components.publicExponent,
                privateExponent: components.privateExponent.copy(), factors: nil))
        #expect(short.publicKey == key.publicKey)
        #expect(try key.signature([1], .pkcs1) == short.signature([1], .pkcs1))
        let again = try short.components()
        let hasFactors = again.factors != nil
        #expect(!hasFactors)
        #expect([UInt8](copying: again.privateExponent) == [UInt8](copying: components.privateExponent))
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
