// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostCrypto
import KanalKit
import KanalXML
import TestSupport
import Testing
import TokenScenes

@Suite("Documents that are signed")
struct SignedDocumentTests {
    private static let document = """
        <?xml version="1.0" encoding="UTF-8"?>
        <o:order xmlns:o="urn:order" a='1'><!-- note --><o:item Id="first">five &amp; six</o:item>
          <o:item Id="second"/><o:place></o:place></o:order>
        <!-- end -->
        """

    /// Signs a document with a key of an emulated token.
    private static func sign(
        _ document: String, on scene: TokenScene, _ change: (inout XMLSignatureForm) -> Void = { _ in }
    ) async throws -> String {
        var form = XMLSignatureForm()
        change(&form)
        let signed = try await scene.token.perform(pin: TokenScene.pin) { [form] session in
            try session.signedXML(Array(document.utf8), by: scene.certificate, form: form)
        }
        return String(decoding: signed, as: UTF8.self)
    }

    private static func verify(
        _ document: String, by scene: TokenScene, covering elements: [String] = []
    ) async throws -> [XMLSignature] {
        var verifier = XMLVerifier(MessageVerifier(trusting: [try scene.openssl.certificate("ca.pem")]))
        verifier.elements = elements
        return try await verifier.verify(Array(document.utf8))
    }

