// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import TestSupport
import Testing

@Suite("Reasons why signers are not trusted", .usesGOSTEngine)
struct DistrustTests {
    private static let day: Int64 = 86_400
    private let openssl: OpenSSL
    private let authority: [UInt8]
    private let now = Int64(Date().timeIntervalSince1970)

    init() throws {
        openssl = try OpenSSL()
        authority = try openssl.makeAuthority("ca")
    }

    /// Certifies the key of theirs.key by an authority.
    private func issue(_ name: String, by issuer: String, days: Int, _ extensions: String) throws -> [UInt8] {
        try openssl.run(
            "req -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout \(name).key -out request -subj /CN=\(name)")
        try openssl.write(Array(extensions.utf8), "extensions")
        try openssl.run(
            "x509 -req -in request -CA \(issuer).pem -CAkey \(issuer).key -set_serial 7 -out \(name).pem"
                + " -days \(days) -extfile extensions")
        try openssl.run("x509 -in \(name).pem -outform DER -out \(name)")
        return try openssl.read(name)
    }

    private func message(by signers: [String] = ["theirs"]) throws -> [UInt8] {
        try openssl.write(Array("content".utf8), "content")
        let options = signers.map { "-signer \($0).pem -inkey \($0).key" }.joined(separator: " ")
        try openssl.run("cms -sign -binary -nodetach -cades -in content \(options) -outform DER -out message")
        return try openssl.read("message")
    }

    private func distrust(
        _ message: [UInt8], change: (inout MessageVerifier) throws -> Void = { _ in }
    ) throws -> [Distrust?] {
        var verifier = MessageVerifier(trusting: [authority])
        try change(&verifier)
        let error = #expect(throws: KanalError.self) { try verifier.verify(message) }
        guard case .messageRefused(.untrusted(let signers))? = error else { return [] }
        return signers.map(\.distrust)
    }

