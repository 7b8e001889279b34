// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import HostCrypto
import TestSupport
import Testing

@Suite("What certificates and lists of revoked ones say of themselves", .usesGOSTEngine)
struct RevocationScopeTests {
    /// A list, and its verdict on a signer that is not on it.
    struct Case: CustomTestStringConvertible {
        let name: String
        var extensions: [UInt8] = []
        /// Those of its entry.
        var entry: [UInt8] = []
        /// Whether it counts at all.
        var counts = true
        /// Whether it says that the signer is not revoked.
        var isWhole = true
        /// Whether the program says so too: it takes a list of changes that is not marked as critical for a whole one, and
        /// knows no critical extension of entries.
        var isOfProgram = true

        var testDescription: String { name }
    }

    private static func oid(_ arc: UInt8) -> [UInt8] { [0x06, 3, 0x55, 0x1D, arc] }
    private static let unknown: [UInt8] = [0x06, 3, 0x2A, 3, 4]

    private static func `extension`(_ oid: [UInt8], _ value: [UInt8], isCritical: Bool = false) -> [UInt8] {
        DERTag.sequence.element(oid + (isCritical ? [1, 1, 0xFF] : []) + DERTag.octetString.element(value))
    }

    private static func place(_ text: String) -> [UInt8] {
        DERTag.context0.element(DERTag.context0.element(name(text)))
    }

    private static func name(_ text: String) -> [UInt8] { [0x86, UInt8(text.utf8.count)] + Array(text.utf8) }

    /// A place with so many names, its own last.
    private static func names(_ count: Int) -> [UInt8] {
        let others = [[UInt8]](repeating: name("http://a/2"), count: count - 1).flatMap(\.self)
        let names = others + name("http://a/1")
        let value = DERTag.sequence.element(DERTag.context0.element(DERTag.context0.element(names)))
        return Self.extension(oid(28), value)
    }

    private static let reason: [UInt8] = [0x0A, 1, 1]

    static let cases: [Case] = {
        let points: [(name: String, value: [UInt8], counts: Bool, isWhole: Bool)] = [
            ("users", [0x81, 1, 0xFF], true, true), ("authorities", [0x82, 1, 0xFF], true, false),
            ("some reasons", [0x83, 2, 1, 0x40], true, false), ("others' certificates", [0x84, 1, 0xFF], false, false),
            ("attributes", [0x85, 1, 0xFF], false, false), ("its place", place("http://a/1"), true, true),
            ("another place", place("http://a/2"), true, false),
            ("its place, for users", place("http://a/1") + [0x81, 1, 0xFF], true, true), ("nothing", [], true, true),
        ]
        let ofPoints = points.flatMap { point in
            (["users", "authorities"].contains(point.name) ? [false, true] : [false]).map { isCritical in
                Case(
                    name: point.name + (isCritical ? ", critical" : ""),
                    extensions: Self.extension(oid(28), DERTag.sequence.element(point.value), isCritical: isCritical),
                    counts: point.counts, isWhole: point.isWhole)
            }
        }
        return ofPoints + [
            Case(name: "64 names of its place", extensions: names(64)),
            Case(name: "all"), Case(name: "unknown", extensions: Self.extension(unknown, [5, 0])),
            Case(
                name: "unknown, critical", extensions: Self.extension(unknown, [5, 0], isCritical: true), counts: false,
                isWhole: false),
            Case(
                name: "changes", extensions: Self.extension(oid(27), DERTag.integer.element([1])), counts: false,
                isWhole: false, isOfProgram: false),
            Case(name: "reason", entry: Self.extension(oid(21), reason)),
            Case(
                name: "reason, critical", entry: Self.extension(oid(21), reason, isCritical: true), isOfProgram: false),
            Case(name: "unknown in an entry", entry: Self.extension(unknown, [5, 0])),
            Case(
                name: "unknown in an entry, critical", entry: Self.extension(unknown, [5, 0], isCritical: true),
                counts: false, isWhole: false),
            Case(
                name: "another issuer of an entry",
                entry: Self.extension(oid(29), DERTag.sequence.element([0x82, 1, 0x61])), counts: false, isWhole: false,
                isOfProgram: false),
        ]
    }()

