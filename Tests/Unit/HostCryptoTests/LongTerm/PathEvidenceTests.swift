// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostCrypto
import TestSupport
import Testing

@Suite("The evidence of paths", .usesGOSTEngine)
struct PathEvidenceTests {
    private let now = Int(Date().timeIntervalSince1970) + 60

    @Test(
        "a path names its certificates, and for each the list or the response that states it is not revoked",
        arguments: TrustStoreTests.algorithms)
    func states(_ newKey: String) throws {
        let responder = try OCSPTests.Responder(newKey)
        let chain = responder.chain
        let path = try chain.certificates(["signer", "authority", "root"])
        var store = TrustStore(trusted: [path[2]], certificates: [path[1]])
        let bare = try #require(try store.path(from: path[0], at: now).evidence)
        #expect(bare.links.map(\.certificate) == path)
        #expect(bare.links.allSatisfy { $0.state == nil })

        let own = try chain.revocationList(of: "authority")
        let lists = try [own, chain.revocationList(of: "root")]
        store.revocationLists = lists
        store.revocationCheck = .all
        let listed = try #require(try store.path(from: path[0], at: now).evidence)
        #expect(listed.links.map(\.certificate) == path)
        #expect(listed.links.map(\.state?.der) == [lists[0], lists[1], nil])

        // A response, of a responder or of the issuer itself, is preferred.
        try responder.index()
        for (name, signer) in [("responder", try chain.openssl.read("responder")), ("authority", path[1])] {
            let response = try OCSPResponse(reply: responder.reply(nonce: [], signer: name)).der
            store.ocspResponses = [response]
            let answered = try #require(try store.path(from: path[0], at: now).evidence)
            #expect(answered.links.map(\.state?.der) == [response, lists[1], nil])
            #expect(answered.links.map(\.state?.signer) == [signer, nil, nil])
        }
    }

    @Test("a statement that does not count is no evidence: of another time, damaged, by others, of an unknown state")
    func others() throws {
        let responder = try OCSPTests.Responder()
        let (chain, other) = (responder.chain, try TrustStoreTests.Chain())
        let path = try chain.certificates(["signer", "authority", "root"])
        var store = TrustStore(trusted: [path[2]], certificates: [path[1]])
        func state(days: Int = 0) throws -> PathEvidence.State? {
            try #require(try store.path(from: path[0], at: now + days * 86_400).evidence).links[0].state
        }
        let (list, good) = (try chain.revocationList(of: "authority"), try responder.reply(nonce: []))
        try responder.index("V\t301231235959Z\t\t09\tunknown\t/CN=other")
        let unknown = try responder.reply(nonce: [])
        store.revocationLists = [list]
        #expect(try state()?.der == list)
        #expect(try state(days: 6) == nil)
        store.revocationLists = [try other.revocationList(of: "authority")]
        #expect(try state() == nil)
        store.revocationLists = []
        for response in [good.changed(at: good.count - 1), unknown] {
            store.ocspResponses = [response]
            #expect(try state() == nil)
        }
        store.ocspResponses = [good]
        #expect(try state(days: 3) == nil)
    }

    @Test("without a path there is a reason and no evidence")
    func noPath() throws {
        let chain = try TrustStoreTests.Chain()
        let path = try chain.certificates(["signer", "authority", "root"])
        let outcome = try TrustStore(trusted: [path[2]]).path(from: path[0], at: now)
        #expect(outcome.evidence == nil)
        #expect(outcome.fault?.reason == .unknownIssuer)
        #expect(outcome.fault?.certificate == path[0])
    }

    @Test("a statement is missing only on a way that leads to a trusted certificate")
    func missingStatements() throws {
        let (chain, other) = (try TrustStoreTests.Chain(), try TrustStoreTests.Chain())
        let path = try chain.certificates(["signer", "authority", "root"])
        var store = TrustStore(trusted: [path[2]], certificates: [path[1]])
        store.revocationCheck = .all
        #expect(try store.path(from: path[0], at: now).fault?.reason == .listMissing)
        store.trusted = try other.certificates(["root"])
        let foreign = try store.path(from: path[0], at: now).fault
        #expect(foreign?.reason == .unknownIssuer && foreign?.certificate == path[1])
    }

    @Test("where addresses are asked, the state of a first certificate with one must be known until its end")
    func addresses() throws {
        let chain = try TrustStoreTests.Chain(
            authority: "crlDistributionPoints=URI:http://a/1", signer: "keyUsage=digitalSignature")
        let other = "keyUsage=digitalSignature\ncrlDistributionPoints=URI:http://a/2"
        try chain.issue("other", by: "authority", other)
        let path = try chain.certificates(["signer", "authority", "root", "other"])
        var store = TrustStore(trusted: [path[2]], certificates: [path[1]])
        #expect(try store.path(from: path[3], at: now).evidence != nil)
        store.asksAddresses = true
        // Neither one without an address nor an authority needs a state.
        #expect(try store.path(from: path[0], at: now).evidence != nil)
        #expect(try store.path(from: path[3], at: now).fault?.reason == .listMissing)
        #expect(try store.path(from: path[3], at: now, knownUntil: now + 86_400).fault?.reason == .listMissing)
        #expect(try store.path(from: path[3], at: now, knownUntil: now + 40 * 86_400).evidence != nil)
        let list = try chain.revocationList(of: "authority")
        let added = try store.adding(certificates: [], lists: [list], responses: [])
        #expect(try added.path(from: path[3], at: now).evidence?.links.first?.state?.der == list)
    }
}

extension PathEvidence.State {
    fileprivate var der: [UInt8] {
        switch self {
        case .list(let der, asOf: _), .response(let der, signer: _, asOf: _): der
        }
    }

    fileprivate var signer: [UInt8]? {
        guard case .response(_, let signer, asOf: _) = self else { return nil }
        return signer
    }
}
