// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("MGM and KExp15")
struct MGMTests {
    @Test("Every published message is sealed and opened (RFC 9058, A)")
    func mgm() throws {
        let vectors = try JSON(vectors: "mgm.json").vectors.list
        #expect(vectors.count == 21)
        for vector in vectors {
            let key = vector.root_key.isNull ? vector.key.bytes : try firstRecordKey(vector.root_key.bytes)
            let sample = Sample(key, vector.icn.bytes, vector, vector.tag.bytes)
            try check(vector.cipher.text == "magma" ? .magma : .kuznyechik, sample)
        }
    }

    /// The key of the first record of a TLS connection: TLSTREE of sequence number 0 (RFC 9189, 8.1).
    private func firstRecordKey(_ root: [UInt8]) throws -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: 8)
        return try ["level1", "level2", "level3"].reduce(root) { key, label in
            try KDFTree<Streebog256>.derive(key: key.span, label: Array(label.utf8).span, seed: zeros.span, count: 32)
                .array
        }
    }

    @Test("Every published ESP packet is sealed and opened (RFC 9227, A)")
    func esp() throws {
        let vectors = try JSON(vectors: "mgm_esp.json").vectors.list
        #expect(vectors.count == 8)
        for vector in vectors {
            let sample = Sample(vector.k_msg.bytes, vector.nonce.bytes, vector, vector.icv.bytes)
            let isMagma = vector.alg.text?.contains("MAGMA") == true
            try check(isMagma ? .magma : .kuznyechik, sample)
        }
    }

    struct Sample {
        let (key, nonce, plaintext, authenticated, sealed, tagLength, name):
            (
                [UInt8], [UInt8], [UInt8], [UInt8], [UInt8], Int, String
            )

        init(_ key: [UInt8], _ nonce: [UInt8], _ vector: JSON, _ tag: [UInt8]) {
            (self.key, self.nonce, plaintext, authenticated) = (key, nonce, vector.pt.bytes, vector.aad.bytes)
            (sealed, tagLength, name) = (vector.ct.bytes + tag, tag.count, vector.name)
        }
    }

    private func check(_ algorithm: CipherAlgorithm, _ sample: Sample) throws {
        let (nonce, data) = (sample.nonce, sample.authenticated)
        let mode = try MGM(algorithm, key: sample.key.span, tagLength: sample.tagLength)
        let sealed = try mode.seal(sample.plaintext.span, nonce: nonce.span, authenticating: data.span)
        #expect(sealed.array == sample.sealed, "\(sample.name)")
        let opened = try mode.open(sample.sealed.span, nonce: nonce.span, authenticating: data.span)
        #expect(opened.array == sample.plaintext, "\(sample.name)")
        for index in [0, sample.sealed.count - 1] {
            var wrong = sample.sealed
            wrong[index] ^= 1
            let result = outcome { () throws(GOSTError) in
                try mode.open(wrong.span, nonce: nonce.span, authenticating: data.span)
            }
            #expect(result == .failure(.authenticationFailed), "\(sample.name)")
        }
    }

    @Test("A nonce is one block with a zero bit first, a tag has four bytes or more, and there is some data")
    func lengths() throws {
        let bytes = bytes(40)
        let (key, nothing) = (bytes.span.extracting(first: 32), bytes.span.extracting(first: 0))
        for count in [0, 3, 9] {
            #expect(throws: GOSTError.invalidLength) { _ = try MGM(.magma, key: key, tagLength: count) }
        }
        #expect(throws: GOSTError.invalidKeyLength) { _ = try MGM(.magma, key: bytes.span) }
        let mode = try MGM(.magma, key: key)
        for nonce in [
            [], [UInt8](repeating: 0, count: 7), [UInt8](repeating: 0, count: 9), [0x80, 0, 0, 0, 0, 0, 0, 0],
        ] {
            let sealed = outcome { () throws(GOSTError) in
                try mode.seal(key, nonce: nonce.span, authenticating: key)
            }
            let opened = outcome { () throws(GOSTError) in
                try mode.open(key, nonce: nonce.span, authenticating: key)
            }
            #expect(sealed == .failure(.invalidIVLength) && opened == .failure(.invalidIVLength))
        }
        let nonce = [UInt8](repeating: 0, count: 8)
        let sealed = outcome { () throws(GOSTError) in
            try mode.seal(nothing, nonce: nonce.span, authenticating: nothing)
        }
        let opened = outcome { () throws(GOSTError) in
            try mode.open(bytes.span.extracting(first: 7), nonce: nonce.span, authenticating: key)
        }
        #expect(sealed == .failure(.invalidLength) && opened == .failure(.invalidLength))
    }

    @Test("KExp15 gives the published bytes, and KImp15 the key (RFC 9189, 8.2.1)")
    func kexp15() throws {
        let vectors = try JSON(vectors: "kexp15.json").vectors.list
        #expect(vectors.count == 7)
        for vector in vectors {
            try kexp15(vector.cipher.text == "magma" ? .magma : .kuznyechik, vector)
        }
    }

    private func kexp15(_ algorithm: CipherAlgorithm, _ vector: JSON) throws {
        let (key, iv, wrapped) = (vector.K.bytes, vector.iv.bytes, vector.out.bytes)
        let keys = vector.k_mac.bytes + vector.k_enc.bytes
        func unwrap(_ wrapped: [UInt8], _ keys: [UInt8], _ iv: [UInt8]) -> Result<[UInt8], GOSTError> {
            outcome { () throws(GOSTError) in
                try KExp15.unwrap(wrapped.span, algorithm, keys: keys.span, iv: iv.span)
            }
        }
        let result = try KExp15.wrap(key.span, algorithm, keys: keys.span, iv: iv.span)
        #expect(result.array == wrapped, "\(vector.name)")
        #expect(unwrap(wrapped, keys, iv) == .success(key), "\(vector.name)")
        for index in wrapped.indices {
            var wrong = wrapped
            wrong[index] ^= 0x80
            #expect(unwrap(wrong, keys, iv) == .failure(.authenticationFailed))
        }
        #expect(unwrap(Array(wrapped.prefix(algorithm.blockSize)), keys, iv) == .failure(.invalidLength))
        #expect(unwrap(wrapped, Array(keys.prefix(63)), iv) == .failure(.invalidKeyLength))
        #expect(unwrap(wrapped, keys + [0], iv) == .failure(.invalidKeyLength))
        #expect(unwrap(wrapped, keys, iv + [0]) == .failure(.invalidIVLength))
        for (key, iv) in [(key, iv + [0]), ([], iv)] {
            let refused = outcome { () throws(GOSTError) in
                try KExp15.wrap(key.span, algorithm, keys: keys.span, iv: iv.span)
            }
            #expect(refused == .failure(key.isEmpty ? .invalidKeyLength : .invalidIVLength))
        }
    }

    @Test("KExp15 wraps a key of any length, and KImp15 finds it", arguments: [1, 15, 16, 31, 240, 241, 1000])
    func keyLengths(count: Int) throws {
        let (key, keys, iv) = (bytes(count), bytes(64), bytes(8))
        let wrapped = try KExp15.wrap(key.span, .kuznyechik, keys: keys.span, iv: iv.span)
        #expect(try KExp15.unwrap(wrapped.bytes, .kuznyechik, keys: keys.span, iv: iv.span).array == key)
    }
}
