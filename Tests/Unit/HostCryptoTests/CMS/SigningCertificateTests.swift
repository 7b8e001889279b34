// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import TestSupport
import Testing

/// Accepted and refused messages, compared with the program's verdict with `-cades`. It accepts each that is trusted
/// here and has an attribute.
@Suite("The certificate that signed attributes name")
struct SigningCertificateTests {
    typealias Verdict = MessageRuleTests.Verdict

    /// A root, a signer whom it certifies, and another certificate of the signer's name, number and key.
    struct Scene {
        let signer: MadeKey
        let root, certificate, twin: [UInt8]
        let content = [UInt8]("the content")

        init() throws {
            let authority = try MadeKey("authority")
            signer = try MadeKey("signer")
            root = try MadeCertificate(number: 1, subject: "root", issuer: "root", isAuthority: true)
                .der(of: authority, by: authority)
            certificate = try MadeCertificate(number: 2, subject: "signer", issuer: "root")
                .der(of: signer, by: authority)
            twin = try MadeCertificate(number: 2, subject: "twin", issuer: "root").der(of: signer, by: authority)
        }

        /// A message that has these attributes beside those that it needs.
        func message(_ further: [[UInt8]], with certificate: [UInt8]? = nil) throws -> [UInt8] {
            let digest = try DigestAlgorithm.sha256(content)
            let attributes =
                [
                    Self.attribute(3, [DERTag.objectIdentifier.element([UInt8](hex: "2A864886F70D010701"))]),
                    Self.attribute(4, [DERTag.octetString.element(digest)]),
                ] + further
            let sorted = attributes.sorted { $0.lexicographicallyPrecedes($1) }
            let set = DERTag.set.element(Array(sorted.joined()))
            let certificate = certificate ?? self.certificate
            return try MadeMessage(
                content: content, signers: [certificate], certificates: [certificate, root],
                signature: signer.signature(of: set), attributes: set
            ).der()
        }

        /// An attribute of PKCS #9.
        static func attribute(_ arcs: UInt8..., values: [[UInt8]]) -> [UInt8] {
            DERTag.sequence.element(
                DERTag.objectIdentifier.element([UInt8](hex: "2A864886F70D0109") + arcs)
                    + DERTag.set.element(Array(values.joined())))
        }

        private static func attribute(_ arc: UInt8, _ values: [[UInt8]]) -> [UInt8] { attribute(arc, values: values) }

        /// signing-certificate-v2.
        func v2(_ identifiers: [UInt8]..., tail: [UInt8] = []) -> [UInt8] {
            Self.attribute(16, 2, 47, values: [Self.value(identifiers, tail: tail)])
        }

        /// signing-certificate.
        func v1(_ identifiers: [UInt8]...) -> [UInt8] { Self.attribute(16, 2, 12, values: [Self.value(identifiers)]) }

        static func value(_ identifiers: [[UInt8]], tail: [UInt8] = []) -> [UInt8] {
            DERTag.sequence.element(DERTag.sequence.element(Array(identifiers.joined())) + tail)
        }

        /// An ESSCertIDv2, or an ESSCertID.
        ///
        /// - Parameters:
        ///   - algorithm: The hash function's AlgorithmIdentifier; nil for none.
        ///   - issuerSerial: The certificate whose issuer and number it has; nil for none.
        func identifier(
            of certificate: [UInt8], _ digest: DigestAlgorithm = .sha256, algorithm: String? = nil,
            issuerSerial: [UInt8]? = nil
        ) throws -> [UInt8] {
            let name = try issuerSerial.map { der in
                let fields = try Certificate(der: der.span)
                return DERTag.sequence.element(
                    DERTag.sequence.element(DERTag.context4.element(fields.issuer)) + fields.serialNumber)
            }
            return DERTag.sequence.element(
                [UInt8](hex: algorithm ?? "") + DERTag.octetString.element(try digest(certificate)) + (name ?? []))
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let verdict: Verdict
        /// The program's verdict with `-cades`, and without.
        let openssl, withoutOption: Bool
        let attributes: @Sendable (Scene) throws -> [[UInt8]]

        init(
            _ name: String, _ verdict: Verdict, openssl: Bool, withoutOption: Bool = true,
            _ attributes: @escaping @Sendable (Scene) throws -> [[UInt8]]
        ) {
            (testDescription, self.verdict, self.attributes) = (name, verdict, attributes)
            (self.openssl, self.withoutOption) = (openssl, withoutOption)
        }
    }

    private static let sha256 = "300B0609608648016503040201"
    private static let sha512 = "300D06096086480165030402030500"

