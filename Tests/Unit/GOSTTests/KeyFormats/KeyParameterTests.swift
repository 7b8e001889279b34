// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Parameter sets that keys name")
struct KeyParameterTests {
    /// The object identifiers of hash functions, in DER: of 1994 with the test set and CryptoPro's, of 2012 with 256 bits and
    /// with 512.
    private static let digests: [[UInt8]] = [
        [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x00], [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01],
        [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02],
        [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x03],
    ]

    /// Whether an algorithm has keys on a curve: 20 pairs of 42.
    private func goTogether(_ algorithm: PublicKeyAlgorithm, _ curve: Curve) -> Bool {
        switch algorithm {
        case .gostR34102001: curve.name.hasPrefix("id-GostR3410-2001-")
        case .gostR34102012256: curve.coordinateSize == 32
        case .gostR34102012512: curve.coordinateSize == 64
        }
    }

    private func publicKey(_ parameters: [UInt8], _ algorithm: PublicKeyAlgorithm, _ key: PublicKey) -> [UInt8] {
        let identifier = DERTag.sequence.element(algorithm.oid + DERTag.sequence.element(parameters))
        return DERTag.sequence.element(
            identifier + DERTag.bitString.element([0] + DERTag.octetString.element(key.bytes)))
    }

    private func privateKey(_ parameters: [UInt8], _ algorithm: PublicKeyAlgorithm, _ scalar: [UInt8]) -> [UInt8] {
        let identifier = DERTag.sequence.element(algorithm.oid + DERTag.sequence.element(parameters))
        return DERTag.sequence.element([2, 1, 0] + identifier + DERTag.octetString.element(scalar))
    }

    @Test("A key names its curve and any hash function of GOST or none, and comes back as it was", arguments: Curve.all)
    func accepted(curve: Curve) throws {
        let key = try PrivateKey.generate(on: curve, random: Seeded("parameters \(curve)"))
        let (point, scalar) = (try key.publicKey(), [UInt8](copying: key.scalar.bytes))
        let unknown: [UInt8] = [0x06, 0x03, 0x2A, 0x03, 0x04]
        for algorithm in PublicKeyAlgorithm.allCases {
            for digest in [[]] + Self.digests + [unknown] {
                let parameters = curve.oid + digest
                let isGood = goTogether(algorithm, curve) && digest != unknown
                let encoded = publicKey(parameters, algorithm, point)
                let info = try? SubjectPublicKeyInfo(der: encoded.span)
                #expect((info != nil) == isGood, "\(algorithm), \(curve), \(digest.hex)")
                guard isGood else { continue }
                #expect(info?.der == encoded && info?.algorithm.algorithm == algorithm && info?.key == point)
                let pkcs8 = privateKey(parameters, algorithm, scalar)
                let whole = try PrivateKeyInfo(der: pkcs8.span)
                #expect(whole.algorithm == info?.algorithm)
            }
        }
    }

    @Test("OpenSSL's gost engine reads every form that we read", .usesGOSTEngine, arguments: Curve.all)
    func engine(curve: Curve) throws {
        let engine = try OpenSSL()
        let key = try PrivateKey.generate(on: curve, random: Seeded("parameters \(curve)"))
        let scalar = [UInt8](copying: key.scalar.bytes)
        for algorithm in PublicKeyAlgorithm.allCases where goTogether(algorithm, curve) {
            for digest in [[]] + Self.digests {
                try engine.write(privateKey(curve.oid + digest, algorithm, scalar), "private.der")
                try engine.run("pkey -inform DER -in private.der -pubout -outform DER -out public.der")
                let encoded = try engine.read("public.der")
                let info = try SubjectPublicKeyInfo(der: encoded.span)
                #expect(try info.key == key.publicKey() && info.algorithm.algorithm == algorithm)
            }
        }
    }
}
