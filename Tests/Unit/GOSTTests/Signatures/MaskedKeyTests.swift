// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Private keys under a mask")
struct MaskedKeyTests {
    @Test("A mask that was put on comes off again", arguments: Curve.all)
    func takenOff(curve: Curve) throws {
        let random = Seeded("mask \(curve)")
        for _ in 0..<20 {
            let key = try PrivateKey.generate(on: curve, random: random)
            let mask = try PrivateKey.generate(on: curve, random: random)
            let masked = try product(key, mask)
            let found = try PrivateKey(curve: curve, masked: masked.span, mask: mask.scalar.bytes)
            #expect(found.scalar.array == key.scalar.array)
        }
    }

    @Test("Numbers from q on count modulo q, and multiples of q are refused", arguments: Curve.all)
    func edges(curve: Curve) throws {
        let vector = try #require(
            JSON(vectors: "curves.json").vectors.list.first { derObjectIdentifier($0.oid.text ?? "") == curve.oid })
        let size = curve.coordinateSize
        let q = vector.number("q", size)
        let zero = [UInt8](repeating: 0, count: size)
        let two = [2] + zero.dropFirst()
        let one = [1] + zero.dropFirst()
        func unmasked(_ masked: [UInt8], _ mask: [UInt8]) throws(GOSTError) -> [UInt8] {
            try PrivateKey(curve: curve, masked: masked.span, mask: mask.span).scalar.array
        }
        #expect(try unmasked(two, two) == one)
        #expect(try unmasked(two, one) == two)
        // q is odd, and so q + 2 has no carry beyond one byte unless its lowest byte is FE or more.
        if let lowest = q.first, lowest < 0xFE {
            let more = [lowest + 2] + q.dropFirst()
            #expect(try unmasked(more, one) == two)
            #expect(try unmasked(two, more) == one)
        }
        for mask in [zero, q] {
            #expect(throws: GOSTError.invalidParameter) { try unmasked(one, mask) }
            #expect(throws: GOSTError.invalidScalar) { try unmasked(mask, one) }
        }
        for other in [[], Array(one.dropLast()), one + [0]] as [[UInt8]] {
            #expect(throws: GOSTError.invalidLength) { try unmasked(other, one) }
            #expect(throws: GOSTError.invalidLength) { try unmasked(one, other) }
        }
    }

    /// The product of two keys modulo q, as the reader of PKCS #8 computes it.
    private func product(_ key: borrowing PrivateKey, _ mask: borrowing PrivateKey) throws -> [UInt8] {
        let algorithm: PublicKeyAlgorithm =
            key.curve.coordinateSize == 32 ? .gostR34102012256 : .gostR34102012512
        let identifier = try AlgorithmIdentifier(algorithm: algorithm, curve: key.curve)
        let numbers = DERTag.octetString.element(key.scalar.array + mask.scalar.array)
        let der = DERTag.sequence.element([2, 1, 0] + identifier.der + numbers)
        return try PrivateKeyInfo(der: der.span).key.scalar.array
    }
}
