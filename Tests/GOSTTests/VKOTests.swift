import GOST
import Secrets
import TestSupport
import Testing

@Suite("VKO GOST R 34.10-2001")
struct VKOTests {
    @Test("Both sides agree on the published key (RFC 4357, 5.2)")
    func publishedKeys() throws {
        let vectors = try JSON(vectors: "vko.json").vectors.list.filter { $0["hash"].text == "gostr341194-cryptopro" }
        #expect(vectors.count == 7)
        for vector in vectors {
            let curve = try vector.namedCurve
            let ukm = vector.ukm.bytes
            let (a, b) = (vector.prv_a.bytes, vector.prv_b.bytes)
            for (own, peer) in [(a, vector.pub_b.bytes), (b, vector.pub_a.bytes)] {
                let key = try PrivateKey(curve: curve, scalar: Secret(copying: own))
                let shared = try key.vko2001(with: PublicKey(curve: curve, bytes: peer), ukm: ukm.span)
                #expect(shared.array == vector.kek.bytes, "\(vector.name)")
            }
        }
    }

    @Test("VKO of the secure channel is this one, and a UKM of zeros counts as 1")
    func secureChannel() throws {
        let vectors = try JSON(vectors: "gsc1.json").vko.list.filter { $0.profile.text == "classic" }
        #expect(vectors.contains { $0.UKM.text == "0000000000000000" })
        for vector in vectors {
            #expect(try agree(vector.x.bytes, vector.Y.bytes, ukm: vector.UKM.bytes) == vector.output.bytes)
            if vector.UKM.text == "0000000000000000" {
                #expect(try agree(vector.x.bytes, vector.Y.bytes, ukm: [1]) == vector.output.bytes)
            }
        }
    }

    private func agree(_ scalar: [UInt8], _ point: [UInt8], ukm: [UInt8]) throws -> [UInt8] {
        let key = try PrivateKey(curve: .cryptoProA, scalar: Secret(copying: scalar))
        return try key.vko2001(with: PublicKey(curve: .cryptoProA, bytes: point), ukm: ukm.span).array
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

    @Test("A UKM has 1 to 32 octets and is not a multiple of q")
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
