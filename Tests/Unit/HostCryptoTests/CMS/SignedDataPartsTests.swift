// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import TestSupport
import Testing

@Suite("Signatures that are added to messages")
struct SignedDataPartsTests {
    private let key: MadeKey
    private let certificate: [UInt8]
    private let content = [UInt8]("the content")

    init() throws {
        key = try MadeKey("signer")
        certificate = try MadeCertificate(number: 2, subject: "signer", issuer: "signer").der(of: key, by: key)
    }

    private func message(signers: Int) throws -> [UInt8] {
        try MadeMessage(
            content: content, signers: Array(repeating: certificate, count: signers), certificates: [certificate],
            signature: key.signature(of: content)
        ).der()
    }

    private func signedData(_ message: [UInt8]) throws -> SignedData { try SignedData(ber: message.span) }

    /// A message with this that is added.
    private func adding(_ added: AddedSignatures, to message: [UInt8]) throws -> [UInt8] {
        var reader = SignedDataReader()
        _ = try reader.read(message)
        let ends = try reader.parts().adding(added)
        return ends.head + content + ends.tail
    }

    private func part(of digest: [UInt8], _ kind: SignedMessage.Kind) throws -> SignedMessage {
        try SignedMessage(
            contentDigest: digest, certificate: certificate, others: [], algorithm: .ecdsa(.sha256),
            signingTime: 1_750_000_000, kind: kind)
    }

    private func verification(_ message: SignedData) throws -> SignerVerification {
        try SignerVerification(
            message, trusting: TrustStore(trusted: [certificate]), usesMessage: true, time: 1_750_000_000)
    }

    @Test("Nothing added is nothing changed; a signer added is read with the others")
    func added() throws {
        let message = try message(signers: 2)
        #expect(try adding(AddedSignatures(), to: message) == message)
        var added = AddedSignatures()
        let signer = try part(of: DigestAlgorithm.sha256(content), .content(CMS.data))
        try added.add(signer, signature: [UInt8](repeating: 1, count: 64))
        let changed = try signedData(adding(added, to: message))
        #expect(changed.signers.count == 3 && changed.certificates == [certificate] && changed.isInOrder)
        #expect(changed.content == content)
    }

    @Test("However many countersignatures a message has, as many of them are verified as of 256 signers")
    func limits() throws {
        let (count, limit) = (12, SignedData.signerLimit)
        let original = try message(signers: count)
        let part = try part(of: DigestAlgorithm.sha256(signedData(original).signers[0].signature), .countersignature)
        let nothing = [UInt8](repeating: 1, count: 64)
        var added = AddedSignatures()
        for place in 0..<count {
            for _ in 0..<limit { try added.countersign(place, part, signature: nothing) }
        }
        let message = try signedData(adding(added, to: original))
        let verification = try verification(message)
        let digests = [DigestAlgorithm.sha256: try DigestAlgorithm.sha256(content)]
        #expect(try verification.signers(of: digests, ContentForm())?.certificates.count == count)
        let all = try message.signers.flatMap { try verification.countersignatures(of: $0, isTrustAsked: true) }
        #expect(all.count == count * limit && all.first?.fault == .signature && all.last?.fault == .limit)
        #expect(verification.signatureCount == 64 + 8 * (count + limit))
        // One signer with more than are read.
        added = AddedSignatures()
        for _ in 0...limit { try added.countersign(0, part, signature: nothing) }
        let more = try signedData(adding(added, to: self.message(signers: 1)))
        let refused = try verification.countersignatures(of: more.signers[0], isTrustAsked: false)
        #expect(refused.map(\.fault) == [.attributes])
    }

    @Test("A countersignature is of a signer's signature, without a type of content, and of nothing else")
    func countersignature() throws {
        let original = try message(signers: 1)
        let signature = try DigestAlgorithm.sha256(signedData(original).signers[0].signature)
        let cases: [([UInt8], SignedMessage.Kind, SignerVerification.Fault?)] = [
            (signature, .countersignature, nil), (try DigestAlgorithm.sha256(content), .countersignature, .content),
            (signature, .content(CMS.data), .attributes),
        ]
        for (digest, kind, fault) in cases {
            let part = try part(of: digest, kind)
            var added = AddedSignatures()
            try added.countersign(0, part, signature: key.bareSignature(of: part.signedAttributes))
            let message = try signedData(adding(added, to: original))
            let found = try verification(message).countersignatures(of: message.signers[0], isTrustAsked: false)
            #expect(found.map(\.fault) == [fault])
        }
    }
}
