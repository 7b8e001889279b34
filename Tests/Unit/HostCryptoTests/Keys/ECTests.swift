// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("ECDSA and ECDH")
struct ECTests {
    /// RFC 6979, A.2.5.
    private static let d = [UInt8](hex: "C9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721")
    private static let point = [UInt8](
        hex: """
            04 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
            7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
            """)

    @Test("The public key of a private key is that of RFC 6979, and its signatures are valid")
    func published() throws {
        let key = try ECPrivateKey(curve: .p256, scalar: Secret(copying: Self.d))
        #expect(key.publicKey.point == Self.point)
        #expect(key.publicKey.octetString == [4, 65] + Self.point)
        for (algorithm, signature): (DigestAlgorithm, String) in [
            (
                .sha1,
                """
                61340C88C3AAEBEB4F6D667F672CA9759A6CCAA9FA8811313039EE4A35471D32
                6D7F147DAC089441BB2E2FE8F7A3FA264B9C475098FDCF6E00D7C996E1B8B7EB
                """
            ),
            (
                .sha256,
                """
                EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716
                F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8
                """
            ),
        ] {
            let digest = try algorithm([UInt8]("sample"))
            #expect(try key.publicKey.accepts([UInt8](hex: signature), digest))
        }
    }

    @Test("A shared secret is that of NIST's example")
    func sharedSecret() throws {
        // CAVP, KAS ECC CDH primitive, P-256, count 0.
        let scalar = [UInt8](hex: "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534")
        let peer = [UInt8](
            hex: """
                04 700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287
                db71e509e3fd9b060ddb20ba5c51dcc5948d46fbf640dfe0441782cab85fa4ac
                """)
        let key = try ECPrivateKey(curve: .p256, scalar: Secret(copying: scalar))
        for bytes in [peer, [4, 65] + peer] {
            let secret = try key.sharedSecret(with: ECPublicKey(curve: .p256, bareOrDER: bytes))
            #expect(
                [UInt8](copying: secret).hex == "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b")
        }
    }

    @Test("What the host signs, the program verifies, and the other way round", arguments: ECCurve.allCases)
    func signatures(curve: ECCurve) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("ECDSA \(curve)"))
        let key = try openssl.makeECKey(curve)
        for algorithm in DigestAlgorithm.general {
            let digest = try random.bytes(algorithm.size)
            let signature = try key.signature(digest)
            #expect(signature.count == 2 * curve.coordinateSize)
            try openssl.write(digest, "digest")
            try openssl.write(derSignature(signature), "ours")
            try openssl.run("pkeyutl -verify -inkey key.pem -in digest -sigfile ours")
            try openssl.run("pkeyutl -sign -inkey key.pem -in digest -out theirs")
            for signature in [signature, try bareSignature(openssl.read("theirs"), curve.coordinateSize)] {
                #expect(try key.publicKey.accepts(signature, digest))
                #expect(try !key.publicKey.accepts(signature, digest.changed(at: 0)))
                #expect(try !key.publicKey.accepts(signature.changed(at: 0), digest))
                #expect(try !key.publicKey.accepts(signature.changed(at: signature.count - 1), digest))
            }
        }
    }

    @Test("Both of two keys, and the program, agree on a secret", arguments: ECCurve.allCases)
    func agreement(curve: ECCurve) throws {
        let openssl = try OpenSSL()
        let theirs = try openssl.makeECKey(curve)
        let ours = try ECPrivateKey.generate(on: curve, random: Seeded("ECDH \(curve)"))
        try openssl.write(PublicKeyInfo.ec(ours.publicKey).der, "ours")
        try openssl.run("pkeyutl -derive -inkey key.pem -peerkey ours -peerform DER -out secret")
        let secret = try ours.sharedSecret(with: theirs.publicKey)
        let again = try theirs.sharedSecret(with: ours.publicKey)
        #expect(try [UInt8](copying: secret) == openssl.read("secret"))
        #expect(try [UInt8](copying: again) == openssl.read("secret"))
    }

    @Test("X9.63 derives what the program derives", arguments: DigestAlgorithm.general.dropFirst())
    func derivation(algorithm: DigestAlgorithm) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("X9.63 \(algorithm)"))
        for (count, infoCount) in [(1, 0), (algorithm.size, 1), (3 * algorithm.size + 1, 40)] {
            let (secret, info) = (try random.bytes(32), try random.bytes(infoCount))
            let infoOption = info.isEmpty ? "" : "-kdfopt hexinfo:\(info.hex)"
            try openssl.run(
                """
                kdf -keylen \(count) -binary -out key -kdfopt digest:\(algorithm) -kdfopt hexsecret:\(secret.hex) \
                \(infoOption) X963KDF
                """)
            let key = try X963KDF.derive(from: Secret(copying: secret), info: info, count: count, algorithm)
            #expect(try [UInt8](copying: key) == openssl.read("key"))
        }
        expect(.invalidParameter) {
            _ = try X963KDF.derive(from: Secret(count: 32), info: [], count: -1, algorithm)
        }
        expect(.invalidParameter) {
            _ = try X963KDF.derive(from: Secret(count: 32), info: [], count: .max, algorithm)
        }
    }

    @Test("A signature can leave out as many leading zeros as both of its numbers have")
    func shortSignatures() throws {
        // The nonce is 40393, s was chosen, and the digest is the one that it belongs to.
        let digest = [UInt8](hex: "cc3db8486fabb23f6b47431faaacff65dc33755fa15e97edf0cce0e2f5e23331")
        let r = [UInt8](hex: "3f5f178aa0706c4231eb6e5495aa1642c5b8a994127c89465f22994a42f9")
        let s = [UInt8](hex: "000000000100000000000000000000000000000000000000000001234567")
        let key = try ECPublicKey(curve: .p256, point: Self.point)
        for zeros in 0...2 {
            let zeros = [UInt8](repeating: 0, count: zeros)
            #expect(try key.accepts(zeros + r + zeros + s, digest))
            #expect(try !key.accepts(zeros + s + zeros + r, digest))
        }
        for count in [0, 1, 63, 65, 66, 128] {
            let signature = [UInt8](repeating: 1, count: count)
            expect(.invalidSignatureLength) { _ = try key.accepts(signature, [1]) }
        }
        for signature in [[1, 1], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64)] {
            #expect(try !key.accepts(signature, [1]))
        }
    }

    @Test("Points that are none, or not uncompressed, are refused", arguments: ECCurve.allCases)
    func points(curve: ECCurve) throws {
        let point = try ECPrivateKey.generate(on: curve, random: Seeded("points \(curve)")).publicKey.point
        let size = curve.coordinateSize
        var wrong: [[UInt8]] = [[], [0], [4], point + [0], point.dropLast()]
        wrong += [0, 1, 2 * size].map { point.changed(at: $0) }
        wrong += [2, 3].map { [$0] + point[1...size] }
        wrong += [6, 7].map { [$0] + point[1...] }
        wrong += [0, 4].map { [$0] + [UInt8](repeating: 0, count: 2 * size) }
        wrong += [[4] + [UInt8](repeating: 0xFF, count: 2 * size)]
        wrong += [[4] + [UInt8](hex: curve.prime) + point[(size + 1)...]]
        wrong += wrong.map { [4, UInt8($0.count)] + $0 }
        wrong += [[4, 66] + point, [4, 0x81, 65] + point]
        for bytes in wrong {
            expect(.invalidPoint) { _ = try ECPublicKey(curve: curve, bareOrDER: bytes) }
        }
    }

    @Test("A compressed point is read where it may be one", arguments: ECCurve.allCases)
    func compressed(curve: ECCurve) throws {
        let openssl = try OpenSSL()
        let key = try openssl.makeECKey(curve).publicKey
        let size = curve.coordinateSize
        try openssl.run("ec -in key.pem -pubout -conv_form compressed -outform DER -out compressed")
        let point = Array(try openssl.read("compressed").suffix(1 + size))
        #expect(point[0] == 2 || point[0] == 3)
        for bytes in [point, [4, UInt8(point.count)] + point, key.point, key.octetString] {
            #expect(try ECPublicKey(curve: curve, anyForm: bytes) == key)
        }
        let other = try ECPublicKey(curve: curve, anyForm: [point[0] ^ 1] + point.dropFirst())
        #expect(other != key && other.point[1...size] == key.point[1...size])
        let wrong: [[UInt8]] = [
            [], [2], [0] + point.dropFirst(), [4] + point.dropFirst(), [5] + point.dropFirst(), point + [0],
            Array(point.dropLast()), [4, UInt8(size)] + point, [2] + [UInt8](repeating: 0xFF, count: size),
            [6] + key.point[1...], [2] + [UInt8](hex: curve.prime),
        ]
        for bytes in wrong { expect(.invalidPoint) { _ = try ECPublicKey(curve: curve, anyForm: bytes) } }
    }

    @Test("A private key is greater than zero and less than the order", arguments: ECCurve.allCases)
    func scalars(curve: ECCurve) throws {
        let (order, size) = ([UInt8](hex: curve.order), curve.coordinateSize)
        for scalar in [[], [0], [UInt8](repeating: 0, count: size), order, [1] + order] {
            expect(.invalidKey) { _ = try ECPrivateKey(curve: curve, scalar: Secret(copying: scalar)) }
        }
        for scalar in [[1], [0, 0] + order.changed(at: size - 1)] {
            let key = try ECPrivateKey(curve: curve, scalar: Secret(copying: scalar))
            #expect(key.scalar.count == size)
            #expect(try key.publicKey.accepts(key.signature([1, 2, 3]), [1, 2, 3]))
        }
        expect(.invalidParameter) {
            let other = try #require(ECCurve.allCases.first { $0 != curve })
            let (left, right) = (Seeded("left"), Seeded("right"))
            let peer = try ECPrivateKey.generate(on: other, random: right).publicKey
            _ = try ECPrivateKey.generate(on: curve, random: left).sharedSecret(with: peer)
        }
    }

    @Test("A key is made of the random source's numbers, and of none if it has none")
    func generation() throws {
        let ones = [UInt8](repeating: 0xFF, count: 32)
        let key = try ECPrivateKey.generate(on: .p256, random: FixedRandom(ones, Self.d))
        #expect(key.publicKey.point == Self.point)
        expect(.randomUnavailable) { _ = try ECPrivateKey.generate(on: .p256, random: FixedRandom()) }
        expect(.randomUnavailable) {
            _ = try ECPrivateKey.generate(on: .p256, random: FixedRandom(ones, ones, ones, ones, Self.d))
        }
    }

    @Test("A curve is known by its object identifier", arguments: ECCurve.allCases)
    func identifiers(curve: ECCurve) {
        #expect(ECCurve(oid: curve.oid) == curve)
        #expect(ECCurve(oid: curve.oid + [0]) == nil)
        #expect(ECCurve(oid: []) == nil)
    }
}

