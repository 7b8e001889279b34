// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("Encrypted messages (RFC 5652, 6; RFC 5083; R 1323565.1.025-2019)")
struct EnvelopeTests {
    @Test("Published messages open with the recipient's key", arguments: ["cms-010", "cms-012", "cms-014", "cms-016"])
    func published(_ name: String) throws {
        let vectors = try JSON(vectors: "cms_pkcs12.json").vectors.list
        let index = try #require(vectors.firstIndex { $0.id.text == name })
        let vector = vectors[index]
        // Big-endian.
        let scalar: [UInt8] = vectors[index + 1].hex.bytes.reversed()
        let curve = try #require(Curve.all.first { $0.name == vector.recipient_curve.text })
        let key = try GOSTEnvelopeKey(curve, scalar)
        #expect(try Envelope(vector.der.bytes).open(with: key) == vector.plaintext.bytes)
    }

    @Test(
        "Messages of R 1323565.1.025-2019 open: transport and agreement, with an ephemeral and with a sender's key",
        arguments: ["cms-033", "cms-034", "cms-035", "cms-036"])
    func recommendations(_ name: String) throws {
        let vector = try #require(JSON(vectors: "cms_pkcs12.json").vectors.list.first { $0.id.text == name })
        let curve = try #require(Curve.all.first { $0.name == vector.recipient_curve.text })
        let scalar = vector.recipient_prv.bytes
        let key = try GOSTEnvelopeKey(curve, scalar)
        let sender = vector.sender_certificate.bytes
        let envelope = try Envelope(vector.der.bytes)
        #expect(envelope.recipients[0].sender == (sender.isEmpty ? nil : RecipientCertificate.names(of: sender)[0]))
        let senderKey = sender.isEmpty ? nil : try Envelope.recipient(sender).key
        #expect(try envelope.open(with: key, sender: senderKey) == vector.plaintext.bytes)
    }

    @Test("Messages of BouncyCastle by key agreement open", arguments: OtherProgramFile.all("agreed"))
    func bouncyCastle(_ file: OtherProgramFile) throws {
        let key = try Self.key(OtherProgramFile.bytes(file.with))
        #expect(try Envelope(file.bytes()).open(with: key) == [UInt8]("content of a test\n"))
    }

    private static let ciphers: [ContentCipher] = [
        .gost28147(.tc26Z), .gost28147(.cryptoProA), .kuznyechik(hasCode: true), .kuznyechik(hasCode: false),
        .magma(hasCode: true), .magma(hasCode: false), .aesGCM(keySize: 32), .aesGCM(keySize: 16),
        .aesCBC(keySize: 32), .aesCBC(keySize: 24), .aesCBC(keySize: 16),
    ]

