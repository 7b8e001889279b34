// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Key wrap of RFC 4357, 6")
struct KeyWrapTests {
    @Test("Every published key is wrapped and unwrapped")
    func vectors() throws {
        let vectors = try JSON(vectors: "gost_keywrap.json").vectors.list
        #expect(vectors.count == 21)
        for vector in vectors {
            let scheme = vector.diversified_kek.isNull ? GOST28147KeyWrap.gost : .cryptoPro
            let (key, wrapped) = (vector.cek.bytes, vector.wrapped.bytes)
            let (kek, ukm, sBox) = (vector.kek.bytes, Array(wrapped.prefix(8)), try vector.sBox)
            let result = try scheme.wrap(key.span, kek: kek.span, ukm: ukm.span, sBox: sBox)
            #expect(result.array == wrapped, "\(vector.name)")
            #expect(try scheme.unwrap(wrapped.span, kek: kek.span, sBox: sBox).array == key, "\(vector.name)")
            if scheme == .cryptoPro {
                let diversified = try GOST28147KeyWrap.diversify(kek.span, ukm: ukm.span, sBox: sBox)
                #expect(diversified.array == vector.diversified_kek.bytes, "\(vector.name)")
            }
            if !vector.label.isNull {
                let (key, label, seed) = (vector.K_e.bytes, vector.label.bytes, vector.seed_ukm.bytes)
                let derived = try KDFTree<Streebog256>.derive(
                    key: key.span, label: label.span, seed: seed.span, count: 32)
                #expect(derived.array == kek, "\(vector.name)")
            }
        }
    }

    @Test("A wrapped key with one byte changed is refused", arguments: [GOST28147KeyWrap.gost, .cryptoPro])
    func changed(scheme: GOST28147KeyWrap) throws {
        let (kek, key, ukm) = (bytes(32), bytes(40).suffix(32), bytes(8))
        let wrapped = try scheme.wrap(Array(key).span, kek: kek.span, ukm: ukm.span, sBox: .tc26Z).array
        for index in wrapped.indices {
            var changed = wrapped
            changed[index] ^= 1
            let result = outcome { () throws(GOSTError) in
                try scheme.unwrap(changed.span, kek: kek.span, sBox: .tc26Z)
            }
            #expect(result == .failure(.authenticationFailed))
        }
    }

    @Test("Keys, keying material and wrapped keys of a wrong length are refused")
    func lengths() {
        func wrapped(_ key: Int, _ kek: Int, _ ukm: Int) -> Result<[UInt8], GOSTError> {
            outcome { () throws(GOSTError) in
                try GOST28147KeyWrap.gost.wrap(
                    bytes(key).span, kek: bytes(kek).span, ukm: bytes(ukm).span, sBox: .tc26Z)
            }
        }
        #expect(wrapped(31, 32, 8) == .failure(.invalidKeyLength))
        #expect(wrapped(32, 33, 8) == .failure(.invalidKeyLength))
        #expect(wrapped(32, 32, 7) == .failure(.invalidIVLength))
        for (count, kek, error) in [
            (43, 32, GOSTError.invalidLength), (45, 32, .invalidLength), (44, 0, .invalidKeyLength),
        ] {
            let result = outcome { () throws(GOSTError) in
                try GOST28147KeyWrap.cryptoPro.unwrap(bytes(count).span, kek: bytes(kek).span, sBox: .tc26Z)
            }
            #expect(result == .failure(error))
        }
        for (kek, ukm, error) in [(31, 8, GOSTError.invalidKeyLength), (32, 9, .invalidIVLength)] {
            let result = outcome { () throws(GOSTError) in
                try GOST28147KeyWrap.diversify(bytes(kek).span, ukm: bytes(ukm).span, sBox: .tc26Z)
            }
            #expect(result == .failure(error))
        }
    }
}