    /// The document with its signature cut out.
    private static func bare(_ document: String) -> String {
        document.replacing(#/<ds:Signature .*</ds:Signature>/#, with: "")
    }

    private static let kinds: [KeyKind] = [.gost256, .gost512, .rsa(bits: 2048), .p256]

    @Test(
        "The signature is at the end of the root, and all other bytes are as they were", .usesGOSTEngine,
        arguments: kinds)
    func enveloped(_ kind: KeyKind) async throws {
        let scene = try await TokenScene(kind)
        for canonical in XMLSignatureForm.Canonical.allCases {
            let signed = try await Self.sign(Self.document, on: scene) { $0.canonical = canonical }
            #expect(Self.bare(signed) == Self.document && signed.contains("</ds:Signature></o:order>"))
            let found = try await Self.verify(signed, by: scene, covering: ["/{urn:order}order"])
            #expect(found.map(\.covered) == [[CoveredElement(identifier: nil, path: "/")]])
            #expect(found.map(\.certificate) == [scene.certificate.value])
        }
    }

    @Test("Elements are signed by their Ids, and shown with the way to them", .usesGOSTEngine)
    func byIdentifier() async throws {
        let scene = try await TokenScene(.gost256)
        let signed = try await Self.sign(Self.document, on: scene) {
            ($0.elements, $0.place) = (["second", "first"], "{urn:order}place")
        }
        #expect(Self.bare(signed) == Self.document && signed.contains("<o:place><ds:Signature"))
        let found = try await Self.verify(signed, by: scene, covering: ["#first", "{urn:order}item"])
        #expect(
            found.map(\.covered) == [
                [
                    CoveredElement(identifier: "second", path: "/{urn:order}order/{urn:order}item[2]"),
                    CoveredElement(identifier: "first", path: "/{urn:order}order/{urn:order}item[1]"),
                ]
            ])
        await #expect(throws: XMLFault.notCovered("/{urn:order}order")) {
            try await Self.verify(signed, by: scene, covering: ["/{urn:order}order"])
        }
        await #expect(throws: XMLFault.noElement("/order")) {
            try await Self.verify(signed, by: scene, covering: ["/order"])
        }
    }

    @Test("An empty element that gets the signature gets an end tag, too", .usesGOSTEngine)
    func emptyPlace() async throws {
        let scene = try await TokenScene(.gost256)
        let signed = try await Self.sign("<a xmlns='urn:u'><b c = '1' /></a>", on: scene) {
            $0.place = "/{urn:u}a/{urn:u}b"
        }
        #expect(Self.bare(signed) == "<a xmlns='urn:u'><b c = '1' ></b></a>")
        #expect(try await Self.verify(signed, by: scene).count == 1)
    }

    @Test("A document in windows-1251 stays in it", .usesGOSTEngine)
    func encoding() async throws {
        let scene = try await TokenScene(.gost256)
        let text = "<?xml version='1.0' encoding='windows-1251'?><a>\u{439}</a>"
        let bytes = text.unicodeScalars.map { $0.isASCII ? UInt8($0.value) : 0xE9 }
        let signed = try await scene.token.perform(pin: TokenScene.pin) { session in
            try session.signedXML(bytes, by: scene.certificate)
        }
        #expect(signed.starts(with: bytes.dropLast(4)) && signed.suffix(4).elementsEqual(bytes.suffix(4)))
        let verifier = XMLVerifier(MessageVerifier(trusting: [try scene.openssl.certificate("ca.pem")]))
        #expect(try await verifier.verify(signed).count == 1)
    }

    @Test("XAdES states the time and the certificate, and the signature comes first in what it signs", .usesGOSTEngine)
    func xades() async throws {
        let scene = try await TokenScene(.gost512)
        let signed = try await Self.sign(Self.document, on: scene) { ($0.profile, $0.elements) = (.xades, ["first"]) }
        #expect(signed.contains("<o:item Id=\"first\"><ds:Signature"))
        let found = try await Self.verify(signed, by: scene, covering: ["/{urn:order}order/{urn:order}item[1]"])
        let time = try #require(found.first?.signingTime)
        #expect(abs(Double(time) - Date().timeIntervalSince1970) < 600)
        let other = signed.replacing(#/<xades:SigningTime>20/#, with: "<xades:SigningTime>19")
        await #expect(throws: XMLFault.self) { try await Self.verify(other, by: scene) }
    }

    @Test("The SMEV transform gives the bytes of the recommendations' examples", .usesGOSTEngine)
    func smev() async throws {
        let scene = try await TokenScene(.gost256)
        for vector in try JSON(vectors: "smev.json").vectors.list {
            let signed = try await Self.sign(try #require(vector.input.text), on: scene) { $0.profile = .smev }
            let digest = try Digest.digest(Array(try #require(vector.output.text).utf8).span, .streebog256)
            #expect(
                signed.contains("<ds:DigestValue>\(Data(digest).base64EncodedString())<"), "\(vector.id.text ?? "")")
            #expect(try await Self.verify(signed, by: scene).count == 1)
        }
    }

    @Test(
        "Web Services Security has the certificate in a token, in a header that is made if it is missing",
        .usesGOSTEngine)
    func webServices() async throws {
        let scene = try await TokenScene(.gost256)
        let security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"
        let utility = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
        let soap = "http://schemas.xmlsoap.org/soap/envelope/"
        for header in ["", "<s:Header/>", "<s:Header><x:Security xmlns:x='\(security)'></x:Security></s:Header>"] {
            let envelope = """
                <s:Envelope xmlns:s="\(soap)" xmlns:u="\(utility)">\(header)<s:Body u:Id="body">text</s:Body></s:Envelope>
                """
            let signed = try await Self.sign(envelope, on: scene) { $0.profile = .webServices }
            #expect(signed.contains("Security"), "\(header)")
            let found = try await Self.verify(signed, by: scene, covering: ["/{\(soap)}Envelope/{\(soap)}Body"])
            #expect(found.map(\.certificate) == [scene.certificate.value])
        }
    }

    @Test("A changed document, a wrong signature and a certificate of nobody's are refused", .usesGOSTEngine)
    func refused() async throws {
        let scene = try await TokenScene(.gost256)
        let signed = try await Self.sign(Self.document, on: scene)
        await #expect(throws: XMLFault.wrongDigest("")) {
            try await Self.verify(signed.replacing("five", with: "nine"), by: scene)
        }
        // The comment is covered by no signature, and the blanks are.
        #expect(try await Self.verify(signed.replacing("note", with: "other"), by: scene).count == 1)
        await #expect(throws: XMLFault.wrongDigest("")) {
            try await Self.verify(signed.replacing("six</o:item>\n", with: "six</o:item>"), by: scene)
        }
        let value = try #require(signed.firstMatch(of: #/<ds:SignatureValue>(.)/#)).1
        let wrong = signed.replacing(
            #/<ds:SignatureValue>./#, with: "<ds:SignatureValue>\(value == "A" ? "B" : "A")")
        await #expect(throws: XMLFault.wrongSignature) { try await Self.verify(wrong, by: scene) }
        let stranger = XMLVerifier(MessageVerifier(trusting: []))
        let error = await #expect(throws: XMLFault.self) { try await stranger.verify(Array(signed.utf8)) }
        guard case .untrusted(let signatures) = error else { Issue.record("\(error as Any)"); return }
        #expect(signatures.count == 1 && error?.verdict == .unknown)
    }

    @Test(
        "KeyInfo has the issuer and the number, or is missing, and then the verifier's certificates are tried",
        .usesGOSTEngine)
    func keyInformation() async throws {
        let scene = try await TokenScene(.gost256)
        for form in [XMLSignatureForm.KeyInformation.issuerAndNumber, .none] {
            let signed = try await Self.sign(Self.document, on: scene) { $0.keyInformation = form }
            #expect(signed.contains("<ds:X509SerialNumber>2</ds:X509SerialNumber>") == (form == .issuerAndNumber))
            await #expect(throws: XMLFault.noCertificate) { try await Self.verify(signed, by: scene) }
            var trust = MessageVerifier(trusting: [try scene.openssl.certificate("ca.pem")])
            trust.certificates = [scene.certificate.value]
            #expect(try await XMLVerifier(trust).verify(Array(signed.utf8)).count == 1)
        }
    }

    @Test("Signers can be the verifier's certificates alone, and a signature by none of them is wrong", .usesGOSTEngine)
    func ownCertificates() async throws {
        let scene = try await TokenScene(.gost256)
        let signed = Array(try await Self.sign(Self.document, on: scene).utf8)
        let authority = try scene.openssl.certificate("ca.pem")
        func verify(with certificates: [[UInt8]]) async throws -> Int {
            var trust = MessageVerifier(trusting: [authority])
            trust.usesMessageCertificates = false
            trust.certificates = certificates
            return try await XMLVerifier(trust).verify(signed).count
        }
        await #expect(throws: XMLFault.noCertificate) { try await verify(with: []) }
        await #expect(throws: XMLFault.wrongSignature) { try await verify(with: [authority]) }
        #expect(try await verify(with: [scene.certificate.value]) == 1)
    }
}

extension OpenSSL {
    /// A certificate of a file in PEM, in DER.
    fileprivate func certificate(_ file: String) throws -> [UInt8] {
        try run("x509 -in \(file) -outform DER -out certificate.der")
        return try read("certificate.der")
    }
}
