// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Padding for RSA keys of another device")
struct RSABlockTests {
    @Test("A padded block, raised to the private exponent, is a signature", arguments: RSATests.sizes)
    func signatures(bits: Int) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("RSA blocks \(bits)"))
        let key = try openssl.makeRSAKey(bits)
        for (scheme, count) in RSATests.schemes(bits) + [(.raw, 1), (.raw, key.publicKey.size - 1)] {
            let input = try random.bytes(count)
            let block = try scheme.block(of: input.span, bitCount: bits, random: random)
            #expect(block.count == key.publicKey.size)
            let signature = try key.signature(block, .raw)
            #expect(try key.publicKey.accepts(signature, input, scheme), "\(scheme)")
        }
    }

    @Test("A deciphered block gives the plaintext, or nothing if its padding is wrong", arguments: RSATests.sizes)
    func plaintexts(bits: Int) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("RSA plaintexts \(bits)"))
        let key = try openssl.makeRSAKey(bits)
        func plaintext(_ ciphertext: [UInt8], _ scheme: RSAEncryptionScheme) throws -> [UInt8] {
            let block = try key.decrypt(ciphertext.span, .raw)
            let plaintext = try scheme.plaintext(of: block)
            return [UInt8](copying: plaintext)
        }
        for scheme in RSAEncryptionScheme.samples {
            guard let room = scheme.room(in: key.publicKey.size) else {
                expect(.keyTooShort) { _ = try plaintext([UInt8](repeating: 0, count: key.publicKey.size), scheme) }
                continue
            }
            for count in Set([0, 1, room]) where count <= room {
                let input = try random.bytes(count)
                #expect(try plaintext(key.publicKey.ciphertext(input, scheme), scheme) == input)
            }
            let wrong = try key.publicKey.ciphertext([1, 1], .raw)
            expect(.decryptionFailed) { _ = try plaintext(wrong, scheme) }
        }
    }

    @Test("What no key of that length can sign is refused")
    func refusals() throws {
        let random = Seeded("RSA refusals")
        func block(_ scheme: RSASignatureScheme, _ count: Int) throws {
            let input = [UInt8](repeating: 1, count: count)
            _ = try scheme.block(of: input.span, bitCount: 512, random: random)
        }
        expect(.invalidLength) { try block(.pkcs1, 54) }
        expect(.invalidLength) { try block(.raw, 65) }
        expect(.invalidLength) { try block(.pkcs1DigestInfo(.sha256), 31) }
        expect(.keyTooShort) { try block(.pkcs1DigestInfo(.sha512), 64) }
        expect(.keyTooShort) { try block(.pss(hash: .sha256, mask: .sha256, saltLength: 31), 32) }
        expect(.invalidParameter) { try block(.pss(hash: .sha256, mask: .sha256, saltLength: -1), 32) }
    }
}