    static let cases: [Case] = [
        Case("none", .trusted, openssl: false) { _ in [] },
        Case("by SHA-256", .trusted, openssl: true) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate, issuerSerial: scene.certificate))]
        },
        Case("by SHA-256, which is named", .trusted, openssl: true) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate, algorithm: sha256))]
        },
        Case("by SHA-512", .trusted, openssl: true) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate, .sha512, algorithm: sha512))]
        },
        Case("with policies", .trusted, openssl: true) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate), tail: [0x30, 6, 0x30, 4, 0x06, 2, 0x2A, 3])]
        },
        Case("the older attribute", .trusted, openssl: true) { scene in
            [scene.v1(try scene.identifier(of: scene.certificate, .sha1, issuerSerial: scene.certificate))]
        },
        Case("both attributes", .trusted, openssl: true) { scene in
            [
                scene.v1(try scene.identifier(of: scene.certificate, .sha1)),
                scene.v2(try scene.identifier(of: scene.certificate)),
            ]
        },
        Case("the root too", .trusted, openssl: true) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate), try scene.identifier(of: scene.root))]
        },

        // Attributes that would need another certificate.
        Case("a stranger too", .signed, openssl: false) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate), try scene.identifier(of: scene.twin))]
        },
        Case("the root first", .refused, openssl: false) { scene in
            [scene.v2(try scene.identifier(of: scene.root), try scene.identifier(of: scene.certificate))]
        },
        Case("another of the same key", .refused, openssl: false) { scene in
            [scene.v2(try scene.identifier(of: scene.twin, issuerSerial: scene.certificate))]
        },
        Case("another in the older attribute", .refused, openssl: false) { scene in
            [scene.v1(try scene.identifier(of: scene.twin, .sha1))]
        },
        Case("another in one of both attributes", .refused, openssl: false) { scene in
            [
                scene.v1(try scene.identifier(of: scene.certificate, .sha1)),
                scene.v2(try scene.identifier(of: scene.twin)),
            ]
        },
        Case("another number", .refused, openssl: false) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate, issuerSerial: scene.root))]
        },
        Case("another hash function than is named", .refused, openssl: false) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate, .sha256, algorithm: sha512))]
        },

        // Malformed attributes.
        Case("nobody", .refused, openssl: false) { scene in [scene.v2()] },
        Case("an unknown hash function", .refused, openssl: false) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate, algorithm: "300406022A03"))]
        },
        Case("the attribute twice", .refused, openssl: false, withoutOption: false) { scene in
            let attribute = scene.v2(try scene.identifier(of: scene.certificate))
            return [attribute, attribute]
        },
        Case("two values", .refused, openssl: false, withoutOption: false) { scene in
            let value = Scene.value([try scene.identifier(of: scene.certificate)])
            return [Scene.attribute(16, 2, 47, values: [value, value])]
        },
        Case("bytes behind the list", .refused, openssl: false) { scene in
            [scene.v2(try scene.identifier(of: scene.certificate), tail: [0x05, 0])]
        },
        Case("a hash function in the older attribute", .refused, openssl: false) { scene in
            [scene.v1(try scene.identifier(of: scene.certificate, .sha256, algorithm: sha256))]
        },
    ]

    @Test("A signer whom an attribute does not name has not signed", arguments: cases)
    func attributes(_ rule: Case) throws {
        let (openssl, scene) = (try OpenSSL(), try Scene())
        let message = try scene.message(rule.attributes(scene))
        #expect(try MessageRuleTests.verdict(message, scene.content, trusting: scene.root) == rule.verdict)
        try openssl.write(scene.root, "root")
        try openssl.run("x509 -inform DER -in root -out root.pem")
        try openssl.write(message, "message")
        let verify = "cms -verify -binary -inform DER -in message -CAfile root.pem -purpose any -out output"
        #expect(try openssl.succeeds("\(verify) -cades") == rule.openssl)
        #expect(try openssl.succeeds(verify) == rule.withoutOption)
    }

    @Test("Another certificate of the same key takes the signer's place only where no attribute forbids it")
    func twins() throws {
        let scene = try Scene()
        let bare = try scene.message([], with: scene.twin)
        #expect(try MessageRuleTests.verdict(bare, scene.content, trusting: scene.root) == .trusted)
        let bound = try scene.message([scene.v2(scene.identifier(of: scene.certificate))], with: scene.twin)
        #expect(try MessageRuleTests.verdict(bound, scene.content, trusting: scene.root) == .refused)
    }

    @Test("More than 16 certificates behind the signer's are too many")
    func limit() throws {
        let scene = try Scene()
        for (count, verdict) in [(16, Verdict.trusted), (17, .refused)] {
            let names = [scene.certificate] + Array(repeating: scene.root, count: count)
            let value = Scene.value(try names.map { try scene.identifier(of: $0) })
            let message = try scene.message([Scene.attribute(16, 2, 47, values: [value])])
            #expect(try MessageRuleTests.verdict(message, scene.content, trusting: scene.root) == verdict)
        }
    }
}
