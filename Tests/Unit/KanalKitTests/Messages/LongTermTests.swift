// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import TestSupport
import Testing

@Suite("Signatures with references and values", .usesGOSTEngine)
struct LongTermTests {
    private let scene: MessageScene
    private let maker: LongTermMaker
    /// With a time stamp of the signature.
    private let message: [UInt8]
    private let list: [UInt8]
    private let now = Int64(Date().timeIntervalSince1970)

    init() async throws {
        scene = try await MessageScene(.gost256)
        list = try scene.list()
        let stamper = try Stamper(scene.openssl)
        maker = LongTermMaker(openssl: scene.openssl)
        message = try await scene.sign(Array("content".utf8), by: stamper.authority(scene.verifier))
    }

    private func signer(_ message: [UInt8], after days: Int64 = 1, lists: [[UInt8]] = []) throws -> MessageSigner {
        var verifier = scene.verifier
        verifier.time = now + days * 86_400
        verifier.revocationLists = lists
        return try #require(try verifier.verify(message).signers.first)
    }

    @Test("Each level is named that a signature has: C, X, X Long, X Long type 1, A", arguments: [25, 26] as [UInt8])
    func levels(_ arc: UInt8) throws {
        let c = try maker.adding(referencesTo: scene.authority, list: list, to: message)
        // References alone prove nothing of a list that nobody has.
        #expect(try signer(c).level == .t && signer(c, lists: [list]).level == .c)
        let x = try maker.adding(stamp: arc, to: c)
        #expect(try signer(x).level == .t && signer(x, lists: [list]).level == .x)
        let long = try maker.adding(values: [scene.authority], list: list, to: c)
        let plain = try signer(long)
        #expect(plain.level == .xLong && plain.verdict == .good)
        let stated = try #require(plain.statedTime)
        #expect((now - 60...Int64(Date().timeIntervalSince1970) + 60).contains(stated))
        let whole = try maker.adding(stamp: arc, to: long)
        for days in [1, 60] as [Int64] {
            let signer = try signer(whole, after: days)
            #expect(signer.level == (arc == 25 ? .xLongType1 : .xLong))
            #expect(signer.timeStamps.map(\.kind) == [.signature, arc == 25 ? .signatureAndReferences : .references])
            #expect(signer.timeStamps.allSatisfy { $0.fault == nil } && signer.statedTime == stated)
            #expect(signer.verdict == (days == 1 ? .good : .goodAtItsTime))
        }
        let archived = try maker.archived(whole, content: Array("content".utf8))
        #expect(try signer(archived).level == .a)
    }

    @Test("References to other certificates and lists, and values of others, make nothing better")
    func others() throws {
        let other = try scene.openssl.makeAuthority("other")
        let settings = "[ca]\ndefault_ca = own\n[own]\ndatabase = empty\ndefault_md = md_gost12_256\n"
        try scene.openssl.write(Array(settings.utf8), "other.cnf")
        try scene.openssl.run(
            "ca -gencrl -config other.cnf -keyfile other.key -cert other.pem -crldays 90 -out other.list.pem")
        try scene.openssl.run("crl -in other.list.pem -outform DER -out other.list")
        let otherList = try scene.openssl.read("other.list")
        func level(_ reference: [UInt8], _ listed: [UInt8], _ value: [UInt8], _ stated: [UInt8]) throws
            -> SignatureLevel?
        {
            let named = try maker.adding(referencesTo: reference, list: listed, to: message)
            let valued = try maker.adding(values: [value], list: stated, to: named)
            return try signer(try maker.adding(stamp: 25, to: valued)).level
        }
        #expect(try level(scene.authority, list, scene.authority, list) == .xLongType1)
        #expect(try level(other, list, scene.authority, list) == .t)
        #expect(try level(scene.authority, otherList, scene.authority, list) == .t)
        #expect(try level(scene.authority, list, scene.authority, otherList) == .t)
        #expect(try level(other, otherList, other, otherList) == .t)
    }

    @Test("A stamp over other references, and attributes that cannot be read or are there twice, make nothing better")
    func wrong() throws {
        let named = try maker.adding(referencesTo: scene.authority, list: list, to: message)
        let long = try maker.adding(values: [scene.authority], list: list, to: named)
        let signer = try signer(try maker.adding(stamp: 25, to: long) { $0[$0.count - 1] ^= 1 })
        #expect(signer.level == .xLong && signer.timeStamps.map(\.fault) == [nil, .wrongImprint])
        let ofReferences = try self.signer(try maker.adding(stamp: 26, to: long) { $0[0] ^= 1 })
        #expect(ofReferences.level == .xLong && ofReferences.timeStamps.last?.fault == .wrongImprint)
        let broken = try #require(BERTree([0x30, 2, 0x05, 0]))
        for arc in [21, 22] as [UInt8] {
            #expect(try self.signer(try maker.adding(LongTermMaker.type(arc), broken, to: long)).level == .t)
        }
        for arc in [23, 24] as [UInt8] {
            #expect(try self.signer(try maker.adding(LongTermMaker.type(arc), broken, to: named)).level == .t)
        }
        let stamped = try self.signer(try maker.adding(LongTermMaker.type(25), broken, to: long))
        #expect(stamped.level == .xLong && stamped.timeStamps.last?.fault == .malformed)
    }

    @Test(
        "A stamp over references alone proves nothing of the time of a signature, one over both does",
        arguments: [25, 26] as [UInt8])
    func unstamped(_ arc: UInt8) async throws {
        let content = Array("content".utf8)
        let bare = try await scene.sign(content, isDetached: true, by: nil)
        let named = try maker.adding(referencesTo: scene.authority, list: list, to: bare)
        let stamped = try maker.adding(stamp: arc, to: named)
        let signer = try #require(try scene.verifier.verify(stamped, content: content).signers.first)
        #expect(signer.level == .bes && signer.timeStamps.map(\.fault) == [nil])
        #expect((signer.provenTime != nil) == (arc == 25))
    }

    @Test("A list in a message that names the signer's certificate as revoked before the stamp refuses it")
    func revoked() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyMMddHHmmss'Z'"
        for (time, verdict) in [(now - 3600, Verdict.wrong), (now + 3600, .goodAtItsTime)] {
            let date = formatter.string(from: Date(timeIntervalSince1970: Double(time)))
            try scene.openssl.write(Array("R\t401231235959Z\t\(date)\t02\tunknown\t/CN=Signer\n".utf8), "empty")
            try scene.openssl.run(
                "ca -gencrl -config empty.cnf -keyfile ca.key -cert ca.pem -crldays 90 -out revoked.pem")
            try scene.openssl.run("crl -in revoked.pem -outform DER -out revoked")
            let valued = try maker.adding(values: [], list: try scene.openssl.read("revoked"), to: message)
            do throws(KanalError) {
                let signer = try verifiedLater(valued)
                #expect(signer?.verdict == verdict && signer?.statedTime == signer?.provenTime)
            } catch {
                #expect(error.verdict == verdict)
            }
        }
    }

    private func verifiedLater(_ message: [UInt8]) throws(KanalError) -> MessageSigner? {
        var verifier = scene.verifier
        verifier.time = now + 86_400
        return try verifier.verify(message).signers.first
    }
}
