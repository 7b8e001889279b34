// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Secrets
import TestSupport
import Testing
import TokenEnd

@Suite("The card behind a share's end of a channel")
struct SharedCardTests {
    private static let verify: [UInt8] = [0x00, 0x20, 0x00, 0x02, 8] + Array("12345678".utf8)

    /// Creates the file 0123 in the user's directory, which requires a login.
    private static let create: [[UInt8]] = [
        [0x00, 0xA4, 0x08, 0x00, 4, 0x10, 0x00, 0x10, 0x01],
        [
            0x00, 0xE0, 0x00, 0x00, 0x1F, 0x62, 0x1D, 0x80, 2, 0, 0x10, 0x82, 2, 1, 0, 0x83, 2, 1, 0x23, 0x86, 15, 0x43,
            0,
        ]
            + [2] + [UInt8](repeating: 0, count: 6) + [2] + [UInt8](repeating: 0, count: 5),
    ]

    private let folder = Folder()
    private let link: EmulatedLink
    private let card: SharedCard

    init() throws {
        link = EmulatedLink(try EmulatedCard(.usb))
        let local = try LocalToken(link, reader: "local")
        let records = try ShareRecords(path: folder.path, serial: local.serial)
        let state = try ChannelState(TerminatingCard.offer, random: SystemRandom())
        card = SharedCard(local, state, records: records, policy: SharePolicy(report: { _ in }), pause: { _ in })
    }

    private func context(_ label: String) -> any CardContext {
        card.makeContext(
            for: PairingRecord(
                isActive: true, profile: .modern, hostIdentity: [UInt8](repeating: 1, count: 8),
                publicKey: [UInt8](repeating: 2, count: 64), label: Array(label.utf8), slot: 1, created: 1, lastUsed: 1)
        )
    }

    private func send(_ context: any CardContext, _ apdus: [[UInt8]]) throws -> StatusWord {
        var status = StatusWord.success
        for apdu in apdus {
            let command = try Command(parsing: apdu.span)
            status = context.execute(command).status
        }
        return status
    }

    @Test("T33: a session that begins has nothing of the one before, which reaches the card no more")
    func contexts() throws {
        let one = context("one")
        #expect(try send(one, Self.create) == .securityStatusNotSatisfied)
        #expect(try send(one, [Self.verify]) == .success)
        let other = context("other")
        #expect(try send(other, Self.create) == .securityStatusNotSatisfied)
        #expect(try send(one, Self.create) == .conditionsNotSatisfied)
        #expect(try send(other, [Self.verify]) == .success)
        #expect(try send(other, Self.create) == .success)
    }

    @Test("the card is reset when no session holds it any more")
    func settling() throws {
        do {
            let one = context("one")
            #expect(try send(one, [Self.verify]) == .success)
            card.settle()
            let before = link.resets
            withExtendedLifetime(one) {}
            #expect(link.resets == before)
        }
        let before = link.resets
        card.settle()
        #expect(link.resets == before + 1)
    }

    @Test("the token hears of a chain when it is whole, in links as long as its own")
    func chains() throws {
        let one = context("one")
        let before = link.sent.count
        let update: [UInt8] = [0x10, 0xD6, 0x00, 0x00, 200] + [UInt8](repeating: 0xAA, count: 200)
        #expect(try send(one, [update, update]) == .success)
        #expect(one.isInChain)
        one.abortChain()
        #expect(!one.isInChain)
        #expect(link.sent.count == before)
        #expect(try send(one, [update, [0x00] + update.dropFirst()]) != .wrongLength)
        #expect(Array(link.sent[before...]) == [[0x10, 0xD6, 0x00, 0x00], [0x00, 0xD6, 0x00, 0x00]])
    }

    @Test("a command whose answer was lost is not sent again")
    func loss() throws {
        let one = context("one")
        link.isThere = false
        #expect(try send(one, [Self.verify]) == .memoryUnchanged)
        let sent = link.sent.count
        link.isThere = true
        #expect(try send(one, [Self.verify]) == .conditionsNotSatisfied)
        #expect(link.sent.count == sent)
    }

    @Test(
        "each command has the permission that it needs",
        arguments: [
            ("00A40004", "", "read"), ("00B00000", "", "read"), ("00200002", "", "read"),
            ("00200002", "31", "sign write"), ("00200083", "31", "admin"), ("00200102", "31", "admin"),
            ("00200001", "31", "admin"), ("002241B6", "80", "sign"), ("002A9E9A", "01", "sign"),
            ("80530000", "", "admin"), ("80531200", "", "read"), ("807E3201", "", "admin"),
            ("00D60000", "01", "write"), ("00E00000", "01", "admin"), ("00E00000", "620482020100", "write"),
            ("00E00000", "62088202100085020300", "write"), ("00E00000", "62088202100085022100", "admin"),
            ("00E00000", "620C8202100085020300850201", "admin"), ("00240100", "01", "write"),
            ("00240102", "01", "admin"), ("002C0302", "", "admin"), ("807A0000", "", "admin"),
            ("80FF0000", "", "admin"),
        ])
    func permissions(_ header: String, _ data: String, _ names: String) throws {
        let bytes = [UInt8](hex: header)
        let command = Command(bytes[0], bytes[1], bytes[2], bytes[3], bytes: [UInt8](hex: data))
        let wanted = names == "read" ? "read sign write admin" : names
        let all: [(Share.Permissions, String)] = [
            (.read, "read"), (.sign, "sign"), (.write, "write"), (.administer, "admin"),
        ]
        let found = all.filter { SharedAction(command).permissions.contains($0.0) }.map(\.1)
        #expect(found.joined(separator: " ") == wanted)
    }
}
