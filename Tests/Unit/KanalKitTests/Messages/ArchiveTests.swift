// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit
import TestSupport
import Testing

@Suite("Archive time stamps", .usesGOSTEngine)
struct ArchiveTests {
    private static let content = [UInt8]("content".utf8)

    /// A scene, and a message in it with a stamp of its signature and a list.
    private struct Archive {
        let scene: MessageScene
        let maker: LongTermMaker
        let message: [UInt8]

        init(isDetached: Bool = false, isStamped: Bool = true) async throws {
            scene = try await MessageScene(.gost256)
            let stamper = try Stamper(scene.openssl)
            maker = LongTermMaker(openssl: scene.openssl)
            let signed = try await scene.sign(
                ArchiveTests.content, isDetached: isDetached, by: isStamped ? stamper.authority(scene.verifier) : nil)
            message = try maker.adding(list: try scene.list(), to: signed)
        }

        func signer(_ message: [UInt8]) throws -> MessageSigner {
            try #require(try scene.verifier.verify(message).signers.first)
        }
    }

    @Test(
        "A message with an archive time stamp is CAdES-A, however its content comes and by either form of the index",
        arguments: LongTermMaker.Index.allCases, [false, true])
    func good(_ form: LongTermMaker.Index, _ isDetached: Bool) async throws {
        let archive = try await Archive(isDetached: isDetached)
        for (hash, algorithm) in [("md_gost12_256", archive.maker.algorithm), ("sha256", nil)] {
            var maker = archive.maker
            (maker.hash, maker.algorithm) = (hash, algorithm)
            let message = try maker.archived(archive.message, content: Self.content, form)
            var verifier = archive.scene.verifier
            for time in [nil, Int64(Date().timeIntervalSince1970) + 60 * 86_400] {
                verifier.time = time
                let content = ByteSource.pieces(of: Self.content, 3, length: nil, Recorder())
                let streamed =
                    try await isDetached
                    ? verifier.verify(message, content: content)
                    : verifier.verify(.pieces(of: message, 100, length: nil, Recorder())) { _ in }
                let signers = try verifier.verify(message, content: isDetached ? Self.content : nil).signers
                #expect(streamed == signers)
                let signer = try #require(signers.first)
                #expect(signer.level == .a && signer.timeStamps.map(\.kind) == [.signature, .archive])
                #expect(signer.timeStamps.allSatisfy { $0.fault == nil && $0.authority != nil })
                #expect(signer.verdict == (time == nil ? .good : .goodAtItsTime))
            }
            // A further stamp covers the first one, too, and may come later.
            let again = try maker.archived(message, content: Self.content, form)
            let signer = try #require(
                try archive.scene.verifier.verify(again, content: isDetached ? Self.content : nil).signers.first)
            #expect(
                signer.level == .a && signer.timeStamps.count == 3 && signer.timeStamps.allSatisfy { $0.fault == nil })
        }
    }

    @Test("An archive time stamp of another content, signature, signer or message counts for nothing", arguments: 0..<4)
    func wrong(_ number: Int) async throws {
        let archive = try await Archive()
        let changes: [(inout [UInt8]) -> Void] = [
            { $0[0] ^= 1 }, { $0[20] ^= 1 }, { $0[60] ^= 1 }, { $0[$0.count - 1] ^= 1 },
        ]
        let message = try archive.maker.archived(
            archive.message, content: Self.content, changing: changes[number])
        let signer = try archive.signer(message)
        #expect(signer.level == .t && signer.timeStamps.map(\.fault) == [nil, .wrongImprint])
    }

    @Test("An index that leaves out what is there makes no archive", arguments: LongTermMaker.Index.allCases)
    func omissions(_ form: LongTermMaker.Index) async throws {
        let archive = try await Archive()
        for omission in LongTermMaker.Omission.allCases where omission != .nothing {
            let message = try archive.maker.archived(archive.message, content: Self.content, form, omitting: omission)
            let signer = try archive.signer(message)
            #expect(signer.level == .t && signer.timeStamps.map(\.fault) == [nil, .incomplete], "\(omission)")
            // Unless a later stamp covers it.
            let later = try archive.signer(try archive.maker.archived(message, content: Self.content, form))
            #expect(later.level == .a && later.timeStamps.allSatisfy { $0.fault == nil }, "\(omission)")
        }
    }

    @Test("An index of what is not there, a changed index, and a stamp without one count for nothing")
    func indices() async throws {
        let archive = try await Archive()
        let other = try archive.maker.digest([1])
        let further = try archive.signer(
            try archive.maker.archived(archive.message, content: Self.content, further: other))
        #expect(further.level == .t && further.timeStamps.map(\.fault) == [nil, .wrongIndex])
        let absent = try archive.signer(
            try archive.maker.archived(archive.message, content: Self.content, absent: other))
        #expect(absent.level == .t && absent.timeStamps.map(\.fault) == [nil, .wrongIndex])
        let doubled = try archive.signer(
            try archive.maker.archived(archive.message, content: Self.content, indices: 2))
        #expect(doubled.level == .t && doubled.timeStamps.map(\.fault) == [nil, .malformed])
        var stamper = archive.maker
        (stamper.hash, stamper.algorithm) = ("sha256", nil)
        let mixed = try archive.signer(
            try archive.maker.archived(archive.message, content: Self.content, by: stamper))
        #expect(mixed.level == .t && mixed.timeStamps.map(\.fault) == [nil, .wrongImprint])
        let good = try archive.maker.archived(archive.message, content: Self.content)
        let plain = try archive.maker.adding(
            LongTermMaker.archiveStamp, try archive.maker.token(of: [1]), to: archive.message)
        #expect(try archive.signer(plain).timeStamps.map(\.fault) == [nil, .malformed])
        // The list of the message is taken away.
        let list = LongTermMaker.tlv(0xA1, try archive.scene.list())
        var whole = try #require(BERTree(good))
        whole[[1, 0]].members.removeAll { $0.der == list }
        let without = try archive.signer(whole.der)
        #expect(without.level == .t && without.timeStamps.map(\.fault) == [nil, .wrongIndex])
        // Without a stamp of the signature an archive time stamp proves its time all the same.
        let bare = try await Archive(isDetached: true, isStamped: false)
        let archived = try bare.maker.archived(bare.message, content: Self.content)
        let signer = try #require(try bare.scene.verifier.verify(archived, content: Self.content).signers.first)
        #expect(signer.level == .bes && signer.provenTime != nil && signer.timeStamps.map(\.fault) == [nil])
    }

    @Test("Archive time stamps of former kinds are named, and not verified", arguments: [27, 48] as [UInt8])
    func former(_ arc: UInt8) async throws {
        let archive = try await Archive()
        let type = LongTermMaker.signatureStamp.dropLast() + [arc]
        let message = try archive.maker.adding(
            Array(type), try archive.maker.token(of: [1]), to: archive.message)
        let signer = try archive.signer(message)
        #expect(signer.level == .t && signer.timeStamps.map(\.kind) == [.signature, .formerArchive])
        #expect(signer.timeStamps.last?.fault == .notSupported)
    }
}

extension MessageScene {
    /// A list by the authority, of no certificates, in DER.
    func list() throws -> [UInt8] {
        let settings = "[ca]\ndefault_ca = own\n[own]\ndatabase = empty\ndefault_md = md_gost12_256\n"
        try openssl.write(Array(settings.utf8), "empty.cnf")
        try openssl.write([], "empty")
        if (try? openssl.read("empty.list")) == nil {
            try openssl.run(
                "ca -gencrl -config empty.cnf -keyfile ca.key -cert ca.pem -crldays 90 -out empty.pem")
            try openssl.run("crl -in empty.pem -outform DER -out empty.list")
        }
        return try openssl.read("empty.list")
    }
}
