// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import TestSupport
import Testing

/// Messages of a sender who wants to exhaust the reader: 2 MB of certificates, and as many signers, as are accepted.
@Suite("Signers, certificates and steps")
final class VerificationBudgetTests {
    /// Keys of the authority, of the signer, and of an unrelated party.
    private let authority, signer, other: MadeKey
    private let root: [UInt8]
    private let limit = SignedData.signerLimit

    init() throws {
        authority = try MadeKey("authority")
        signer = try MadeKey("signer")
        other = try MadeKey("other")
        root = try MadeCertificate(number: 1, subject: "root", issuer: "root", isAuthority: true)
            .der(of: authority, by: authority)
    }

    /// A signer's certificate by the root, or by another whose key is the same.
    private func issued(_ number: Int, by issuer: String = "root") throws -> [UInt8] {
        try MadeCertificate(number: number, subject: "signer \(number)", issuer: issuer).der(of: signer, by: authority)
    }

    /// A certificate of some 500 bytes without a valid signature.
    private func padded(_ number: Int, by issuer: String) throws -> [UInt8] {
        try MadeCertificate(number: number, subject: String(repeating: ".", count: 260), issuer: issuer)
            .der(of: other, by: nil)
    }

    @Test("each signer and each certificate of a message of 2 MB takes one step")
    func honest() throws {
        let signers = try (0..<limit).map { try issued($0 + 2) }
        let others = try (limit..<SignedData.certificateLimit).map { try padded($0 + 2, by: "another") }
        let result = try verify(signers: signers, others: others)
        #expect(result.certificates == limit && result.isTrusted)
        // One for each signer's signature, and one for that of its certificate.
        #expect(result.signatures == 2 * limit)
        #expect(result.size > 2_000_000 && result.duration < .seconds(30), "\(result)")
    }

    @Test("one signer many times is verified as often, and the way to the root is looked for once")
    func repeated() throws {
        let certificate = try issued(2)
        let result = try verify(signers: Array(repeating: certificate, count: limit), others: [])
        #expect(result.certificates == limit && result.isTrusted && result.signatures <= 2 * limit)
    }

    @Test("certificates with the signer's name and number but other keys end the search")
    func impostors() throws {
        let others = try (0..<1000).map { number in
            try MadeCertificate(number: 2, subject: "impostor \(number)", issuer: "root").der(of: other, by: nil)
        }
        let result = try verify(signers: [issued(2)], others: others, isFirst: false)
        #expect(result.certificates == 0 && result.signatures == 72 && result.duration < .seconds(30), "\(result)")
    }

    @Test(
        "certificates with the signer's name and number whose keys do not count are not all looked at for each signer")
    func unsuitable() throws {
        let curve: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
        let others = try (0..<1000).map { number in
            try MadeCertificate(number: 2, subject: "impostor \(number)", issuer: "root").der(of: other, by: nil)
                .replacing(curve, with: curve.dropLast() + [0x7F])
        }
        let certificate = try issued(2)
        func outcome(signers count: Int) throws -> Outcome {
            try verify(signers: Array(repeating: certificate, count: count), others: others, isFirst: false)
        }
        let one = try outcome(signers: 1)
        #expect(one.certificates == 1 && one.isTrusted && one.steps == 1002, "\(one)")
        // Each finds its own behind all others, which cost no signature.
        let many = try outcome(signers: limit)
        #expect(many.certificates == 0 && many.fault == .limit && many.steps == 1002 + 64 + 8 * limit, "\(many)")
    }

    @Test("authorities that allow no others below them take steps by the sum of signers and authorities")
    func shortAuthorities() throws {
        let certificate = try issued(2, by: "low")
        let low = try MadeCertificate(number: 600, subject: "low", issuer: "middle", isAuthority: true)
            .der(of: authority, by: authority)
        var middles = try (0..<1000).map { number in
            try MadeCertificate(number: number, subject: "middle", issuer: "root", isAuthority: true, pathLength: 0)
                .der(of: authority, by: authority)
        }
        middles.append(
            try MadeCertificate(number: 1000, subject: "middle", issuer: "root", isAuthority: true)
                .der(of: authority, by: authority))
        // A path over certificates that the signer names is looked for again for each signer.
        let attributes = try attributes(naming: [certificate, low])
        func outcome(signers count: Int) throws -> Outcome {
            try verify(
                signers: Array(repeating: certificate, count: count), others: [low] + middles, attributes: attributes)
        }
        #expect(try outcome(signers: 1).isTrusted)
        let result = try outcome(signers: limit)
        #expect(result.certificates == limit && !result.isTrusted)
        #expect(result.steps == 1004 + 64 + 8 * limit, "\(result)")
    }

