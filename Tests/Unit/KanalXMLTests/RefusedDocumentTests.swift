// SPDX-License-Identifier: Apache-2.0
import KanalKit
import KanalXML
import Testing

@Suite("Documents that are not read")
struct RefusedDocumentTests {
    private static func fault(_ bytes: [UInt8], covering elements: [String] = []) async throws -> XMLFault {
        var verifier = XMLVerifier(MessageVerifier(trusting: []))
        verifier.elements = elements
        return try #require(await #expect(throws: XMLFault.self) { try await verifier.verify(bytes) })
    }

    private static func fault(_ document: String) async throws -> XMLFault { try await fault(Array(document.utf8)) }

    @Test(
        "Document types, other encodings and inclusions are refused, each with its cause",
        arguments: [
            ("<!DOCTYPE a><a/>", "document type"), ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document type"),
            ("<?xml version='1.0' encoding='UTF-16'?><a/>", "UTF-16"),
            ("<?xml version='1.0' encoding='UTF-7'?><a/>", "UTF-7"), ("text", "not XML"), ("", "not XML"),
            ("<\0a\0/\0>\0", "not XML"),
            ("<a xmlns:x='http://www.w3.org/2001/XInclude'><x:include href='b'/></a>", "XInclude"),
            ("<a xmlns:x='http://www.w3.org/2003/XInclude'><x:include href='b'/></a>", "XInclude"),
        ])
    func refused(_ document: String, _ cause: String) async throws {
        let fault = try await Self.fault(document)
        guard case .refused(let reason) = fault else { Issue.record("\(fault)"); return }
        #expect(reason.description.contains(cause))
    }

    @Test(
        "What is no XML is refused with the line",
        arguments: ["<a>", "<a></b>", "<a>&b;</a>", "<a b='1' b='2'/>", "<a/><b/>"])
    func notXML(_ document: String) async throws {
        guard case .notXML(let reason) = try await Self.fault("<?xml version='1.0'?>\n" + document) else {
            Issue.record("another fault")
            return
        }
        #expect(reason.description.hasPrefix("line 2: "))
    }

