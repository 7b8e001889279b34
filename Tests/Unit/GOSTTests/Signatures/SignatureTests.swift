// SPDX-License-Identifier: Apache-2.0
import Dispatch
import GOST
import Secrets
import Synchronization
import TestSupport
import Testing

@Suite("GOST R 34.10 signatures")
struct SignatureTests {
    @Test("With the published k, a signature has the published r and s and is valid (RFC 7091, 6)")
    func publishedSignatures() throws {
        let vectors = try JSON(vectors: "gostr3410_sign.json").vectors.list
        #expect(vectors.count == 35)
        for vector in vectors {
            let curve = try vector.namedCurve
            let publicKey = try PublicKey(curve: curve, bytes: vector.point("qx", "qy"))
            let digest = vector.number("e", curve.coordinateSize)
            let signature = vector.signature(curve)
            #expect(try publicKey.isValidSignature(signature, digest: digest), "\(vector.name)")
            if vector.d.isNull { continue }

            let key = try PrivateKey(curve: curve, scalar: Secret(copying: vector.number("d", curve.coordinateSize)))
            let k = vector.number("k", curve.coordinateSize)
            #expect(try key.publicKey() == publicKey, "\(vector.name)")
            #expect(try key.signature(digest: digest.span, nonce: k.span) == signature, "\(vector.name)")
        }
    }

    @Test("A hash code is read with its least significant byte first")
    func digestOrder() throws {
        for vector in try JSON(vectors: "gostr3410_sign.json").vectors.list where !vector.hash_bytes.isNull {
            let size = try vector.namedCurve.coordinateSize
            #expect(vector.number("e", size) == vector.hash_bytes.bytes, "\(vector.name)")
        }
    }

    @Test("A signature is refused unless 0 < r < q, 0 < s < q and R = r (RFC 7091, 6.2)")
    func refusedSignatures() throws {
        let vectors = try JSON(vectors: "negative.json").vectors.list.filter { $0.kind.text == "verify" }
        #expect(vectors.count == 48)
        for vector in vectors {
            let curve = try vector.namedCurve
            let key = try PublicKey(curve: curve, bytes: vector.point("qx", "qy"))
            let digest = vector.number("e", curve.coordinateSize)
            let isValid = try key.isValidSignature(vector.signature(curve), digest: digest)
            #expect(isValid == (vector.case.text == "valid"), "\(vector.name) \(vector.case.text ?? "")")
        }
    }

    @Test("A key that verifies often accepts and refuses the same signatures as at first", arguments: Curve.all)
    func verifyingAgain(curve: Curve) throws {
        let key = try PrivateKey.generate(on: curve, random: SystemRandom())
        let publicKey = try key.publicKey()
        for round in 0..<5 as Range<UInt8> {
            var digest = [UInt8](repeating: round, count: curve.coordinateSize)
            var signature = try key.sign(digest: digest.span, random: SystemRandom())
            #expect(try publicKey.isValidSignature(signature, digest: digest), "use \(round)")
            signature[Int(round)] ^= 1
            #expect(try !publicKey.isValidSignature(signature, digest: digest), "use \(round)")
            signature[Int(round)] ^= 1
            digest[0] ^= 0x80
            #expect(try !publicKey.isValidSignature(signature, digest: digest), "use \(round)")
        }
    }

    @Test("More keys than are kept prepared verify in turns")
    func manyKeys() throws {
        let digest = [UInt8](repeating: 7, count: 32)
        let keys = try (0..<70).map { _ in
            let key = try PrivateKey.generate(on: .tc26256A, random: SystemRandom())
            return (try key.publicKey(), try key.sign(digest: digest.span, random: SystemRandom()))
        }
        for _ in 0..<3 {
            for (index, (key, signature)) in keys.enumerated() {
                #expect(try key.isValidSignature(signature, digest: digest))
                #expect(try !key.isValidSignature(keys[(index + 1) % keys.count].1, digest: digest))
            }
        }
    }

    @Test("A key signs and verifies on every curve, and its signatures of one digest differ", arguments: Curve.all)
    func signing(curve: Curve) throws {
        let key = try PrivateKey.generate(on: curve, random: SystemRandom())
        let publicKey = try key.publicKey()
        var digest = [UInt8](repeating: 0x5A, count: curve.coordinateSize)
        let first = try key.sign(digest: digest.span, random: SystemRandom())
        let second = try key.sign(digest: digest.span, random: SystemRandom())
        #expect(first != second)
        #expect(try publicKey.isValidSignature(first, digest: digest))
        #expect(try publicKey.isValidSignature(second, digest: digest))
        #expect(try !publicKey.isValidSignature(first.dropLast(), digest: digest))
        digest[0] ^= 1
        #expect(try !publicKey.isValidSignature(first, digest: digest))
        #expect(try !publicKey.isValidSignature(first, digest: digest + [0]))
    }

    @Test("Threads sign and verify on the same curves at the same time")
    func threads() {
        let succeeded = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            let curve = Curve.all[index % Curve.all.count]
            let digest = [UInt8](repeating: UInt8(index), count: curve.coordinateSize)
            guard let key = try? PrivateKey.generate(on: curve, random: SystemRandom()),
                let signature = try? key.sign(digest: digest.span, random: SystemRandom()),
                let publicKey = try? key.publicKey(),
                (try? publicKey.isValidSignature(signature, digest: digest)) == true
            else { return }
            succeeded.add(1, ordering: .relaxed)
        }
        #expect(succeeded.load(ordering: .relaxed) == 64)
    }

    @Test("With a random source that repeats itself, different digests and keys still get different k")
    func hedgedNonces() throws {
        let digests = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]
        var halves: Set<ArraySlice<UInt8>> = []
        for scalar in [UInt8(3), 4] {
            var d = [UInt8](repeating: 0, count: 32)
            d[0] = scalar
            let key = try PrivateKey(curve: .cryptoProA, scalar: Secret(copying: d))
            for digest in digests {
                let signature = try key.sign(digest: digest.span, random: ConstantRandom(byte: 0))
                #expect(try key.publicKey().isValidSignature(signature, digest: digest))
                #expect(try key.sign(digest: digest.span, random: ConstantRandom(byte: 0)) == signature)
                #expect(try key.sign(digest: digest.span, random: ConstantRandom(byte: 1)) != signature)
                halves.insert(signature.suffix(32))
            }
        }
        #expect(halves.count == 4)
    }

    @Test("Nothing is signed without random bytes, nor a digest of another length than the key's")
    func refusedSigning() throws {
        let key = try PrivateKey.generate(on: .tc26256A, random: SystemRandom())
        let digest = [UInt8](repeating: 1, count: 64)
        #expect(throws: GOSTError.randomUnavailable) {
            try key.sign(digest: digest.span.extracting(first: 32), random: NoRandom())
        }
        for count in [0, 31, 33, 64] {
            #expect(throws: GOSTError.invalidLength) {
                try key.sign(digest: digest.span.extracting(first: count), random: SystemRandom())
            }
        }
    }
}