    @Test("authorities with one name but other keys end the search, however many signers there are")
    func authorities() throws {
        let signers = try (0..<limit).map { try issued($0 + 2, by: "middle") }
        let middles = try (limit..<1000).map { number in
            try MadeCertificate(number: number, subject: "middle", issuer: "middle", isAuthority: true)
                .der(of: other, by: nil)
        }
        let result = try verify(signers: signers, others: middles)
        #expect(result.certificates == limit && !result.isTrusted && result.signatures <= 64 + 8 * limit)
        #expect(result.duration < .seconds(30), "\(result)")
    }

    @Test("authorities that certify each other in all ways end the search")
    func web() throws {
        let names = (0..<8).map { "authority \($0)" }
        var web: [[UInt8]] = []
        for subject in names {
            for issuer in names {
                let certificate = MadeCertificate(
                    number: web.count + 2, subject: subject, issuer: issuer, isAuthority: true)
                web.append(try certificate.der(of: authority, by: authority))
            }
        }
        let result = try verify(signers: [issued(2, by: names[0])], others: web)
        #expect(result.certificates == 1 && !result.isTrusted && result.signatures == 72)
    }

    @Test("more signers or certificates than the limit are no message")
    func limits() throws {
        let certificate = try issued(2)
        func read(signers: Int, certificates: Int) throws {
            let der = try message(
                signers: Array(repeating: certificate, count: signers),
                certificates: Array(repeating: certificate, count: certificates))
            let message = try SignedData(ber: der.span)
            #expect(message.signers.count == signers && message.certificates.count == certificates)
        }
        try read(signers: limit, certificates: SignedData.certificateLimit)
        expect(.invalidParameter) { try read(signers: limit + 1, certificates: 1) }
        expect(.invalidParameter) { try read(signers: 1, certificates: SignedData.certificateLimit + 1) }
    }

    // MARK: Messages

    private struct Outcome {
        let size, signatures, steps, certificates: Int
        let isTrusted: Bool
        let fault: SignerVerification.Fault?
        let duration: Duration
    }

    /// - Parameter isFirst: Whether the signers' certificates come before the others.
    private func verify(
        signers: [[UInt8]], others: [[UInt8]], isFirst: Bool = true, attributes: [UInt8]? = nil
    ) throws -> Outcome {
        let distinct = Set(signers).count == 1 ? [signers[0]] : signers
        let der = try message(
            signers: signers, certificates: isFirst ? distinct + others : others + distinct, attributes: attributes)
        let store = TrustStore(trusted: [root])
        let digests = [DigestAlgorithm.sha256: try DigestAlgorithm.sha256(content)]
        let clock = ContinuousClock()
        let start = clock.now
        let message = try SignedData(ber: der.span)
        let verification = try SignerVerification(message, trusting: store, usesMessage: true, time: 1_750_000_000)
        let found = try verification.signers(of: digests, ContentForm())
        let isTrusted = try verification.trustsSigners()
        return Outcome(
            size: der.count, signatures: verification.signatureCount, steps: verification.stepCount,
            certificates: found?.certificates.count ?? 0, isTrusted: isTrusted, fault: verification.fault,
            duration: clock.now - start)
    }

    private let content = [UInt8]("the content")

    private func message(
        signers: [[UInt8]], certificates: [[UInt8]], attributes: [UInt8]? = nil
    ) throws -> [UInt8] {
        try MadeMessage(
            content: content, signers: signers, certificates: certificates,
            signature: signer.signature(of: attributes ?? content), attributes: attributes
        ).der()
    }

    /// Signed attributes with a signing-certificate-v2 of these certificates, the signer's first.
    private func attributes(naming certificates: [[UInt8]]) throws -> [UInt8] {
        let pkcs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01]
        func attribute(_ arcs: [UInt8], _ value: [UInt8]) -> [UInt8] {
            DERTag.sequence.element(DERTag.objectIdentifier.element(pkcs + [9] + arcs) + DERTag.set.element(value))
        }
        let names = try certificates.flatMap { der in
            DERTag.sequence.element(DERTag.octetString.element(try DigestAlgorithm.sha256(der)))
        }
        let value = DERTag.sequence.element(DERTag.sequence.element(names))
        return DERTag.set.element(
            attribute([3], DERTag.objectIdentifier.element(pkcs + [7, 1]))
                + attribute([4], DERTag.octetString.element(try DigestAlgorithm.sha256(content)))
                + attribute([16, 2, 47], value))
    }
}
