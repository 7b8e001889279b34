// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import GOST
import HostCrypto
import TestSupport
import Testing
import Token

/// Records as the vendor's library writes them, without the key, on a token that does not give it back either.
@Suite("Public keys that only a certificate tells", .serialized)
struct CertifiedKeyTests {
    private static func certificate(_ words: String) throws -> [UInt8] {
        let openssl = try OpenSSL()
        try openssl.run("req -x509 \(words) -nodes -keyout key -subj /CN=Kanal -outform DER -out certificate")
        return try openssl.read("certificate")
    }

    private static func store(_ value: [UInt8], id: [UInt8], on driver: Driver) throws {
        _ = try driver.token.store(.certificate(label: [], id: id, subject: [], value: value))
    }

    @Test("a GOST key's value", .usesGOSTEngine)
    func gost() throws {
        let driver = try Driver.loggedIn(.usb)
        let value = try #require(try driver.token.generate(DriverPowerCutTests.pair).0.value)
        driver.reader.onResponse { _, instruction, response throws(LinkError) in
            guard instruction == 0xB0 else { return response }
            if response.data.starts(with: "Pk".utf8) {
                return Response(.endOfFileReached, data: response.data.dropLast(4 + value.count))
            }
            return response.data.count == value.count ? Response(.securityStatusNotSatisfied) : response
        }
        let other = try driver.other(login: true)
        #expect(try other.token.objects().keys.map(\.value) == [nil, nil])
        var certificate = try Self.certificate("-newkey gost2001 -pkeyopt paramset:A")
        let info = try Certificate(der: certificate.span).subjectPublicKeyInfo
        guard case .gost(let key) = try PublicKeyInfo(der: info.span) else { throw RSANumbers.Failure() }
        // Another key's certificate, with this key in it. The token does not check its signature.
        let place = try #require((0..<certificate.count).first { certificate[$0...].starts(with: key.key.bytes) })
        certificate.replaceSubrange(place..<(place + value.count), with: value)
        try Self.store(certificate, id: [8], on: other)
        #expect(try driver.other(login: true).token.objects().keys.map(\.value) == [nil, nil])
        try Self.store(certificate, id: DriverPowerCutTests.pair.publicKey.id, on: other)
        #expect(try other.token.objects().keys.map(\.value) == [value, nil])
        #expect(try driver.other(login: true).token.objects().keys.map(\.value) == [value, nil])
    }

    @Test("an RSA key's modulus and exponent")
    func rsa() throws {
        let driver = try Driver.loggedIn(.usb)
        let openssl = try OpenSSL()
        let numbers = try RSANumbers.privateKey(bits: 1024, by: openssl)
        let key = try driver.importRSA(numbers, id: [7])
        driver.reader.onResponse { _, instruction, response throws(LinkError) in
            guard instruction == 0xB0, response.data.starts(with: "Pr".utf8) else { return response }
            return Response(.endOfFileReached, data: response.data.dropLast(4 + 192))
        }
        let other = try driver.other(login: true)
        #expect(try other.token.objects().rsaKeys.map(\.modulus) == [nil])
        try openssl.run("req -x509 -key key.pem -subj /CN=Kanal -outform DER -out certificate")
        try Self.store(openssl.read("certificate"), id: [7], on: other)
        #expect(try driver.other(login: true).token.objects().rsaKeys == [key])
        // One of another length is not this key's.
        try other.token.delete(#require(try other.token.objects().certificates.first))
        try Self.store(Self.certificate("-newkey rsa:2048"), id: [7], on: other)
        #expect(try driver.other(login: true).token.objects().rsaKeys.map(\.modulus) == [nil])
    }
}
