// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("RSA")
struct RSATests {
    static let sizes = [512, 1024, 1025, 2048]

    /// The schemes of the mechanism list that a key of `bits` bits can do, with the length of their input.
    static func schemes(_ bits: Int) -> [(RSASignatureScheme, Int)] {
        let size = (bits + 7) / 8
        var schemes: [(RSASignatureScheme, Int)] = [(.pkcs1, 0), (.pkcs1, 20), (.pkcs1, size - 11)]
        for hash in DigestAlgorithm.general {
            if size >= hash.size + 30 { schemes.append((.pkcs1DigestInfo(hash), hash.size)) }
            let room = (bits + 6) / 8 - hash.size - 2
            for salt in Set([0, hash.size, room]) where salt >= 0 && salt <= room {
                schemes.append((.pss(hash: hash, mask: hash, saltLength: salt), hash.size))
            }
        }
        schemes.append((.pss(hash: .sha256, mask: .sha1, saltLength: 5), 32))
        return schemes
    }

    @Test("A key that is made signs and decrypts, and the program takes its numbers", arguments: sizes)
    func generation(bits: Int) throws {
        let key = try RSAPrivateKey(generating: bits)
        #expect(key.publicKey.bitCount == bits)
        #expect(key.publicKey.publicExponent == [1, 0, 1])
        let components = try key.components()
        let again = try RSAPrivateKey(components)
        #expect(again.publicKey == key.publicKey)

        let openssl = try OpenSSL()
        try openssl.write(RSAKeyFile(components).der, "key")
        #expect(try openssl.run("rsa -inform DER -in key -check -noout") == "RSA key ok\n")
    }

    @Test("A key can have another public exponent")
    func exponents() throws {
        #expect(try RSAPrivateKey(generating: 512, publicExponent: [0, 3]).publicKey.publicExponent == [3])
        for exponent: [UInt8] in [[], [0], [1], [4], [1] + [UInt8](repeating: 1, count: 8)] {
            expect(.invalidParameter) { _ = try RSAPrivateKey(generating: 512, publicExponent: exponent) }
        }
    }

    @Test("No key is made of fewer than 512 or more than 4096 bits", arguments: [Int.min, 0, 511, 4097, .max])
    func sizeLimits(bits: Int) throws {
        expect(.unsupportedKeySize) { _ = try RSAPrivateKey(generating: bits) }
    }

