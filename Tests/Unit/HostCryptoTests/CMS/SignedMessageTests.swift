// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Signed messages")
struct SignedMessageTests {
    private static let gostKeys: [(PublicKeyAlgorithm, String)] = [
        (.gostR34102001, "gost2001 -pkeyopt paramset:A"), (.gostR34102012256, "gost2012_256 -pkeyopt paramset:TCB"),
        (.gostR34102012512, "gost2012_512 -pkeyopt paramset:A"),
    ]

    @Test("The program verifies what is signed with GOST", .usesGOSTEngine, arguments: gostKeys)
    func gost(algorithm: PublicKeyAlgorithm, newKey: String) throws {
        let (openssl, random) = (try OpenSSL(), Seeded("message \(algorithm)"))
        let certificate = try openssl.makeCertificate(newKey)
        let keyDER = try openssl.read("key.der")
        let info = try PrivateKeyInfo(der: keyDER.span)
        try expectVerified(openssl, certificate, .gost(algorithm), random) { digest in
            try info.key.sign(digest: digest.span, random: random)
        }
    }

    @Test(
        "The program verifies what is signed with RSA and ECDSA", arguments: [DigestAlgorithm.sha1, .sha256, .sha512])
    func others(digest: DigestAlgorithm) throws {
        let random = Seeded("message \(digest)")
        var openssl = try OpenSSL()
        var certificate = try openssl.makeCertificate("rsa:1024")
        try openssl.run("rsa -in key -traditional -out key.pem")
        let rsa = try RSAPrivateKey(RSAKeyFile(asn1parse: openssl.run("asn1parse -in key.pem")).components)
        try expectVerified(openssl, certificate, .rsa(digest), random) { bytes in
            try rsa.signature(bytes, .pkcs1DigestInfo(digest))
        }
        openssl = try OpenSSL()
        let ec = try openssl.makeECKey(.p256)
        try openssl.run("ec -in key.pem -out key")
        try openssl.run("req -x509 -new -key key.pem -outform DER -out certificate -subj /CN=Signer")
        certificate = try openssl.read("certificate")
        try expectVerified(openssl, certificate, .ecdsa(digest), random) { bytes in try ec.signature(bytes) }
    }

    private func expectVerified(
        _ openssl: OpenSSL, _ certificate: [UInt8], _ algorithm: SignatureAlgorithm, _ random: Seeded,
        sign: ([UInt8]) throws -> [UInt8]
    ) throws {
        try openssl.run("x509 -inform DER -in certificate -out ca.pem")
        // Whether the empty message has a block is not settled for GOST R 34.11-94.
        for count in [algorithm.digest == .gostR341194 ? 1 : 0, 40, 70_000] {
            let content = try random.bytes(count)
            let message = try SignedMessage(
                contentDigest: algorithm.digest(content), certificate: certificate, others: [certificate],
                algorithm: algorithm, signingTime: Int(Date().timeIntervalSince1970))
            let signature = try sign(algorithm.digest(message.signedAttributes))
            try openssl.write(content, "content")
            try openssl.write(message.der(signature: signature, content: content), "attached")
            try openssl.write(message.der(signature: signature, content: nil), "detached")
            let options = "cms -verify -cades -binary -inform DER -CAfile ca.pem -purpose any"
            try openssl.run("\(options) -in attached -out output")
            #expect(try openssl.read("output") == content)
            try openssl.run("\(options) -in detached -content content -out output")
            try expectRead(openssl, certificate, content, algorithm)
            try openssl.write(content + [0], "content")
            #expect(try !openssl.succeeds("\(options) -in detached -content content -out output"))
        }
    }

