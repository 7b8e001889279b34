// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostCrypto
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("Messages are raised to forms that stay good for longer", .usesGOSTEngine)
struct MessageRaiserTests {
    private static let content = [UInt8]("content".utf8)

    private struct Setting {
        let scene: MessageScene
        let stamper: Stamper
        var raiser: MessageRaiser

        init(_ kind: KeyKind, days: Int = 90) async throws {
            scene = try await MessageScene(kind)
            stamper = try Stamper(scene.openssl)
            var verifier = scene.verifier
            verifier.revocationLists = [try stamper.revocationList(from: -1, days: days)]
            raiser = MessageRaiser(trusting: verifier, stampedBy: stamper.authority(verifier))
        }

        func sign(isDetached: Bool = false, isStamped: Bool = false) async throws -> [UInt8] {
            try await scene.sign(content, isDetached: isDetached, by: isStamped ? raiser.authority : nil)
        }

        func raise(
            _ message: [UInt8], to form: MessageRaiser.Form, isDetached: Bool = false
        ) async throws -> [UInt8] {
            let source = isDetached ? ByteSource.pieces(of: content, 3, length: nil, Recorder()) : nil
            let raised = Lock<[UInt8]>([])
            try await raiser.raise(ExistingMessage(message, content: source), to: form) { bytes in
                raised.withLock { $0 += bytes }
            }
            return raised.withLock { $0 }
        }
    }

    @Test(
        "to X Long type 1, with what proves the path and a stamp over it; OpenSSL verifies them still",
        arguments: MessageScene.kinds)
    func longForm(_ kind: KeyKind, _ newKey: String, _ digest: String) async throws {
        let setting = try await Setting(kind)
        for (isDetached, isStamped) in [(false, false), (true, true)] {
            let message = try await setting.sign(isDetached: isDetached, isStamped: isStamped)
            let raised = try await setting.raise(message, to: .xLongType1, isDetached: isDetached)
            try setting.scene.expectVerified(raised, Self.content, isDetached: isDetached)
            let (before, after) = (try SignedData(ber: message.span), try SignedData(ber: raised.span))
            #expect(before.signers[0].signature == after.signers[0].signature)
            #expect(before.signers[0].signedAttributes == after.signers[0].signedAttributes)
            #expect(before.certificates == after.certificates)
            let attributes = try after.signers[0].longTermAttributes
            #expect(attributes == LongTermAttribute.ofXLongType1.union([.signatureTimeStamp]))
            let lists = setting.raiser.verifier.revocationLists
            let values = try #require(try after.signers[0].value(of: .revocationValues))
            #expect(try RevocationValues(der: values).lists == lists)
            let stamp = try #require(try after.signers[0].value(of: .signatureAndReferencesTimeStamp))
            let bytes = try after.signers[0].stampedBytes(by: .signatureAndReferencesTimeStamp)
            try setting.scene.openssl.write(bytes, "stamped")
            try setting.scene.openssl.write(stamp, "stamp")
            #expect(
                try setting.scene.openssl.succeeds(
                    "ts -verify -data stamped -in stamp -token_in -CAfile ca.pem -attime \(Int(Date().timeIntervalSince1970) + 60)"
                ))
            let again = await fault { _ = try await setting.raise(raised, to: .xLongType1, isDetached: isDetached) }
            #expect(again == .hasForm)
        }
    }

    @Test("to T, and from T to X Long type 1; a signature that has a good stamp gets no second one")
    func steps() async throws {
        let setting = try await Setting(.gost256)
        let stamped = try await setting.raise(try await setting.sign(), to: .t)
        #expect(try setting.scene.verifier.verify(stamped).signers.map(\.level) == [.t])
        #expect(await fault { _ = try await setting.raise(stamped, to: .t) } == .hasForm)
        let raised = try await setting.raise(stamped, to: .xLongType1)
        #expect(try SignedData(ber: raised.span).signers[0].values(of: .signatureTimeStamp, limit: 2).count == 1)
        #expect(setting.stamper.stamps.withLock { $0.count } == 2)
    }

    @Test("but nothing is written without a statement about each certificate, or of signers who are not trusted")
    func refusals() async throws {
        let setting = try await Setting(.gost256)
        let message = try await setting.sign()
        var bare = setting
        bare.raiser.verifier.revocationLists = []
        var old = setting
        old.raiser.verifier.time = Int64(Date().timeIntervalSince1970) + 20 * 86_400
        old.raiser.verifier.revocationLists = [try setting.stamper.revocationList(days: 10)]
        var foreign = setting
        foreign.raiser.verifier.trusted = [try OpenSSL().makeAuthority("ca")]
        for (setting, reason) in [(bare, "listMissing"), (old, "listOutdated"), (foreign, "unknownIssuer")] {
            let fault = await fault { _ = try await setting.raise(message, to: .xLongType1) }
            guard case .untrusted(let signers)? = fault, let distrust = signers.first?.distrust else {
                Issue.record("\(String(describing: fault))")
                continue
            }
            #expect("\(distrust.reason)".hasPrefix(reason))
        }
        #expect(setting.stamper.stamps.withLock { $0.isEmpty })
        var changed = try await setting.sign(isDetached: true)
        changed[changed.count - 1] ^= 1
        let fault = await fault { _ = try await setting.raise(changed, to: .t, isDetached: true) }
        #expect(fault == .wrongSignature)
    }

    @Test("but not if certificates are not trusted, or the authority's are not stated, or another program has begun")
    func settings() async throws {
        let setting = try await Setting(.gost256)
        let message = try await setting.sign()
        var careless = setting
        careless.raiser.verifier.checksSignatureOnly = true
        var anybodys = setting
        anybodys.raiser.authority.verifier.checksSignatureOnly = true
        for setting in [careless, anybodys] {
            let error = await #expect(throws: KanalError.self) { try await setting.raise(message, to: .t) }
            guard case .invalidArgument? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        var unstated = setting
        unstated.raiser.authority.verifier.revocationLists = []
        let error = await #expect(throws: KanalError.self) { try await unstated.raise(message, to: .xLongType1) }
        guard case .timeStampRefused(.untrusted(let distrust))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(distrust.reason == .listMissing)
        let named = try LongTermMaker(openssl: setting.scene.openssl).adding(
            referencesTo: setting.scene.authority, list: setting.raiser.verifier.revocationLists[0],
            to: try await setting.sign(isStamped: true))
        #expect(await fault { _ = try await setting.raise(named, to: .xLongType1) } == .hasPartOfForm)
    }
}
