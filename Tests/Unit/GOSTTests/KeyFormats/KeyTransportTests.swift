// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Key transport in messages (RFC 4490, 4.2)")
struct KeyTransportTests {
    @Test("Keys in published messages come out with the receiver's private key", arguments: ["cms-010", "cms-012"])
    func messages(_ name: String) throws {
        let vectors = try JSON(vectors: "cms_pkcs12.json").vectors.list
        let index = try #require(vectors.firstIndex { $0.id.text == name })
        let vector = vectors[index]
        let der = try #require(Self.transport(in: vector.der.bytes, ukm: vector.ukm.bytes))
        let transport = try KeyTransport(der: der.span)
        #expect(transport.der == der)
        let peer = try #require(transport.ephemeralKey?.key)
        // Big-endian.
        let scalar: [UInt8] = vectors[index + 1].hex.bytes.reversed()
        let key = try PrivateKey(curve: peer.curve, scalar: Secret(copying: scalar))
        let kek = try key.vko2012256(with: peer, ukm: vector.ukm.bytes.span)
        #expect(kek.array == vector.kek.bytes)
        let cek = try GOST28147KeyWrap.cryptoPro.unwrap(
            transport.wrapped.span, kek: kek.bytes, sBox: transport.sBox)
        #expect(cek.array == vector.cek.bytes)
    }

    /// The structure in a message: it ends with its UKM.
    private static func transport(in message: [UInt8], ukm: [UInt8]) -> [UInt8]? {
        guard let end = message.firstRange(of: [4, 8] + ukm)?.upperBound else { return nil }
        return (0..<end).lazy.map { Array(message[$0..<end]) }.first { (try? KeyTransport(der: $0.span)) != nil }
    }

    @Test("What is no such structure, or none in DER, is refused")
    func malformed() throws {
        let curve = Curve.cryptoProA
        let key = try PrivateKey(curve: curve, scalar: Secret(copying: [UInt8](repeating: 7, count: 32))).publicKey()
        let info = try SubjectPublicKeyInfo(algorithm: .gostR34102001, key: key)
        for ephemeralKey in [info, nil] {
            let transport = try KeyTransport(
                wrapped: [UInt8](1...44), sBox: .cryptoProA, ephemeralKey: ephemeralKey)
            let der = transport.der
            #expect(try KeyTransport(der: der.span) == transport)
            for count in 0..<der.count {
                #expect(throws: GOSTError.self) { try KeyTransport(der: Array(der.prefix(count)).span) }
            }
            #expect(throws: GOSTError.invalidEncoding) { try KeyTransport(der: (der + [0]).span) }
            let unknown = try #require(der.firstRange(of: SBox.cryptoProA.oid)?.upperBound)
            var other = der
            other[unknown - 1] = 0x77
            #expect(throws: GOSTError.invalidParameter) { try KeyTransport(der: other.span) }
        }
        for count in [0, 43, 45] {
            #expect(throws: GOSTError.invalidLength) {
                try KeyTransport(wrapped: [UInt8](repeating: 1, count: count), sBox: .tc26Z, ephemeralKey: nil)
            }
        }
    }
}
