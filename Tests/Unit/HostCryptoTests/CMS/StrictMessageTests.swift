// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("What no signature of a message covers")
struct StrictMessageTests {
    private let key: MadeKey
    private let certificate: [UInt8]

    init() throws {
        key = try MadeKey("strict")
        certificate = try MadeCertificate(number: 2, subject: "signer", issuer: "signer").der(of: key, by: key)
    }

    private func message(_ algorithm: SignatureAlgorithm, others: [[UInt8]] = []) throws -> SignedData {
        let content = Array("content".utf8)
        let message = MadeMessage(
            content: content, signers: [certificate], certificates: [certificate] + others,
            signature: try key.signature(of: content), algorithm: algorithm)
        let der = try message.der()
        return try SignedData(ber: der.span)
    }

    @Test("CertificateChoices that are no certificates are passed over, and want the version of RFC 5652, 5.1")
    func otherChoices() throws {
        let openssl = try OpenSSL()
        try openssl.write([1], "content")
        try openssl.run("req -x509 -newkey \(OpenSSL.p256) -nodes -keyout key -out certificate -subj /CN=Signer")
        try openssl.run(
            "cms -sign -binary -nodetach -in content -signer certificate -inkey key -outform DER -out message")
        let der = try openssl.read("message")
        var outer = DERReader(der.span)
        var info = DERReader(try outer.contents(.sequence))
        let type = [UInt8](copying: try info.element(.objectIdentifier))
        var explicit = DERReader(try info.contents(.context0))
        var fields = DERReader(try explicit.contents(.sequence))
        #expect(try [UInt8](copying: fields.contents(.integer)) == [1])
        let algorithms = [UInt8](copying: try fields.element(.set))
        let content = [UInt8](copying: try fields.element(.sequence))
        let certificates = [UInt8](copying: try fields.contents(.context0))
        let signers = [UInt8](copying: fields.remainder())

        func read(_ version: UInt8, _ choices: [UInt8] = [], _ statements: [UInt8] = []) throws -> SignedData {
            let set = DERTag.context0.element(choices + certificates)
            let lists = statements.isEmpty ? [] : DERTag.context1.element(statements)
            let signed = DERTag.sequence.element([2, 1, version] + algorithms + content + set + lists + signers)
            let message = DERTag.sequence.element(type + DERTag.context0.element(signed))
            return try SignedData(ber: message.span)
        }
        let empty = DERTag.sequence.element([])
        let cases: [(version: UInt8, choices: [UInt8], statements: [UInt8])] = [
            (1, [], []), (3, DERTag.context1.element(empty), []), (4, DERTag.context2.element(empty), []),
            (5, DERTag.context3.element(empty), []), (5, [], DERTag.context1.element(empty)),
        ]
        for (version, choices, statements) in cases {
            for other in UInt8(1)...5 {
                let message = try read(other, choices, statements)
                #expect(message.isInOrder == (other == version), "\(other) for \(version)")
                #expect(message.certificates.count == 1 && message.signers.count == 1)
            }
        }
    }

    @Test("a signature is by an algorithm of its key, where order is wanted")
    func algorithms() throws {
        for algorithm in [SignatureAlgorithm.ecdsa(.sha256), .rsa(.sha256)] {
            for requiresOrder in [false, true] {
                let message = try message(algorithm)
                let verification = try SignerVerification(
                    message, trusting: TrustStore(trusted: []), usesMessage: true, requiresOrder: requiresOrder, time: 0
                )
                let content = try ContentDigests([.sha256])
                let bytes = Array("content".utf8)
                content.update(bytes.span)
                let digests = try content.finalize()
                let isAccepted = try verification.signers(of: digests, content.form) != nil
                #expect(message.isInOrder && isAccepted == (algorithm == .ecdsa(.sha256) || !requiresOrder))
                #expect(isAccepted || verification.fault == .order)
            }
        }
    }

    @Test("certificates that cannot be read are told")
    func certificates() throws {
        #expect(try message(.ecdsa(.sha256)).hasReadableCertificates)
        var damaged = certificate
        // Its version becomes no INTEGER.
        let version = try #require(damaged.indices.first { damaged[$0...].starts(with: [0xA0, 3, 2, 1, 2]) })
        damaged[version + 2] = 0x04
        for other in [[0x30, 0], damaged] {
            #expect(try !message(.ecdsa(.sha256), others: [other]).hasReadableCertificates)
        }
    }
}