    @Test("The reason names the certificate that is at fault, the signer's or an authority's, and its time")
    func validity() throws {
        let middle = try issue("middle", by: "ca", days: 10, "basicConstraints=CA:true")
        let signer = try issue("theirs", by: "middle", days: 20, "keyUsage=digitalSignature")
        let (message, now) = (try message(), now)
        let (summary, issuer) = (try CertificateSummary(of: signer), try CertificateSummary(of: middle))
        #expect(
            try distrust(message) { verifier in
                verifier.certificates = [middle]
                verifier.time = summary.notAfter
            }.map(\.?.reason) == [.expired(try #require(summary.notAfter))])
        #expect(
            try distrust(message) { verifier in
                verifier.certificates = [middle]
                verifier.time = summary.notBefore.map { $0 - 1 }
            }.map(\.?.reason) == [.notYetValid(try #require(summary.notBefore))])
        let late = try distrust(message) { verifier in
            verifier.certificates = [middle]
            verifier.time = now + 15 * Self.day
        }
        #expect(late.map(\.?.reason) == [.expired(try #require(issuer.notAfter))])
        #expect(late.map(\.?.certificate) == [middle])
        #expect(late[0]?.description == "the certificate of CN=middle expired at \(Self.text(issuer.notAfter))")

        // An authority of the name that has not issued it does not explain anything.
        let other = try issue("middle", by: "ca", days: 5, "basicConstraints=CA:true")
        let foreign = try distrust(message) { verifier in
            verifier.certificates = [other]
            verifier.time = now + 15 * Self.day
        }
        #expect(foreign.map(\.?.reason) == [.unknownIssuer] && foreign.map(\.?.certificate) == [signer])
    }

    @Test(
        "The issuer of a certificate that is signed by SHA-1 or RSASSA-PSS is not called unknown",
        arguments: ["-sha1", "-sha256 -sigopt rsa_padding_mode:pss"])
    func algorithms(options: String) throws {
        try openssl.run(
            "req -x509 -newkey rsa:2048 -nodes -keyout old.key -out old.pem -subj /CN=old"
                + " -addext basicConstraints=critical,CA:true -addext keyUsage=keyCertSign")
        try openssl.run("x509 -in old.pem -outform DER -out old")
        let old = try openssl.read("old")
        try openssl.run("req -newkey \(OpenSSL.p256) -nodes -keyout theirs.key -out request -subj /CN=theirs")
        try openssl.run("x509 -req -in request -CA old.pem -CAkey old.key -set_serial 7 -out theirs.pem \(options)")
        let found = try distrust(message()) { $0.trusted = [old] }
        #expect(found.map(\.?.reason) == [.notUnderstood])
    }

    private static func text(_ time: Int64?) -> String {
        time.map { Date(timeIntervalSince1970: TimeInterval($0)).ISO8601Format() } ?? ""
    }

    @Test("A key for something else, an unknown extension and an authority that nobody trusts are told apart")
    func uses() throws {
        for (extensions, reason) in [
            ("keyUsage=keyAgreement", Distrust.Reason.notForSigning),
            ("extendedKeyUsage=critical,serverAuth", .notForSigning),
            ("1.2.3.4=critical,ASN1:NULL", .notUnderstood),
        ] {
            _ = try issue("theirs", by: "ca", days: 20, extensions)
            #expect(try distrust(message()).map(\.?.reason) == [reason], "\(extensions)")
        }
        _ = try issue("theirs", by: "ca", days: 20, "keyUsage=digitalSignature")
        let other = try openssl.makeAuthority("other")
        let found = try distrust(message()) { verifier in
            verifier.trusted = [other]
            verifier.certificates = [authority]
        }
        #expect(found == [found[0]] && found[0]?.reason == .unknownIssuer && found[0]?.certificate == authority)
        #expect(found[0]?.description == "the certificate of CN=ca is not among the trusted")
    }

    @Test("Of several signers each has a reason of its own, and a trusted one has none")
    func several() throws {
        _ = try issue("theirs", by: "ca", days: 20, "keyUsage=digitalSignature")
        _ = try openssl.makeAuthority("other")
        _ = try issue("second", by: "other", days: 20, "keyUsage=digitalSignature")
        let reasons = try distrust(message(by: ["theirs", "second"])).map(\.?.reason)
        #expect(reasons.count == 2 && reasons.contains(nil) && reasons.contains(.unknownIssuer))
    }

    @Test("A list that is out of date is told from one that is missing")
    func lists() throws {
        _ = try issue("theirs", by: "ca", days: 20, "keyUsage=digitalSignature")
        let settings = "[ca]\ndefault_ca = all\n[all]\ndatabase = index\ndefault_md = md_gost12_256\n"
        try openssl.write(Array(settings.utf8), "ca.cnf")
        try openssl.write([], "index")
        try openssl.run("ca -config ca.cnf -engine gost -gencrl -cert ca.pem -keyfile ca.key -crldays 1 -out list.pem")
        try openssl.run("crl -in list.pem -outform DER -out list")
        let (list, message, now) = (try openssl.read("list"), try message(), now)
        let missing = try distrust(message) { $0.revocationCheck = .signers }
        #expect(missing.map(\.?.reason) == [.listMissing])
        let old = try distrust(message) { verifier in
            verifier.revocationCheck = .signers
            verifier.revocationLists = [list]
            verifier.time = now + 2 * Self.day
        }
        guard case .listOutdated(let time)?? = old.first.map({ $0?.reason }) else {
            Issue.record("\(old)")
            return
        }
        #expect((now + Self.day - 60...now + Self.day + 600).contains(time))
    }

    @Test("A response of the authority states whether a certificate is revoked")
    func responses() throws {
        _ = try issue("theirs", by: "ca", days: 20, "keyUsage=digitalSignature")
        let message = try message()
        func response(_ state: String) throws -> [UInt8] {
            try openssl.write(Array("\(state)\t07\tunknown\t/CN=theirs\n".utf8), "index")
            try openssl.run(
                "ocsp -index index -CA ca.pem -rsigner ca.pem -rkey ca.key -issuer ca.pem -cert theirs.pem -ndays 1"
                    + " -respout response")
            return try openssl.read("response")
        }
        let good = try response("V\t301231235959Z\t")
        let revoked = try response("R\t301231235959Z\t260101000000Z")
        var verifier = MessageVerifier(trusting: [authority])
        verifier.revocationCheck = .signers
        verifier.ocspResponses = [good]
        #expect(try verifier.verify(message).signers.count == 1)
        for (responses, reason) in [([], .listMissing), ([good, revoked], .revoked(1_767_225_600))]
            as [([[UInt8]], Distrust.Reason)]
        {
            let found = try distrust(message) { verifier in
                verifier.revocationCheck = .signers
                verifier.ocspResponses = responses
            }
            #expect(found.map(\.?.reason) == [reason])
        }
        verifier.ocspResponses = [[1]]
        #expect(throws: KanalError.self) { try verifier.verify(message) }
    }
}
