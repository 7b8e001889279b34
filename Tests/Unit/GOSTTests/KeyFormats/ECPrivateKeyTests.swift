// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("GOST keys as ECPrivateKey (RFC 5915)")
struct ECPrivateKeyTests {
    /// Keys that Botan 2.19.3 made: `botan keygen --algo=GOST-34.10-2012-256 --params=gost_256A --der-out`, and of 512 bits on
    /// gost_512A.
    static let botan: [(curve: Curve, file: [UInt8])] = [
        (
            .tc26256A,
            [UInt8](
                hex: """
                    308189020100301506082a8503070101010106092a8503070102010101046d306b02010104200c5ed933bc2d7a40353d299005ed984bc188\
                    14c97399932ed14e74097505b7c3a144034200042cc13bf805a52c5703ea58ab3758e6dde158a046547dc6a2142214e6ce7b817c32d49fe3\
                    65b0f37bf24cce6ebf51ad3ef69aef15bc6f6e9dfe65d35d31c50996
                    """)
        ),
        (
            .tc26512A,
            [UInt8](
                hex: """
                    3081ed020100301506082a8503070101010206092a85030701020102010481d03081cd02010104404d33e2afc01555e2f43a1ed1ffe834ff\
                    d4c13de061e34477fa1e34be88c7f91acdeec9f5fef78e69894c6da2be6eb9d9e7f8ffc4f3d153cd464f0c939bfccd35a181850381820004\
                    e64ec8b35765b574615f847cc105189f331af16bcef56d1cc8fcbb59225284d3f8f9aa37dc5787407a9d89d35e3da88772f089f120516528\
                    56af4859008c78d4eb79d350dea660b93f71db6eaa3e490c4ec4211cb00592c8534bbee3ac4c896c228b5a0e26aa2fba1b26e64a911b851e\
                    7296569046aa0b9e64d820fdf2839b8d
                    """)
        ),
    ]

    @Test("A key of Botan is read, whose number is big-endian and whose curve is bare")
    func ofBotan() throws {
        let (curve, file) = Self.botan[1]
        let info = try PrivateKeyInfo(der: file.span)
        #expect(info.algorithm.curve == curve)
        // The last element of the file is the point, behind the bytes 00 and 04.
        let size = curve.coordinateSize
        let point = file.suffix(2 * size)
        let reversed = [UInt8](point.prefix(size).reversed()) + [UInt8](point.suffix(size).reversed())
        #expect(try info.key.publicKey().bytes == reversed)
        let written = info.der()
        let again = try PrivateKeyInfo(der: written.bytes)
        #expect([UInt8](copying: again.key.scalar) == [UInt8](copying: info.key.scalar))
    }

    @Test("A key of Botan is refused that names TC26's set A, and is on CryptoPro's curve A")
    func wrongCurve() throws {
        let (curve, file) = Self.botan[0]
        #expect(throws: GOSTError.invalidPoint) { _ = try PrivateKeyInfo(der: file.span) }
        // Under the name of its numbers it is a key.
        let names = curve.oid
        let place = try #require(file.firstRange(of: names))
        let renamed = file.replacing(names, with: Curve.tc26256B.oid)
        #expect(place.count == names.count && Curve.tc26256B.oid.count == names.count)
        #expect(try PrivateKeyInfo(der: renamed.span).algorithm.curve == .tc26256B)
    }

    @Test("The public key decides on the order of bytes, and is demanded", arguments: [Curve.cryptoProA, .tc26512B])
    func order(curve: Curve) throws {
        let key = try PrivateKey.generate(on: curve, random: Seeded("ECPrivateKey \(curve)"))
        let other = try PrivateKey.generate(on: curve, random: Seeded("another \(curve)"))
        let scalar = [UInt8](copying: key.scalar)
        for number in [scalar, scalar.reversed()] {
            let file = try encoded(number, key.publicKey(), curve)
            let info = try PrivateKeyInfo(der: file.span)
            #expect([UInt8](copying: info.key.scalar) == scalar)
            for wrong in [try encoded(number, nil, curve), try encoded(number, other.publicKey(), curve)] {
                #expect(throws: GOSTError.invalidPoint) { _ = try PrivateKeyInfo(der: wrong.span) }
            }
        }
    }

    private func encoded(_ number: [UInt8], _ point: PublicKey?, _ curve: Curve) throws -> [UInt8] {
        let size = curve.coordinateSize
        let algorithm: PublicKeyAlgorithm = size == 64 ? .gostR34102012512 : .gostR34102012256
        let identifier = try AlgorithmIdentifier(algorithm: algorithm, curve: curve).der
        let bits = point.map { [0, 4] + $0.bytes.prefix(size).reversed() + $0.bytes.suffix(size).reversed() }
        let publicKey = bits.map { DERTag.context1.element(DERTag.bitString.element($0)) } ?? []
        let fields = [2, 1, 1] + DERTag.octetString.element(number) + publicKey
        let octets = DERTag.octetString.element(DERTag.sequence.element(fields))
        return DERTag.sequence.element([2, 1, 0] + identifier + octets)
    }
}