    /// libxml2 would take long over some of them; it never sees them.
    @Test("Documents beyond a limit are refused before they are read, whatever XML they are")
    func limits() async throws {
        let documents = [
            "<a" + String(repeating: " a=''", count: 1_000_000) + "/>",
            String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100),
            "<a>" + String(repeating: "<b/>", count: 4_000_000) + "</a>",
            "<a>" + String(repeating: " ", count: 64 << 20) + "</a>",
        ]
        for document in documents {
            guard case .refused = try await Self.fault(document) else {
                Issue.record("another fault of \(document.prefix(20))")
                return
            }
        }
    }

    /// Each would be gigabytes, or take hours, in its canonical form.
    @Test("Namespaces that are too many, or whose names are too long, for a document's size are refused")
    func namespaces() async throws {
        let name = "xmlns:b = \"urn:" + String(repeating: "b", count: 20_000) + "\""
        let many = (0..<400).map { " xmlns:n\($0)='urn:n'" }.joined()
        for (attributes, count, cause) in [(name, 60_000, "too long"), (many, 60_000, "too many")] {
            let document = "<a \(attributes)>" + String(repeating: "<b/>", count: count) + "</a>"
            guard case .refused(let reason) = try await Self.fault(document) else {
                Issue.record("another fault of \(document.prefix(20))")
                return
            }
            #expect(reason.description.contains(cause))
        }
        #expect(try await Self.fault("<a \(name)>" + String(repeating: "<b/>", count: 1_000) + "</a>") == .noSignature)
    }

    @Test("An instruction whose name begins as the XML declaration does is none")
    func instructions() async throws {
        #expect(try await Self.fault("<?xml-stylesheet href='encoding.xsl'?><a/>") == .noSignature)
    }

    @Test("As many elements within each other as are allowed are read", arguments: [(64, true), (65, false)])
    func depth(_ depth: Int, _ isRead: Bool) async throws {
        let document = String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        #expect((try await Self.fault(document) == .noSignature) == isRead)
    }

    @Test(
        "Two elements with one Id are refused, in whichever attributes they have it",
        arguments: ["Id", "ID", "xml:id", "u:Id"], ["Id", "ID", "xml:id", "u:Id"])
    func doubledIdentifiers(_ first: String, _ second: String) async throws {
        let utility = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
        let document = "<a xmlns:u='\(utility)'><b \(first)='x'/><c \(second)='x'/></a>"
        #expect(try await Self.fault(document) == .ambiguousIdentifier("x"))
    }

    @Test("Documents may have equal attributes called id, unless a reference names them")
    func lesserIdentifiers() async throws {
        let document = "<a><b id='x'/><c id='x'/></a>"
        #expect(try await Self.fault(document) == .noSignature)
        #expect(try await Self.fault(Array(Self.signed(document, uri: "#x").utf8)) == .ambiguousIdentifier("x"))
    }

    /// A document with a signature whose digest and value are made up.
    private static func signed(
        _ document: String, uri: String? = "", transform: String = "", method: String? = nil, object: String = "",
        digest: String = "http://www.w3.org/2001/04/xmlenc#sha256"
    ) -> String {
        let reference = uri.map { " URI=\"\($0)\"" } ?? ""
        let transforms = transform.isEmpty ? "" : "<Transforms><Transform Algorithm=\"\(transform)\"/></Transforms>"
        let method = method ?? "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
        let signature = """
            <Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo>\
            <CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>\
            <SignatureMethod Algorithm="\(method)"/><Reference\(reference)>\(transforms)\
            <DigestMethod Algorithm="\(digest)"/><DigestValue>AAAA</DigestValue></Reference></SignedInfo>\
            <SignatureValue>AAAA</SignatureValue>\(object)</Signature>
            """
        let end = document.lastIndex(of: "<") ?? document.endIndex
        return document[..<end] + signature + document[end...]
    }

    @Test(
        "References lead to the document and its elements alone",
        arguments: [
            ("file:///etc/passwd", XMLFault.foreignReference("file:///etc/passwd")),
            ("http://127.0.0.1/a", .foreignReference("http://127.0.0.1/a")),
            ("#xpointer(/)", .foreignReference("#xpointer(/)")), ("#y", .noElement("#y")),
            ("", .wrongDigest("")), ("#x", .wrongDigest("#x")),
        ])
    func references(_ uri: String, _ fault: XMLFault) async throws {
        #expect(try await Self.fault(Array(Self.signed("<a><b Id='x'/></a>", uri: uri).utf8)) == fault)
    }

    @Test("A reference without a URI is refused")
    func noReference() async throws {
        guard case .foreignReference = try await Self.fault(Self.signed("<a></a>", uri: nil)) else {
            Issue.record("another fault")
            return
        }
    }

    @Test(
        "Transforms that compute, and all that are not known, are refused by their names",
        arguments: [
            "http://www.w3.org/TR/1999/REC-xslt-19991116", "http://www.w3.org/TR/1999/REC-xpath-19991116",
            "http://www.w3.org/2002/06/xmldsig-filter2", "http://www.w3.org/2000/09/xmldsig#base64",
            "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform", "",
        ])
    func transforms(_ name: String) async throws {
        let document = Self.signed("<a></a>", transform: name.isEmpty ? " " : name)
        #expect(try await Self.fault(document) == .unknownTransform(name.isEmpty ? " " : name))
    }

    @Test("Secret keys and SHA-1 are refused by their names")
    func algorithms() async throws {
        let namespace = "http://www.w3.org/2000/09/xmldsig#"
        let hash = Self.signed("<a></a>", digest: namespace + "sha1")
        #expect(try await Self.fault(hash) == .unknownAlgorithm(namespace + "sha1"))
        for name in ["hmac-sha1", "rsa-sha1", "dsa-sha1"] {
            let document = Self.signed("<a></a>", method: namespace + name)
            #expect(try await Self.fault(document) == .unknownAlgorithm(namespace + name))
        }
    }

    @Test(
        "Signatures with parts of nobody's knowledge, or with remarks in them, are refused",
        arguments: [
            ("<SignatureValue>", "<SignedInfo></SignedInfo><SignatureValue>"),
            ("<DigestValue>", "<DigestValue><!-- -->"),
            ("<SignedInfo>", "<?a b?><SignedInfo>"), ("<SignedInfo>", "<SignedInfo><?a b?>"),
            ("</SignedInfo>", "<b/></SignedInfo>"),
            ("<SignatureValue>AAAA", "<SignatureValue>!"), ("</SignatureValue>", "</SignatureValue><b/>"),
            ("<DigestValue>AAAA</DigestValue>", ""),
        ])
    func malformed(_ part: String, _ other: String) async throws {
        let document = Self.signed("<a></a>").replacing(part, with: other)
        let fault = try await Self.fault(document)
        if part == "<SignedInfo>", other.hasPrefix("<?") {
            // Beside what is signed it changes nothing.
            #expect(fault == .wrongDigest(""))
        } else {
            guard case .malformedSignature = fault else { Issue.record("\(fault)"); return }
        }
    }

    @Test(
        "Ways to elements that have not the form for it are refused",
        arguments: ["", "/", "a/b", "/a//b", "{a", "#", "/a[0]", "/a[b]", "a b/"])
    func paths(_ path: String) async throws {
        #expect(try await Self.fault(Array("<a/>".utf8), covering: [path]) == .malformedPath(path))
    }
}
