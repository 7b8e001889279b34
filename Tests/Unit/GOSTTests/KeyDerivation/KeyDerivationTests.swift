// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("HMAC, PBKDF2 and KDF_TREE")
struct KeyDerivationTests {
    @Test("HMAC gives the codes of RFC 7836, B, and of RFC 4357's HMAC_GOSTR3411")
    func hmac() throws {
        let vectors = try JSON(vectors: "hmac_gost.json").vectors.list
        #expect(vectors.count == 23)
        for vector in vectors {
            let (key, message) = (vector.key.bytes, vector.msg.bytes)
            let code =
                switch vector.hash.text {
                case "streebog256": HMAC<Streebog256>.authenticate(message.span, key: key.span)
                case "streebog512": HMAC<Streebog512>.authenticate(message.span, key: key.span)
                default: HMAC<GOSTR341194>.authenticate(message.span, key: key.span)
                }
            #expect(code.array == vector.mac.bytes, "\(vector.name)")
        }
    }

    @Test("PBKDF2 derives the keys of RFC 9337, A, and of HMAC_GOSTR3411")
    func pbkdf2() throws {
        let vectors = try JSON(vectors: "pbkdf2_gost.json").vectors.list
        #expect(vectors.count == 12)
        for vector in vectors {
            let iterations = try #require(vector.iterations.number)
            let count = try #require(vector.dklen.number)
            // The vector of 16 777 216 iterations takes minutes.
            if iterations > 10_000 { continue }
            let (password, salt) = (vector.password.bytes, vector.salt.bytes)
            let key =
                switch vector.prf.text {
                case "hmac-streebog512":
                    PBKDF2<Streebog512>.derive(
                        password: password.span, salt: salt.span, iterations: iterations, count: count)
                default:
                    PBKDF2<GOSTR341194>.derive(
                        password: password.span, salt: salt.span, iterations: iterations, count: count)
                }
            #expect(key.array == vector.dk.bytes, "\(vector.name)")
        }
    }

    @Test(
        "PBKDF2 derives some bytes as all, and computes the blocks of theirs alone", arguments: HashAlgorithm.allCases)
    func pbkdf2Places(hash: HashAlgorithm) throws {
        func check<Hash: HashFunction>(_ hash: Hash.Type) {
            let (password, salt) = (Array("password".utf8), Array("salt".utf8))
            func derive(_ places: Range<Int>) -> (key: [UInt8], steps: [Int]) {
                var steps: [Int] = []
                let key = PBKDF2<Hash>.derive(password: password.span, salt: salt.span, iterations: 5000, places) {
                    (done: Int) throws(Never) in steps.append(done)
                }
                return (key.array, steps)
            }
            let all = derive(0..<200).key
            for places in [0..<0, 0..<1, 31..<33, 64..<96, 63..<129, 128..<200] {
                let (key, steps) = derive(places)
                #expect(key == Array(all[places]), "\(places)")
                let blocks = Set(places.map { $0 / Hash.digestSize }).count
                #expect(steps == (0..<blocks).map { 5000 * $0 + 4096 }, "\(places)")
            }
        }
        check(hash.function)
    }

    @Test("KDF_TREE derives the keys of RFC 7836, B, and KDF_GOSTR3411_2012_256 is its case of one block")
    func kdfTree() throws {
        for vector in try JSON(vectors: "kdf_gost.json").vectors.list.prefix(2) {
            let (key, label, seed) = (vector.key.bytes, vector.label.bytes, vector.seed.bytes)
            let derived = try KDFTree<Streebog256>.derive(
                key: key.span, label: label.span, seed: seed.span, count: vector.out.bytes.count)
            #expect(derived.array == vector.out.bytes, "\(vector.name)")
        }
    }

    @Test("KDF_GOSTR3411_2012_256 derives the keys of RFC 7836, B")
    func kdf() throws {
        let vectors = try JSON(vectors: "kdf_gost.json").vectors.list.filter { $0.alg.text == "KDF_GOSTR3411_2012_256" }
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let (key, label, seed) = (vector.key.bytes, vector.label.bytes, vector.seed.bytes)
            let derived = KDF.derive(key: key.span, label: label.span, seed: seed.span)
            #expect(derived.array == vector.out.bytes, "\(vector.name)")
        }
    }

    @Test("EXP of the secure channel is KDF_TREE with either profile's hash function")
    func exp() throws {
        let vectors = try JSON(vectors: "gsc1.json").exp.list
        #expect(vectors.count > 4)
        for vector in vectors {
            let (key, seed) = (vector.K.bytes, vector.seed.bytes)
            let label = Array(try #require(vector.label.text).utf8)
            let count = try #require(vector.n.number)
            let derived =
                vector.profile.text == "classic"
                ? try KDFTree<GOSTR341194>.derive(key: key.span, label: label.span, seed: seed.span, count: count)
                : try KDFTree<Streebog256>.derive(key: key.span, label: label.span, seed: seed.span, count: count)
            #expect(derived.array == vector.output.bytes)
        }
    }

    @Test(
        "KDF_TREE gives at most 2^(8R) - 1 blocks and has R in 1...4",
        arguments: [
            (r: 1, count: 255 * 32, error: nil), (1, 255 * 32 + 1, .invalidLength), (1, 0, .invalidLength),
            (1, -1, .invalidLength), (0, 32, .invalidParameter), (5, 32, .invalidParameter), (4, 33, nil),
        ] as [(r: Int, count: Int, error: GOSTError?)])
    func kdfTreeLimits(r: Int, count: Int, error: GOSTError?) {
        let result = outcome { () throws(GOSTError) in
            try KDFTree<Streebog256>.derive(key: [1].span, label: [2].span, seed: [3].span, r: r, count: count)
        }
        switch result {
        case .success(let key): #expect(error == nil && key.count == count)
        case .failure(let thrown): #expect(thrown == error)
        }
    }
}