    @Test("What the host signs, the program verifies, and the other way round", arguments: sizes)
    func signatures(bits: Int) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("RSA signatures \(bits)"))
        let key = try openssl.makeRSAKey(bits)
        for (scheme, count) in Self.schemes(bits) {
            let input = try random.bytes(count)
            let signature = try key.signature(input, scheme)
            try expectValid(signature, input, scheme, key.publicKey)
            // The program signs only inputs as long as a digest.
            guard (1...64).contains(count) else { continue }
            let options = scheme.options
            try openssl.write(input, "input")
            try openssl.write(signature, "ours")
            try openssl.run("pkeyutl -verify -inkey key.pem -in input -sigfile ours \(options)")
            try openssl.run("pkeyutl -sign -inkey key.pem -in input -out theirs \(options)")
            try expectValid(openssl.read("theirs"), input, scheme, key.publicKey)
        }
    }

    private func expectValid(
        _ signature: [UInt8], _ input: [UInt8], _ scheme: RSASignatureScheme, _ key: RSAPublicKey
    ) throws {
        #expect(try key.accepts(signature, input, scheme), "\(scheme)")
        let changed = signature.changed(at: signature.count / 2)
        #expect(try !key.accepts(changed, input, scheme), "\(scheme)")
        if !input.isEmpty {
            let other = input.changed(at: 0)
            #expect(try !key.accepts(signature, other, scheme), "\(scheme)")
        }
        let (short, long) = (Array(signature.dropLast()), signature + [0])
        for signature in [short, long, []] {
            expect(.invalidSignatureLength) { _ = try key.accepts(signature, input, scheme) }
        }
        if case .pss = scheme {
            expect(.invalidParameter) { _ = try key.input(signature, scheme) }
        } else {
            #expect(try key.input(signature, scheme) == input)
            expect(.invalidSignature) { _ = try key.input(changed, scheme) }
        }
    }

    @Test("Signing a number as it is and encrypting it again gives the number", arguments: sizes)
    func raw(bits: Int) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("RSA \(bits)"))
        let key = try openssl.makeRSAKey(bits)
        for count in [0, 1, key.publicKey.size - 1] {
            let number = try random.bytes(count)
            let block = [UInt8](repeating: 0, count: key.publicKey.size - count) + number
            let signature = try key.signature(number, .raw)
            #expect(try key.publicKey.input(signature, .raw) == block)
            #expect(try key.publicKey.ciphertext(signature, .raw) == block)
            #expect(try key.publicKey.accepts(signature, number, .raw))
            #expect(try key.publicKey.accepts(signature, block, .raw))
            let ciphertext = try key.publicKey.ciphertext(number, .raw)
            #expect(try key.plaintext(ciphertext, .raw) == block)

            try openssl.write(block, "block")
            try openssl.run("pkeyutl -decrypt -inkey key.pem -in block -out theirs -pkeyopt rsa_padding_mode:none")
            #expect(try openssl.read("theirs") == signature)
        }
        let (modulus, long) = (key.publicKey.modulus, key.publicKey.modulus + [0])
        expect(.valueOutOfRange) { _ = try key.signature(modulus, .raw) }
        expect(.valueOutOfRange) { _ = try key.publicKey.ciphertext(modulus, .raw) }
        expect(.decryptionFailed) { _ = try key.plaintext(modulus, .raw) }
        expect(.invalidLength) { _ = try key.signature(long, .raw) }
        expect(.invalidLength) { _ = try key.publicKey.ciphertext(long, .raw) }
        expect(.invalidLength) { _ = try key.plaintext(long, .raw) }
        expect(.invalidSignature) { _ = try key.publicKey.input(modulus, .raw) }
    }

    @Test("What the host encrypts, the program decrypts, and the other way round", arguments: sizes)
    func encryption(bits: Int) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("RSA encryption \(bits)"))
        let key = try openssl.makeRSAKey(bits)
        for scheme in RSAEncryptionScheme.samples {
            guard let capacity = scheme.room(in: key.publicKey.size) else {
                expect(.keyTooShort) { _ = try key.publicKey.ciphertext([], scheme) }
                continue
            }
            for count in Set([0, 1, capacity / 2, capacity]) where count <= capacity {
                let input = try random.bytes(count)
                let ciphertext = try key.publicKey.ciphertext(input, scheme)
                try openssl.write(ciphertext, "ours")
                try openssl.run("pkeyutl -decrypt -inkey key.pem -in ours -out output \(scheme.options)")
                #expect(try openssl.read("output") == input)

                try openssl.write(input, "input")
                try openssl.run("pkeyutl -encrypt -inkey key.pem -in input -out theirs \(scheme.options)")
                #expect(try key.plaintext(openssl.read("theirs"), scheme) == input)
            }
            let long = [UInt8](repeating: 1, count: capacity + 1)
            expect(.invalidLength) { _ = try key.publicKey.ciphertext(long, scheme) }
            try expectRefusals(scheme, key)
        }
    }

    private func expectRefusals(_ scheme: RSAEncryptionScheme, _ key: borrowing RSAPrivateKey) throws {
        let ciphertext = try key.publicKey.ciphertext([1], scheme)
        for ciphertext in [Array(ciphertext.dropLast()), ciphertext + [0], []] {
            expect(.invalidLength) { _ = try key.plaintext(ciphertext, scheme) }
        }
        // A number whose padding is wrong for sure: zeros.
        let number = try key.publicKey.ciphertext([1, 1], .raw)
        expect(.decryptionFailed) { _ = try key.plaintext(number, scheme) }
        if case .oaep(let hash, let mask, let label) = scheme {
            let other = RSAEncryptionScheme.oaep(hash: hash, mask: mask, label: label + [7])
            expect(.decryptionFailed) { _ = try key.plaintext(ciphertext, other) }
            let changed = ciphertext.changed(at: ciphertext.count - 1)
            expect(.decryptionFailed) { _ = try key.plaintext(changed, scheme) }
        }
    }
}
