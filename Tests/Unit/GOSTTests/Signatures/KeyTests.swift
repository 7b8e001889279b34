// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Curves and keys of GOST R 34.10")
struct KeyTests {
    @Test("Every parameter set has the published numbers, and its object identifier finds it")
    func parameterSets() throws {
        let vectors = try JSON(vectors: "curves.json").vectors.list
        #expect(vectors.count == 14 && Curve.all.count == 14)
        for vector in vectors {
            let curve = try #require(Curve(oid: derObjectIdentifier(vector.oid.text ?? "")))
            let size = curve.coordinateSize
            #expect(curve.name == vector.name)
            #expect(curve.cofactor == vector.cofactor.number)

            // 1·P = P and (q − 1)·P = −P hold for no other p, a, b, q, x, y.
            let (p, q) = (vector.number("p", size), vector.number("q", size))
            let (x, y) = (vector.number("x", size), vector.number("y", size))
            var one = [UInt8](repeating: 0, count: size)
            one[0] = 1
            #expect(try publicKey(curve, one).bytes == x + y, "\(vector.name)")
            #expect(try publicKey(curve, difference(q, one)).bytes == x + difference(p, y), "\(vector.name)")
            #expect(throws: GOSTError.invalidScalar) { try publicKey(curve, q) }
        }
    }

    @Test("Multiples and points at the edges are those of the vectors; what is no point of order q is no key")
    func edges() throws {
        let vectors = try JSON(vectors: "curve_edges.json").vectors.list
        var multiples = 0
        for vector in vectors {
            let curve = try #require(Curve.all.first { $0.name == vector.curve.text })
            let size = curve.coordinateSize
            switch vector.kind.text {
            case "multiple":
                let key: PublicKey
                // 0, and numbers from q on, are no private keys.
                do { key = try publicKey(curve, vector.number("k", size)) } catch GOSTError.invalidScalar { continue }
                let expected = vector.result.number("x", size) + vector.result.number("y", size)
                #expect(key.bytes == expected, "\(vector.id)")
                multiples += 1
            case "point", "encoding":
                // A number that is longer than a coordinate cannot be written.
                let digits = max(vector.x.text?.count ?? 0, vector.y.text?.count ?? 0)
                guard digits <= 2 * size else { continue }
                let bytes = vector.number("x", size) + vector.number("y", size)
                let isKey = vector.kind.text == "point" && vector.order_q.number == 1
                #expect(((try? PublicKey(curve: curve, bytes: bytes)) != nil) == isKey, "\(vector.id)")
            default: #expect(vector.kind.text == "sum")
            }
        }
        #expect(multiples == 316)
    }

    @Test("An object identifier of no curve finds none")
    func unknownCurve() {
        #expect(Curve(oid: []) == nil)
        #expect(Curve(oid: derObjectIdentifier("1.2.643.2.2.35.4")) == nil)
        #expect(Curve(oid: Array(Curve.cryptoProA.oid.dropFirst(2))) == nil)
    }

    @Test("A private key is 0 < d < q, in exactly as many bytes as a coordinate")
    func scalars() throws {
        for curve in Curve.all {
            let size = curve.coordinateSize
            for scalar in [
                [UInt8](repeating: 0, count: size), [UInt8](repeating: 0xFF, count: size),
                [UInt8](repeating: 1, count: size - 1),
                [UInt8](repeating: 1, count: size + 1), [],
            ] {
                #expect(throws: GOSTError.invalidScalar) { try publicKey(curve, scalar) }
            }
        }
    }

    @Test("A generated key is the first random number in range, little-endian")
    func generation() throws {
        let key = try PrivateKey.generate(on: .cryptoProA, random: ConstantRandom(byte: 0x42))
        #expect(key.scalar.array == [UInt8](repeating: 0x42, count: 32))
        // q has 255 bits, so the highest random bit is dropped.
        let short = try PrivateKey.generate(on: .tc26256A, random: ConstantRandom(byte: 0x81))
        #expect(short.scalar.array == [UInt8](repeating: 0x81, count: 31) + [0x01])
    }

    @Test("No key is generated if the random source fails, or gives numbers out of range only")
    func failedGeneration() {
        for random in [NoRandom(), ConstantRandom(byte: 0), ConstantRandom(byte: 0xFF)] as [any RandomSource] {
            #expect(throws: GOSTError.randomUnavailable) {
                _ = try PrivateKey.generate(on: .cryptoProA, random: random)
            }
        }
    }

    @Test("A point is refused unless reduced, on the curve and of order q")
    func refusedPoints() throws {
        let all = try JSON(vectors: "negative.json").vectors.list
        let vectors = all.filter { $0.kind.text != "verify" }
        // The others are signatures.
        #expect(vectors.count == 14 && all.count == 14 + 48)
        for vector in vectors {
            let curve = try vector.namedCurve
            #expect(throws: GOSTError.invalidPoint, "\(vector.name)") {
                try PublicKey(curve: curve, bytes: vector.point("x", "y"))
            }
        }
        let point = try publicKey(.cryptoProA, [UInt8](repeating: 1, count: 32)).bytes
        for bytes in [[], point.dropLast(), point + [0], [UInt8](repeating: 0, count: 64)] {
            #expect(throws: GOSTError.invalidPoint) { try PublicKey(curve: .cryptoProA, bytes: Array(bytes)) }
        }
    }

    @Test("A point of the curve is refused if its X stands as X + p")
    func unreducedPoint() throws {
        var one = [UInt8](repeating: 0, count: 32)
        one[0] = 1
        let point = try publicKey(.cryptoProA, one).bytes
        #expect(point.prefix(32) == one[...])
        // X = 1, and p + 1 = 2^256 − 616.
        let unreduced = [0x98, 0xFD] + [UInt8](repeating: 0xFF, count: 30) + point.suffix(32)
        #expect(throws: GOSTError.invalidPoint) { try PublicKey(curve: .cryptoProA, bytes: unreduced) }
    }

    private func publicKey(_ curve: Curve, _ scalar: [UInt8]) throws -> PublicKey {
        try PrivateKey(curve: curve, scalar: Secret(copying: scalar)).publicKey()
    }

    /// left − right, little-endian.
    private func difference(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var borrow = 0
        return zip(left, right).map { left, right in
            let difference = Int(left) - Int(right) - borrow
            borrow = difference < 0 ? 1 : 0
            return UInt8(truncatingIfNeeded: difference)
        }
    }
}