    /// Reads messages that the host and the program have signed.
    private func expectRead(
        _ openssl: OpenSSL, _ certificate: [UInt8], _ content: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws {
        let parsed = try Certificate(der: certificate.span)
        let key = try PublicKeyInfo(der: parsed.subjectPublicKeyInfo.span)
        let command =
            "cms -sign -binary -in content -signer ca.pem -inkey key -md \(algorithm.digest.program) -outform DER"
        try openssl.run("\(command) -nodetach -cades -out theirs")
        try openssl.run("\(command) -out theirs.detached")
        try openssl.run("\(command) -noattr -nosmimecap -out theirs.bare")
        for name in ["attached", "detached", "theirs", "theirs.detached", "theirs.bare"] {
            let der = try openssl.read(name)
            let message = try SignedData(ber: der.span)
            #expect(message.content == (["attached", "theirs"].contains(name) ? content : nil))
            #expect(message.certificates == [certificate])
            let signer = try #require(message.signers.first)
            #expect(signer.digest == algorithm.digest && message.signers.count == 1)
            let digest = try signer.digest(content)
            #expect(try signer.hasSigned(contentDigest: digest, with: key), "\(name)")
            #expect(try !signer.hasSigned(contentDigest: digest.changed(at: 0), with: key), "\(name)")
            expectChangesRefused(der, digest, key)
        }
        // The program writes SHA-512 without the NULL, and uses the older attribute with SHA-1.
        guard ![.sha1, .sha512].contains(algorithm.digest) else { return }
        let attribute = try #require(try signingCertificate(in: openssl.read("attached")))
        #expect(try attribute == signingCertificate(in: openssl.read("theirs")))
    }

    /// The value of the attribute signing-certificate-v2 in DER.
    private func signingCertificate(in message: [UInt8]) throws -> [UInt8]? {
        let type = DERTag.objectIdentifier.element([UInt8](hex: "2A864886F70D010910022F"))
        guard let end = message.firstRange(of: type)?.upperBound else { return nil }
        var reader = DERReader(message.span.extracting(droppingFirst: end))
        return [UInt8](copying: try reader.contents(.set))
    }

    @Test("The ends of a message stand around a content of any length below 4 GiB, and depend on its length alone")
    func ends() throws {
        let certificate = try OpenSSL().makeCertificate("rsa:512 -sha1")
        func message(_ digest: UInt8) throws -> SignedMessage {
            try SignedMessage(
                contentDigest: [UInt8](repeating: digest, count: 20), certificate: certificate, others: [],
                algorithm: .rsa(.sha1), signingTime: 0)
        }
        let (signature, signed) = ([UInt8](repeating: 1, count: 64), try message(1))
        for count in [0, 1, 127, 128, 70_000] {
            let content = [UInt8](repeating: 0x6B, count: count)
            let (head, tail) = try SignedMessages([signed]).ends(signatures: [signature], contentCount: count)
            #expect(try head + content + tail == signed.der(signature: signature, content: content))
            let other = try SignedMessages([message(2)]).ends(
                signatures: [[UInt8](repeating: 2, count: 64)], contentCount: count)
            #expect(head == other.head && tail != other.tail)
        }
        let long = try SignedMessages([signed]).ends(signatures: [signature], contentCount: 0xFFFF_FFFF).head
        #expect(long.suffix(6) == [0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF])
        for count in [-1, 1 << 32, .max] {
            expect(.invalidLength) {
                _ = try SignedMessages([signed]).ends(signatures: [signature], contentCount: count)
            }
        }
    }

    /// Changes the last bytes, which are the signature, and truncates a short message at each byte.
    private func expectChangesRefused(_ der: [UInt8], _ digest: [UInt8], _ key: PublicKeyInfo) {
        let changed = der.changed(at: der.count - 1)
        let message = try? SignedData(ber: changed.span)
        let isSigned = try? message?.signers.first?.hasSigned(contentDigest: digest, with: key)
        #expect(isSigned == false)
        for count in der.indices where der.count < 2000 {
            expect(.invalidEncoding) { _ = try SignedData(ber: der.span.extracting(first: count)) }
        }
        let long = der + [0]
        expect(.invalidEncoding) { _ = try SignedData(ber: long.span) }
    }

    @Test(
        "The signing time is a UTCTime to 2049, and a GeneralizedTime from 2050 on",
        arguments: [
            (0, "700101000000Z"), (951_782_400, "000229000000Z"), (951_868_799, "000229235959Z"),
            (-631_152_000, "500101000000Z"), (-1, "691231235959Z"), (2_524_607_999, "491231235959Z"),
            (2_524_608_000, "20500101000000Z"), (4_107_542_400, "21000301000000Z"),
            (253_402_300_799, "99991231235959Z"), (1_795_255_200, "261121100000Z"),
        ])
    func signingTimes(seconds: Int, text: String) throws {
        let attributes = try attributes(signingTime: seconds)
        let element = [text.count == 13 ? 0x17 : 0x18, UInt8(text.count)] + text.utf8
        #expect(attributes.hex.contains(element.hex))
        let message = try message(signingTime: seconds)
        let read = try SignedData(ber: message.span)
        #expect(read.signers.map(\.signingTime) == [seconds])
    }

    @Test(
        "A signing time that no calendar has, or in another form, is none",
        arguments: [
            "700101000060Z", "700230000000Z", "701301000000Z", "700100000000Z", "70010100000:Z", "7001010000000",
        ])
    func noSigningTimes(text: String) throws {
        var message = try message(signingTime: 0)
        let place = try #require(message.firstRange(of: Array("700101000000Z".utf8)))
        message.replaceSubrange(place, with: text.utf8)
        let read = try SignedData(ber: message.span)
        #expect(read.signers.map(\.signingTime) == [nil])
    }

    @Test("A time without a form, a digest of another length and a certificate that is none are refused")
    func refusals() throws {
        let certificate = try OpenSSL().makeCertificate("rsa:512 -sha1")
        for seconds in [Int.min, -631_152_001, 253_402_300_800, .max] {
            expect(.invalidParameter) { _ = try attributes(signingTime: seconds) }
        }
        func expectRefused(_ error: HostCryptoError, digest: Int, _ certificate: [UInt8], _ others: [[UInt8]]) {
            expect(error) {
                _ = try SignedMessage(
                    contentDigest: [UInt8](repeating: 1, count: digest), certificate: certificate, others: others,
                    algorithm: .rsa(.sha1), signingTime: 0)
            }
        }
        expectRefused(.invalidLength, digest: 32, certificate, [])
        expectRefused(.invalidEncoding, digest: 20, certificate.dropLast(), [])
        expectRefused(.invalidEncoding, digest: 20, certificate, [[1]])
    }

    @Test("Bytes behind a certificate do not go with the message, and in a message there must be none")
    func tails() throws {
        let certificate = try OpenSSL().makeCertificate("rsa:512 -sha1")
        func message(_ certificate: [UInt8], _ others: [[UInt8]]) throws -> [UInt8] {
            try SignedMessage(
                contentDigest: [UInt8](repeating: 1, count: 20), certificate: certificate, others: others,
                algorithm: .rsa(.sha1), signingTime: 0
            ).der(signature: [1], content: [1])
        }
        let plain = try message(certificate, [])
        #expect(try message(certificate + [0], [certificate + [1, 2], certificate]) == plain)
        #expect(try SignedData(ber: plain.span).certificates == [certificate])
        // The certificates' own element says that it has a byte more.
        let place = try #require(plain.firstRange(of: certificate)).lowerBound
        #expect(plain[place - 4..<place - 2] == [0xA0, 0x82])
        var changed = plain
        changed[place - 1] += 1
        expect(.invalidEncoding) { _ = try SignedData(ber: changed.span) }
    }

    private func attributes(signingTime: Int) throws -> [UInt8] {
        try signedMessage(signingTime: signingTime).signedAttributes
    }

    /// A message without content, with an invalid signature.
    private func message(signingTime: Int) throws -> [UInt8] {
        try signedMessage(signingTime: signingTime).der(signature: [1], content: nil)
    }

    private func signedMessage(signingTime: Int) throws -> SignedMessage {
        let certificate = try OpenSSL().makeCertificate("rsa:512 -sha1")
        return try SignedMessage(
            contentDigest: [UInt8](repeating: 1, count: 20), certificate: certificate, others: [],
            algorithm: .rsa(.sha1), signingTime: signingTime)
    }
}

extension DigestAlgorithm {
    /// The name that the program has for the hash function.
    fileprivate var program: String {
        switch self {
        case .gostR341194: "md_gost94"
        case .streebog256: "md_gost12_256"
        case .streebog512: "md_gost12_512"
        default: "\(self)"
        }
    }
}

extension OpenSSL {
    /// Makes a key in the files key and key.der, and its own certificate in the file certificate.
    func makeCertificate(_ newKey: String) throws -> [UInt8] {
        try run("req -x509 -newkey \(newKey) -nodes -keyout key -outform DER -out certificate -subj /CN=Signer")
        try run("pkey -in key -outform DER -out key.der")
        return try read("certificate")
    }
}
