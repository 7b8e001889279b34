// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Digests")
struct DigestTests {
    @Test(
        "The digest of a message is that of its standard",
        arguments: [
            (.md5, "900150983cd24fb0d6963f7d28e17f72"),
            (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha512,
                """
                ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd\
                454d4423643ce80e2a9ac94fa54ca49f
                """
            ),
        ] as [(DigestAlgorithm, String)])
    func standards(algorithm: DigestAlgorithm, digest: String) throws {
        // RFC 1321, A.5; FIPS 180-4's examples.
        #expect(try algorithm([UInt8]("abc")).hex == digest)
        #expect(digest.count == 2 * algorithm.size)
    }

    @Test("The GOST digests are those of GOST")
    func gost() throws {
        let message = try Seeded("digests").bytes(1000)
        #expect(try DigestAlgorithm.gostR341194(message) == GOSTR341194.hash(message))
        #expect(try DigestAlgorithm.streebog256(message) == Streebog256.hash(message))
        #expect(try DigestAlgorithm.streebog512(message) == Streebog512.hash(message))
    }

    @Test("A message in pieces has the digest of the whole one", arguments: DigestAlgorithm.allCases)
    func pieces(algorithm: DigestAlgorithm) throws {
        let random = Seeded("pieces \(algorithm)")
        for message in try random.messages() {
            var digest = try Digest(algorithm)
            var rest = message[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(random.number(in: 0...200)))
                digest.update(piece.span)
                rest = rest.dropFirst(piece.count)
            }
            let bytes = try digest.finalize()
            #expect(try [UInt8](copying: bytes) == algorithm(message))
            #expect(bytes.count == algorithm.size)
        }
    }

    @Test("A copied digest goes on from where it was copied", arguments: DigestAlgorithm.allCases)
    func copies(algorithm: DigestAlgorithm) throws {
        let (head, left, right) = ([UInt8]("head"), [UInt8]("left"), [UInt8]("right"))
        var digest = try Digest(algorithm)
        digest.update(head.span)
        var copy = try digest.copy()
        digest.update(left.span)
        copy.update(right.span)
        let first = try digest.finalize()
        let second = try copy.finalize()
        #expect(try [UInt8](copying: first) == algorithm(head + left))
        #expect(try [UInt8](copying: second) == algorithm(head + right))
    }

    @Test(
        "The code of a message is that of its standard",
        arguments: [
            (.md5, 16, "9294727a3638bb1c13f48ef8158bfc9d"),
            (.sha1, 20, "b617318655057264e28bc0b6fb378c8ef146be00"),
            (.sha224, 20, "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"),
            (.sha256, 20, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                .sha384, 20,
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6"
            ),
            (
                .sha512, 20,
                """
                87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4\
                be9d914eeb61f1702e696c203a126854
                """
            ),
        ] as [(DigestAlgorithm, Int, String)])
    func codes(algorithm: DigestAlgorithm, keyCount: Int, code: String) throws {
        // RFC 2202, 2 and 3, case 1; RFC 4231, 4.2.
        let key = [UInt8](repeating: 0x0B, count: keyCount)
        #expect(try hmac(algorithm, [UInt8]("Hi There"), key).hex == code)
    }

    @Test("A key longer than a block is hashed first")
    func longKey() throws {
        // RFC 4231, 4.7.
        let key = [UInt8](repeating: 0xAA, count: 131)
        let message = [UInt8]("Test Using Larger Than Block-Size Key - Hash Key First")
        let code = try hmac(.sha256, message, key)
        #expect(code.hex == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("The GOST codes are those of GOST, for keys of any length", arguments: [0, 1, 31, 32, 33, 63, 64, 65, 200])
    func gostCodes(keyCount: Int) throws {
        let random = Seeded("codes \(keyCount)")
        let (key, message) = (try random.bytes(keyCount), try random.bytes(100))
        let r341194 = HMAC<GOSTR341194>.authenticate(message.span, key: key.span)
        let streebog256 = HMAC<Streebog256>.authenticate(message.span, key: key.span)
        let streebog512 = HMAC<Streebog512>.authenticate(message.span, key: key.span)
        #expect(try hmac(.gostR341194, message, key) == [UInt8](copying: r341194))
        #expect(try hmac(.streebog256, message, key) == [UInt8](copying: streebog256))
        #expect(try hmac(.streebog512, message, key) == [UInt8](copying: streebog512))
    }

    @Test("OpenSSL's program makes the same codes", arguments: DigestAlgorithm.general)
    func comparison(algorithm: DigestAlgorithm) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("hmac \(algorithm)"))
        for message in try random.messages() {
            let key = try random.bytes(random.number(in: 1...300))
            try openssl.write(message, "message")
            try openssl.run("dgst -\(algorithm) -mac hmac -macopt hexkey:\(key.hex) -binary -out code message")
            #expect(try hmac(algorithm, message, key) == openssl.read("code"))
        }
    }

    private func hmac(_ algorithm: DigestAlgorithm, _ message: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
        var code = try HMACState(algorithm, key: key.span)
        let cut = message.count / 3
        code.update(message.span.extracting(first: cut))
        var copy = try code.copy()
        copy.update(message.span.extracting(droppingFirst: cut))
        let bytes = try copy.finalize()
        return [UInt8](copying: bytes)
    }
}
