// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
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