/// The curves as the program and the standards have them (FIPS 186-4, D.1.2; SEC 2, 2.4.1).
extension ECCurve {
    var program: String {
        switch self {
        case .p256: "prime256v1"
        case .p192: "prime192v1"
        case .p224: "secp224r1"
        case .p384: "secp384r1"
        case .p521: "secp521r1"
        case .secp256k1: "secp256k1"
        }
    }

    var prime: String {
        switch self {
        case .p256: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
        case .p192: "fffffffffffffffffffffffffffffffeffffffffffffffff"
        case .p224: "ffffffffffffffffffffffffffffffff000000000000000000000001"
        case .p384: String(repeating: "f", count: 63) + "effffffff0000000000000000ffffffff"
        case .p521: "01ff" + String(repeating: "f", count: 128)
        case .secp256k1: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"
        }
    }

    var order: String {
        switch self {
        case .p256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
        case .p192: "ffffffffffffffffffffffff99def836146bc9b1b4d22831"
        case .p224: "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d"
        case .p384:
            String(repeating: "f", count: 48) + "c7634d81f4372ddf581a0db248b0a77aecec196accc52973"
        case .p521:
            "01ff" + String(repeating: "f", count: 62)
                + "fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
        case .secp256k1: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
        }
    }
}

extension ECPrivateKey {
    func signature(_ digest: [UInt8]) throws -> [UInt8] { try sign(digest.span) }
}

