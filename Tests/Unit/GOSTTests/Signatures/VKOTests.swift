// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("VKO GOST R 34.10 and KEG")
struct VKOTests {
    @Test("Both sides agree on the published key (RFC 4357, 5.2; RFC 7836, 4.3)")
    func publishedKeys() throws {
        let vectors = try JSON(vectors: "vko.json").vectors.list
        #expect(vectors.count == 35)
        for vector in vectors {
            let curve = try vector.namedCurve
            let ukm = vector.ukm.bytes
            let (a, b) = (vector.prv_a.bytes, vector.prv_b.bytes)
            for (own, peer) in [(a, vector.pub_b.bytes), (b, vector.pub_a.bytes)] {
                let key = try PrivateKey(curve: curve, scalar: Secret(copying: own))
                let peer = try PublicKey(curve: curve, bytes: peer)
                let shared: Secret
                switch vector["hash"].text {
                case "streebog256": shared = try key.vko2012256(with: peer, ukm: ukm.span)
                case "streebog512": shared = try key.vko2012512(with: peer, ukm: ukm.span)
                default: shared = try key.vko2001(with: peer, ukm: ukm.span)
                }
                #expect(shared.array == vector.kek.bytes, "\(vector.name)")
            }
        }
    }

    @Test("VKO of the secure channel is this one, and a UKM of zeros counts as 1")
    func secureChannel() throws {
        for profile in ["classic", "modern"] {
            let vectors = try JSON(vectors: "gsc1.json").vko.list.filter { $0.profile.text == profile }
            #expect(vectors.contains { vector in vector.UKM.bytes.allSatisfy { $0 == 0 } })
            for vector in vectors {
                #expect(try agree(vector, ukm: vector.UKM.bytes) == vector.output.bytes)
                if vector.UKM.bytes.allSatisfy({ $0 == 0 }) {
                    #expect(try agree(vector, ukm: [1]) == vector.output.bytes)
                }
            }
        }
    }

    private func agree(_ vector: JSON, ukm: [UInt8]) throws -> [UInt8] {
        let isClassic = vector.profile.text == "classic"
        let curve: Curve = isClassic ? .cryptoProA : .tc26256B
        let key = try PrivateKey(curve: curve, scalar: Secret(copying: vector.x.bytes))
        let peer = try PublicKey(curve: curve, bytes: vector.Y.bytes)
        let shared: Secret
        if isClassic {
            shared = try key.vko2001(with: peer, ukm: ukm.span)
        } else {
            shared = try key.vko2012256(with: peer, ukm: ukm.span)
        }
        return shared.array
    }

    @Test("KEG takes UKM most significant byte first, and UKM of 0 as 1 (RFC 9189, 8.3.1)")
    func keg() throws {
        for curve in [Curve.tc26256A, .tc26512C] {
            let key = try PrivateKey.generate(on: curve, random: SystemRandom())
            let peer = try PrivateKey.generate(on: curve, random: SystemRandom())
            let (ours, theirs) = try (key.publicKey(), peer.publicKey())
            let h = [UInt8](1...32)
            let shared = try key.keg(with: theirs, h: h.span).array
            let theirShared = try peer.keg(with: ours, h: h.span).array
            #expect(theirShared == shared && shared.count == 64)

            let zero = [UInt8](repeating: 0, count: 16) + [UInt8](1...16)
            var one = zero
            one[15] = 1
            let derived = try key.keg(with: theirs, h: zero.span).array
            let derivedFromOne = try key.keg(with: theirs, h: one.span).array
            #expect(derivedFromOne == derived)
            let (seed, label) = (Array(zero[16..<24]), Array("kdf tree".utf8))
            let root = try key.vko2012256(with: theirs, ukm: [1].span)
            var expected = try KDFTree<Streebog256>.derive(
                key: root.bytes, label: label.span, seed: seed.span, count: 64
            ).array
            if curve.coordinateSize == 64 { expected = try key.vko2012512(with: theirs, ukm: [1].span).array }
            #expect(derived == expected)
        }
    }

    @Test("KEG takes 32 bytes, VKO of 512 bits a curve of 512 bits, and both keys lie on one curve")
    func refusedAgreement() throws {
        let key = try PrivateKey.generate(on: .tc26256A, random: SystemRandom())
        let peer = try key.publicKey()
        let stranger = try PrivateKey.generate(on: .tc26256B, random: SystemRandom()).publicKey()
        for count in [0, 31, 33] {
            let h = [UInt8](repeating: 1, count: count)
            let result = outcome { () throws(GOSTError) in try key.keg(with: peer, h: h.span) }
            #expect(result == .failure(.invalidLength))
        }
        let h = [UInt8](repeating: 1, count: 32)
        let results = [
            outcome { () throws(GOSTError) in try key.keg(with: stranger, h: h.span) },
            outcome { () throws(GOSTError) in try key.vko2012256(with: stranger, ukm: h.span) },
            outcome { () throws(GOSTError) in try key.vko2012512(with: peer, ukm: h.span) },
        ]
        for result in results { #expect(result == .failure(.invalidParameter)) }
    }

    @Test("Parameter sets with the same numbers can agree, others cannot")
    func curves() throws {
        let key = try PrivateKey.generate(on: .cryptoProA, random: SystemRandom())
        let peer = try PrivateKey.generate(on: .tc26256B, random: SystemRandom())
        let (ours, theirs) = try (key.publicKey(), peer.publicKey())
        let shared = try key.vko2001(with: theirs, ukm: [5].span).array
        #expect(try peer.vko2001(with: ours, ukm: [5].span).array == shared)

        let stranger = try PrivateKey.generate(on: .cryptoProB, random: SystemRandom()).publicKey()
        #expect(
            outcome { () throws(GOSTError) in try key.vko2001(with: stranger, ukm: [5].span) }
                == .failure(.invalidParameter))
        let long = try PrivateKey.generate(on: .tc26512A, random: SystemRandom())
        let longPeer = try long.publicKey()
        #expect(
            outcome { () throws(GOSTError) in try long.vko2001(with: longPeer, ukm: [5].span) }
                == .failure(.invalidParameter))
    }

    @Test("A UKM has 1 to 32 bytes and is not a multiple of q")
    func ukm() throws {
        let key = try PrivateKey.generate(on: .cryptoProA, random: SystemRandom())
        let peer = try key.publicKey()
        for count in [0, 33] {
            let ukm = [UInt8](repeating: 1, count: count)
            #expect(
                outcome { () throws(GOSTError) in try key.vko2001(with: peer, ukm: ukm.span) }
                    == .failure(.invalidLength))
        }
        let curve = try #require(try JSON(vectors: "curves.json").vectors.list.first { $0.name == key.curve.name })
        let q = curve.number("q", 32)
        #expect(
            outcome { () throws(GOSTError) in try key.vko2001(with: peer, ukm: q.span) } == .failure(.invalidParameter))
    }
}
