// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import HostCrypto
import Secrets
import TestSupport
import Testing

/// Accepted and refused messages, compared with `openssl cms -verify -purpose any`, which checks no certificate's
/// purpose. It accepts every message that is accepted here.
@Suite("What signed messages have to be", .usesGOSTEngine)
struct MessageRuleTests {
    enum Verdict: Sendable {
        /// The signature is good and a path leads to a trusted certificate.
        case trusted
        /// The signature is good.
        case signed
        /// No signature counts.
        case refused
    }

    /// A message, and the certificates of its signer and of the signer's authority, which a root certifies.
    struct Rule: Sendable, CustomTestStringConvertible {
        let name: String
        let verdict: Verdict
        let openssl: Bool
        var signer = "keyUsage=digitalSignature"
        var authority = "basicConstraints=CA:true"
        /// Options of `openssl cms -sign`, of `openssl req` for the two keys, and of `openssl x509` for the certificates.
        var options = ""
        var newKey = OpenSSL.p256
        var authorityKey = OpenSSL.p256
        var certifying = ""
        var certifyingAuthority = ""

        var testDescription: String { name }
    }

    static let gost = "gost2012_256 -pkeyopt paramset:A"

    static let rules: [Rule] = [
        Rule(name: "plain", verdict: .trusted, openssl: true),
        Rule(name: "GOST", verdict: .trusted, openssl: true, options: "-md md_gost12_256", newKey: gost),
        Rule(name: "CAdES", verdict: .trusted, openssl: true, options: "-cades"),
        Rule(name: "CAdES, GOST", verdict: .trusted, openssl: true, options: "-cades -md md_gost12_256", newKey: gost),
        Rule(
            name: "CAdES, long GOST", verdict: .trusted, openssl: true, options: "-cades -md md_gost12_512",
            newKey: "gost2012_512 -pkeyopt paramset:A"),

        // Extended key usage.
        Rule(name: "mail", verdict: .trusted, openssl: true, signer: "extendedKeyUsage=emailProtection"),
        Rule(name: "critical mail", verdict: .trusted, openssl: true, signer: usage("critical,emailProtection")),
        Rule(name: "any purpose", verdict: .trusted, openssl: true, signer: usage("critical,anyExtendedKeyUsage")),
        Rule(name: "documents", verdict: .trusted, openssl: true, signer: usage("critical,1.3.6.1.5.5.7.3.36")),
        Rule(
            name: "documents too", verdict: .trusted, openssl: true, signer: usage("critical,1.3.6.1.4.1.311.10.3.12")),
        Rule(name: "clients", verdict: .trusted, openssl: true, signer: usage("clientAuth,1.2.643.2.2.34.6")),
        Rule(name: "critical clients", verdict: .signed, openssl: true, signer: usage("critical,clientAuth")),
        Rule(name: "critical unknown purpose", verdict: .signed, openssl: true, signer: usage("critical,1.2.3.4")),
        Rule(name: "time stamps", verdict: .signed, openssl: true, signer: usage("timeStamping")),
        Rule(name: "critical time stamps", verdict: .signed, openssl: true, signer: usage("critical,timeStamping")),
        Rule(name: "OCSP", verdict: .signed, openssl: true, signer: usage("OCSPSigning,clientAuth")),
        Rule(name: "critical OCSP", verdict: .signed, openssl: true, signer: usage("critical,OCSPSigning")),
        Rule(name: "OCSP and mail", verdict: .trusted, openssl: true, signer: usage("OCSPSigning,emailProtection")),
        Rule(
            name: "authority of time stamps", verdict: .signed, openssl: true,
            authority: "basicConstraints=CA:true\nextendedKeyUsage=critical,timeStamping"),

        // Other extensions.
        Rule(name: "encryption", verdict: .signed, openssl: true, signer: "keyUsage=keyEncipherment"),
        Rule(name: "unknown", verdict: .trusted, openssl: true, signer: "1.2.3.4=ASN1:UTF8String:x"),
        Rule(name: "critical unknown", verdict: .signed, openssl: false, signer: "1.2.3.4=critical,ASN1:UTF8String:x"),
        Rule(
            name: "authority with critical unknown", verdict: .signed, openssl: false,
            authority: "basicConstraints=CA:true\n1.2.3.4=critical,ASN1:UTF8String:x"),
        Rule(
            name: "addresses", verdict: .signed, openssl: false, signer: "sbgp-ipAddrBlock=critical,IPv4:10.0.0.0/8"),
        Rule(
            name: "names", verdict: .signed, openssl: true,
            authority: "basicConstraints=CA:true\nnameConstraints=critical,permitted;email:example.org"),
        Rule(
            name: "authority that certifies nobody", verdict: .signed, openssl: false,
            authority: "basicConstraints=CA:true\nkeyUsage=digitalSignature"),
        Rule(name: "no authority", verdict: .signed, openssl: false, authority: "basicConstraints=CA:false"),

        // The signed content.
        Rule(name: "bare", verdict: .trusted, openssl: true, options: "-noattr"),
        Rule(name: "other content", verdict: .trusted, openssl: true, options: "-econtent_type 1.2.3.4"),
        Rule(name: "bare other content", verdict: .refused, openssl: true, options: "-econtent_type 1.2.3.4 -noattr"),

        // How.
        Rule(name: "MD5", verdict: .refused, openssl: true, options: "-md md5", newKey: "rsa:1024"),
        Rule(name: "SHA-1", verdict: .refused, openssl: true, options: "-md sha1"),
        Rule(name: "SHA-224", verdict: .trusted, openssl: true, options: "-md sha224"),
        Rule(name: "certificate by MD5", verdict: .signed, openssl: true, authorityKey: "rsa:1024", certifying: "-md5"),
        Rule(name: "certificate by SHA-1", verdict: .signed, openssl: true, certifying: "-sha1"),
        Rule(name: "authority's by SHA-1", verdict: .signed, openssl: true, certifyingAuthority: "-sha1"),
        Rule(name: "RSA of 1024", verdict: .trusted, openssl: true, newKey: "rsa:1024"),
        Rule(name: "RSA of 1023", verdict: .refused, openssl: true, newKey: "rsa:1023"),
        Rule(name: "RSA of 512", verdict: .refused, openssl: true, newKey: "rsa:512"),
    ]