    private let chain: TrustStoreTests.Chain

    init() throws {
        chain = try TrustStoreTests.Chain(
            "rsa:2048", signer: "keyUsage=digitalSignature\ncrlDistributionPoints=URI:http://a/1")
    }

    /// A list of the authority with one entry, in DER.
    private func list(_ item: Case, of serialNumber: [UInt8]) throws -> [UInt8] {
        let authority = try chain.openssl.read("authority")
        let issuer = try Certificate(der: authority.span).subject
        let algorithm = try SignatureAlgorithm.rsa(.sha256).der()
        let times = ["250101000000Z", "491231235959Z"].map { DERTag.utcTime.element(Array($0.utf8)) }
        let entry = serialNumber + times[0] + (item.entry.isEmpty ? [] : DERTag.sequence.element(item.entry))
        let extensions =
            item.extensions.isEmpty ? [] : DERTag.context0.element(DERTag.sequence.element(item.extensions))
        let content = DERTag.sequence.element(
            DERTag.integer.element([1]) + algorithm + issuer + times[0] + times[1]
                + DERTag.sequence.element(DERTag.sequence.element(entry)) + extensions)
        try chain.openssl.write(content, "content")
        try chain.openssl.run("dgst -sha256 -sign authority.key -out signature content")
        let signature = DERTag.bitString.element([0] + (try chain.openssl.read("signature")))
        return DERTag.sequence.element(content + algorithm + signature)
    }

    private func trusts(_ list: [UInt8], _ check: TrustStore.RevocationCheck) throws -> Bool {
        try chain.trusts { store in
            store.revocationLists = [list]
            store.revocationCheck = check
        }
    }

    @Test("a list tells of the certificates that it says, as the program has it")
    func lists() throws {
        for item in Self.cases {
            let ofOther = try list(item, of: [0x02, 1, 0x7F])
            #expect(try trusts(ofOther, .leaf) == item.isWhole, "\(item.name)")
            #expect(try trusts(ofOther, .none), "\(item.name)")
            try chain.openssl.write(ofOther, "list")
            let verify = "verify -crl_check -CAfile root.pem -untrusted authority.pem -CRLfile list signer.pem"
            if item.isOfProgram { #expect(try chain.openssl.succeeds(verify) == item.isWhole, "\(item.name)") }
            let signer = try chain.openssl.read("signer")
            let ofSigner = try list(item, of: try Certificate(der: signer.span).serialNumber)
            for check in [TrustStore.RevocationCheck.none, .leaf] {
                #expect(try trusts(ofSigner, check) == (check == .none && !item.counts), "\(item.name)")
            }
        }
    }

    @Test("a list whose place has more names than are read cannot be read")
    func manyNames() throws {
        let many = try list(Case(name: "65 names", extensions: Self.names(65)), of: [0x02, 1, 0x7F])
        #expect(throws: HostCryptoError.invalidEncoding) { try trusts(many, .leaf) }
    }

    @Test("the algorithm beside a signature is the one that is signed, byte for byte")
    func algorithms() throws {
        // NULL becomes an empty OCTET STRING: the outer one is the last.
        func changed(_ der: [UInt8]) throws -> [UInt8] {
            let algorithm = try SignatureAlgorithm.rsa(.sha256).der()
            let place = try #require(
                der.indices.last { der[$0...].starts(with: algorithm) }.map { $0 + algorithm.count - 2 })
            var der = der
            der[place] = 0x04
            return der
        }
        let (authority, signer) = (try chain.openssl.read("authority"), try chain.openssl.read("signer"))
        #expect(try chain.trusts())
        #expect(try !chain.trusts { $0.certificates = [try changed(authority)] })
        let store = TrustStore(trusted: try chain.certificates(["root"]), certificates: [authority])
        #expect(try !store.trusts(try changed(signer), at: Int(Date().timeIntervalSince1970) + 60))
        let list = try changed(try list(Case(name: "all"), of: [0x02, 1, 0x7F]))
        #expect(try !trusts(list, .leaf))
    }
}