    @Test("What is encrypted to keys of all kinds is opened by each, in DER and in pieces", arguments: ciphers)
    func allKinds(_ cipher: ContentCipher) throws {
        let keys = try Envelope.keysOfAllKinds()
        for size in [0, 1, 16, 100, 70_000] {
            let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            for isInPieces in [false, true] {
                // The keys of GOST that are shorter than 32 bytes are wrapped by nothing.
                let recipients = cipher.keySize == 32 ? keys : keys.filter { !$0.isGOST }
                let message = try Envelope.made(of: content, for: recipients, cipher, isInPieces: isInPieces)
                for key in recipients { #expect(try Envelope(message).open(with: key) == content) }
            }
        }
    }

    @Test("RSA keys open content keys by RSAES-OAEP and RSAES-PKCS1-v1_5")
    func paddings() throws {
        let key = try RSAEnvelopeKey()
        for padding: RSAEncryptionScheme in [.pkcs1, .oaep(hash: .sha256, mask: .sha256, label: [])] {
            let message = try Envelope.made(of: [1, 2, 3], for: [key], .aesCBC(keySize: 32), padding)
            #expect(try Envelope(message).open(with: key) == [1, 2, 3])
        }
    }

    @Test("No message opens with another key, nor with a recipient's wrong one")
    func otherKeys() throws {
        for kind in try Envelope.keysOfAllKinds() {
            let stranger = try kind.other()
            for cipher: ContentCipher in [.kuznyechik(hasCode: false), .gost28147(.tc26Z), .aesCBC(keySize: 32)] {
                let message = try Envelope.made(of: [1, 2, 3], for: [kind], cipher)
                expect(.decryptionFailed) { _ = try Envelope(message).open(with: stranger) }
            }
        }
    }

    @Test(
        "A truncated message opens never, and one with a code opens with no byte changed",
        arguments: [.kuznyechik(hasCode: true), .magma(hasCode: true), .aesGCM(keySize: 32)] as [ContentCipher])
    func changes(_ cipher: ContentCipher) throws {
        let content = [UInt8]("a content of several blocks, which nobody may change")
        let keys = try Envelope.keysOfAllKinds()
        for key in [keys[0], try ECEnvelopeKey()] {
            for isInPieces in [false, true] {
                let message = try Envelope.made(of: content, for: [key], cipher, isInPieces: isInPieces)
                for count in 0..<message.count {
                    #expect(throws: HostCryptoError.self) { try Envelope(Array(message.prefix(count))).open(with: key) }
                }
                for place in message.indices {
                    // Names and numbers that nothing depends on may change, the content may not.
                    let opened = try? Envelope(message.changed(at: place)).open(with: key)
                    #expect(opened == nil || opened == content, "byte \(place)")
                }
            }
        }
    }

    @Test(
        "A truncated message without a code opens never either",
        arguments: [.gost28147(.tc26Z), .kuznyechik(hasCode: false), .aesCBC(keySize: 32)] as [ContentCipher])
    func truncations(_ cipher: ContentCipher) throws {
        let key = try GOSTEnvelopeKey(.tc26256A)
        for isInPieces in [false, true] {
            let message = try Envelope.made(
                of: [UInt8](repeating: 7, count: 50), for: [key], cipher, isInPieces: isInPieces)
            for count in 0..<message.count {
                #expect(throws: HostCryptoError.self) { try Envelope(Array(message.prefix(count))).open(with: key) }
            }
        }
    }

    @Test("Recipients are called by issuer and number, or by the identifier of their key")
    func names() throws {
        let key = try GOSTEnvelopeKey(.tc26256A)
        let made = MadeCertificate(number: 7, subject: "a", issuer: "b", keyIdentifier: [1, 2, 3])
        let names = try Envelope.recipient(made.der(of: key.info)).names
        #expect(names.count == 2 && names[1] == .keyIdentifier([1, 2, 3]))
        let message = try Envelope.made(of: [1], for: [key], .aesGCM(keySize: 32))
        let name = RecipientCertificate.names(of: try key.certificate())[0]
        #expect(try Envelope(message).recipients[0].recipient == name)
    }

    @Test("A certificate whose key is for signatures only allows no encryption")
    func uses() throws {
        let (signature, encipherment, agreement): (UInt8, UInt8, UInt8) = (0xC0, 0x20, 0x08)
        let cases: [(any EnvelopeKey, [UInt8])] = [
            (try RSAEnvelopeKey(), [encipherment]), (try ECEnvelopeKey(), [agreement]),
            (try GOSTEnvelopeKey(.tc26256A), [encipherment, agreement]),
        ]
        for (key, allowed) in cases {
            for uses in [signature, encipherment, agreement] {
                let der = try MadeCertificate(number: 1, subject: "a", issuer: "b", keyUsage: uses).der(of: key.info)
                #expect(try Envelope.recipient(der).allowsEncryption == allowed.contains(uses))
            }
            let der = try MadeCertificate(number: 1, subject: "a", issuer: "b").der(of: key.info)
            #expect(try Envelope.recipient(der).allowsEncryption)
        }
    }

    @Test("A content of another length than was announced ends the message with an error")
    func lengths() throws {
        let recipient = try Envelope.recipient(GOSTEnvelopeKey(.tc26256A).certificate())
        let writer = try EnvelopeWriter(
            to: [recipient], cipher: .kuznyechik(hasCode: false), padding: .pkcs1, contentCount: 3)
        try writer.write([1, 2]) { _ in }
        #expect(throws: HostCryptoError.invalidLength) { try writer.finish { _ in } }
        #expect(throws: HostCryptoError.invalidLength) { try writer.write([3, 4]) { _ in } }
        #expect(throws: HostCryptoError.invalidParameter) {
            try EnvelopeWriter(to: [], cipher: .aesGCM(keySize: 32), padding: .pkcs1, contentCount: nil)
        }
    }

    @Test("OpenSSL and its gost engine read and write the same messages", .usesGOSTEngine)
    func openssl() throws {
        let openssl = try OpenSSL()
        let content = [UInt8](repeating: 0x41, count: 600_000)
        try openssl.write(content, "content")
        for (algorithm, name) in [("gost2012_256 -pkeyopt paramset:A", "a"), ("gost2012_512 -pkeyopt paramset:A", "b")]
        {
            try openssl.run(
                "req -x509 -newkey \(algorithm) -nodes -keyout \(name).key -out \(name).pem -subj /CN=\(name)")
            try openssl.run("x509 -in \(name).pem -outform DER -out \(name).der")
            try openssl.run("pkey -in \(name).key -outform DER -out \(name).p8")
            let recipient = try Envelope.recipient(openssl.read("\(name).der"))
            let key = try Self.key(openssl.read("\(name).p8"))
            for (cipher, word) in [
                (ContentCipher.gost28147(.tc26Z), "gost89"), (.kuznyechik(hasCode: true), "kuznyechik-ctr-acpkm-omac"),
                (.kuznyechik(hasCode: false), "kuznyechik-ctr-acpkm"), (.magma(hasCode: true), "magma-ctr-acpkm-omac"),
                (.magma(hasCode: false), "magma-ctr-acpkm"),
            ] {
                try openssl.run("cms -encrypt -binary -in content -outform DER -out theirs -\(word) \(name).pem")
                #expect(try Envelope(openssl.read("theirs")).open(with: key) == content, "\(word) \(name)")
                // gost-engine 3.0.1 changes the key of ACPKM too early when it decrypts: after 1 KiB of Magma, 4 KiB of
                // Kuznyechik. It reads no more of its own messages either.
                let short = Array(content.prefix(cipher == .gost28147(.tc26Z) ? content.count : 1000))
                for isInPieces in [false, true] {
                    try openssl.write(
                        Envelope.made(of: short, for: [recipient], cipher, isInPieces: isInPieces), "ours")
                    try openssl.run(
                        "cms -decrypt -inkey \(name).key -recip \(name).pem -inform DER -in ours -binary -out opened")
                    #expect(try openssl.read("opened") == short, "\(word) \(name)")
                }
            }
        }
    }

    /// The key of a PrivateKeyInfo.
    private static func key(_ der: [UInt8]) throws -> GOSTEnvelopeKey {
        let info = try PrivateKeyInfo(der: der.span)
        return try GOSTEnvelopeKey(info.algorithm.curve, [UInt8](copying: info.key.scalar))
    }
}