    private static func usage(_ purposes: String) -> String { "extendedKeyUsage=\(purposes)" }

    @Test("A message is trusted, signed or refused, and accepted only if the program accepts it", arguments: rules)
    func messages(_ rule: Rule) throws {
        let openssl = try OpenSSL()
        try openssl.run(
            "req -x509 -newkey \(OpenSSL.p256) -nodes -keyout root.key -out root.pem -subj /CN=root -days 30"
                + " -addext basicConstraints=critical,CA:true")
        try openssl.issue("authority", by: "root", rule.authority, rule.authorityKey, rule.certifyingAuthority)
        try openssl.issue("signer", by: "authority", rule.signer, rule.newKey, rule.certifying)
        let content = [UInt8]("the content")
        try openssl.write(content, "content")
        try openssl.run(
            "cms -sign -binary -in content -signer signer.pem -inkey signer.key -certfile authority.pem -nodetach"
                + " -outform DER -out message \(rule.options)")
        let isAccepted = try openssl.verifies("message", trusting: "root.pem")
        #expect(isAccepted == rule.openssl)
        #expect(isAccepted || rule.verdict != .trusted)
        let message = try openssl.read("message")
        #expect(try Self.verdict(message, content, trusting: openssl.certificate("root")) == rule.verdict)
    }

    /// The host's verdict on a message.
    static func verdict(_ der: [UInt8], _ content: [UInt8], trusting root: [UInt8]) throws -> Verdict {
        let message = try SignedData(ber: der.span)
        let now = Int(Date().timeIntervalSince1970) + 60
        let verification = try SignerVerification(
            message, trusting: TrustStore(trusted: [root]), usesMessage: true, time: now)
        var digests: [DigestAlgorithm: [UInt8]] = [:]
        for signer in message.signers { digests[signer.digest] = try signer.digest(content) }
        var form = ContentForm()
        form.update(content.span)
        guard let signers = try verification.signers(of: digests, form) else { return .refused }
        #expect(signers.certificates.count == message.signers.count)
        return try verification.trustsSigners() ? .trusted : .signed
    }

    @Test("Attributes that somebody has signed are no content, and what only looks like them is")
    func confusion() throws {
        let openssl = try OpenSSL()
        let key = MadeKey(try openssl.makeECKey(.p256))
        try openssl.run("req -x509 -new -key key.pem -outform PEM -out root.pem -subj /CN=Signer -days 30")
        let root = try openssl.certificate("root")
        let honest = try SignedMessage(
            contentDigest: DigestAlgorithm.sha256([1]), certificate: root, others: [], algorithm: .ecdsa(.sha256),
            signingTime: 0)
        let attributes = honest.signedAttributes
        func bare(_ content: [UInt8]) throws -> [UInt8] {
            try MadeMessage(
                content: content, signers: [root], certificates: [root], signature: key.signature(of: content)
            ).der()
        }
        let forged = try bare(attributes)
        try openssl.write(forged, "forged")
        #expect(try openssl.verifies("forged", trusting: "root.pem"), "the program takes attributes for content")
        #expect(try Self.verdict(forged, attributes, trusting: root) == .refused)
        // The first attribute's type can be longer than the retained beginning of a content.
        let attribute = [0x30, 0x82, 0x01, 0x30, 0x06, 0x82, 0x01, 0x28] + [UInt8](repeating: 1, count: 0x128)
        let long = [0x31, 0x82, 0x01, 0x34] + attribute + [0x31, 2, 5, 0]
        #expect(try Self.verdict(bare(long), long, trusting: root) == .refused)

        for content in [attributes + [0], Array(attributes.dropLast()), [0x31], [0x31, 0], [UInt8]("1001")] {
            #expect(try Self.verdict(bare(content), content, trusting: root) == .trusted)
        }
    }
}

extension OpenSSL {
    /// Certifies a new key. The files have the name and the ends .key and .pem.
    fileprivate func issue(
        _ name: String, by issuer: String, _ extensions: String, _ newKey: String, _ options: String
    ) throws {
        try run("req -newkey \(newKey) -nodes -keyout \(name).key -out request -subj /CN=\(name)")
        try write([UInt8](extensions), "extensions")
        try run(
            "x509 -req -in request -CA \(issuer).pem -CAkey \(issuer).key -set_serial 2 -days 30 -extfile extensions"
                + " -out \(name).pem \(options)")
    }

    fileprivate func certificate(_ name: String) throws -> [UInt8] {
        try run("x509 -in \(name).pem -outform DER -out certificate")
        return try read("certificate")
    }

    fileprivate func verifies(_ message: String, trusting root: String) throws -> Bool {
        try succeeds("cms -verify -binary -inform DER -in \(message) -CAfile \(root) -purpose any -out output")
    }
}
