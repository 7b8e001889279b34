// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

@Suite("The attributes of long-term signatures", .usesGOSTEngine)
struct LongTermAttributeTests {
    private let now = Int(Date().timeIntervalSince1970) + 60

    @Test(
        "references name certificates, lists and responses, and are read as they are written",
        arguments: TrustStoreTests.algorithms)
    func references(_ newKey: String) throws {
        let responder = try OCSPTests.Responder(newKey)
        let chain = responder.chain
        let path = try chain.certificates(["signer", "authority", "root"])
        try responder.index()
        let response = try OCSPResponse(reply: responder.reply(nonce: [])).der
        let states: [PathEvidence.State] = [
            .response(response, signer: [], asOf: nil), .list(try chain.revocationList(of: "root"), asOf: nil),
        ]
        for algorithm in [DigestAlgorithm.sha1, .sha256, .streebog256] {
            let certificates = try CertificateReferences(Array(path.dropFirst()), by: algorithm)
            #expect(try CertificateReferences(der: certificates.der) == certificates)
            #expect(try certificates.name(all: Array(path.dropFirst())))
            #expect(try !certificates.name(all: path))

            let revocations = try RevocationReferences(states + [nil], by: algorithm)
            let read = try RevocationReferences(der: revocations.der)
            #expect(read == revocations)
            for state in states { #expect(try read.names(state)) }
            #expect(try !read.names(.list(try chain.revocationList(of: "authority"), asOf: nil)))
            #expect(try !read.names(.response(response.changed(at: response.count - 1), signer: [], asOf: nil)))
        }
    }

    @Test("a reference with the digest of a certificate, and the issuer and number of another one, names neither")
    func mixedReference() throws {
        let chain = try TrustStoreTests.Chain()
        let path = try chain.certificates(["authority", "root"])
        func parts(_ certificate: [UInt8]) throws -> (hash: [UInt8], issuerSerial: [UInt8]) {
            let der = try CertificateReferences([certificate], by: .sha1).der
            var reader = DERReader(der.span)
            var list = try reader.nested(.sequence)
            var reference = try list.nested(.sequence)
            let hash = [UInt8](copying: try reference.element(.octetString))
            return (hash, [UInt8](copying: try reference.element(.sequence)))
        }
        let (first, second) = (try parts(path[0]), try parts(path[1]))
        let mixed = DERTag.sequence.element(DERTag.sequence.element(first.hash + second.issuerSerial))
        #expect(try !CertificateReferences(der: mixed).name(all: [path[0]]))
        #expect(try !CertificateReferences(der: mixed).name(all: [path[1]]))
        let bare = DERTag.sequence.element(DERTag.sequence.element(first.hash))
        #expect(try CertificateReferences(der: bare).name(all: [path[0]]))
    }

    @Test("values are read as they are written, each once")
    func values() throws {
        let chain = try TrustStoreTests.Chain()
        let path = try chain.certificates(["signer", "authority", "root"])
        let lists = try [chain.revocationList(of: "authority"), chain.revocationList(of: "root")]
        var store = TrustStore(trusted: [path[2]], certificates: [path[1]], revocationLists: lists)
        store.revocationCheck = .all
        let evidence = try #require(try store.path(from: path[0], at: now).evidence)
        let certificates = CertificateValues([evidence, evidence])
        #expect(certificates.certificates == path)
        #expect(try CertificateValues(der: certificates.der) == certificates)
        let values = RevocationValues([evidence, evidence])
        #expect(values.lists == lists && values.responses.isEmpty)
        #expect(try RevocationValues(der: values.der) == values)
        #expect(try RevocationValues(der: RevocationValues([]).der) == RevocationValues([]))
    }

    @Test("more than 64 members are refused, for the sender chooses their number")
    func limits() {
        let many = [[UInt8]](repeating: [0x30, 0], count: 65).flatMap(\.self)
        #expect(throws: GOSTError.invalidParameter) { try CertificateValues(der: DERTag.sequence.element(many)) }
        let lists = DERTag.sequence.element(DERTag.context0.element(DERTag.sequence.element(many)))
        #expect(throws: GOSTError.invalidParameter) { try RevocationValues(der: lists) }
        let hashes = [[UInt8]](repeating: [0x30, 2, 4, 0], count: 65).flatMap(\.self)
        #expect(throws: GOSTError.invalidParameter) { try CertificateReferences(der: DERTag.sequence.element(hashes)) }
    }

    @Test("truncated and changed attributes are errors")
    func malformed() throws {
        let chain = try TrustStoreTests.Chain()
        let path = try chain.certificates(["authority", "root"])
        let references = try CertificateReferences(path, by: .sha256).der
        let revocations = try RevocationReferences(
            [.list(try chain.revocationList(of: "root"), asOf: nil)], by: .sha256
        ).der
        for count in 0..<references.count {
            #expect(throws: GOSTError.self) { try CertificateReferences(der: Array(references.prefix(count))) }
        }
        for count in 0..<revocations.count {
            #expect(throws: GOSTError.self) { try RevocationReferences(der: Array(revocations.prefix(count))) }
        }
    }
}