extension ECPublicKey {
    func accepts(_ signature: [UInt8], _ digest: [UInt8]) throws -> Bool {
        try isValidSignature(signature.span, of: digest.span)
    }
}

extension OpenSSL {
    /// Makes a key in the file key.pem and reads it.
    func makeECKey(_ curve: ECCurve) throws -> ECPrivateKey {
        try run("ecparam -name \(curve.program) -genkey -noout -out key.pem")
        let text = try run("asn1parse -in key.pem")
        let scalar = text.split(separator: "\n").first { $0.contains("OCTET STRING") }?.split(separator: ":").last
        return try ECPrivateKey(curve: curve, scalar: Secret(copying: [UInt8](hex: String(scalar ?? ""))))
    }
}

/// The ECDSA-Sig-Value of r ‖ s (RFC 3279, 2.2.3).
private func derSignature(_ bare: [UInt8]) -> [UInt8] {
    let size = bare.count / 2
    let numbers = [bare.prefix(size), bare.suffix(size)].map { half -> [UInt8] in
        let digits = Array(half.drop { $0 == 0 })
        let number = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
        return [2, UInt8(number.count)] + number
    }
    let count = UInt8(numbers[0].count + numbers[1].count)
    return [0x30] + (count < 0x80 ? [count] : [0x81, count]) + numbers[0] + numbers[1]
}

private func bareSignature(_ der: [UInt8], _ size: Int) -> [UInt8] {
    let start = der[1] < 0x80 ? 4 : 5
    let count = Int(der[start - 1])
    return [der[start..<start + count], der[(start + 2 + count)...]].flatMap { number -> [UInt8] in
        let digits = number.drop { $0 == 0 }
        return [UInt8](repeating: 0, count: size - digits.count) + digits
    }
}
