// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Configuration
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import SecureChannel
import Secrets
import TestSupport
import Testing
import Token
import Tokens

@Suite("A token whose key is another than before")
struct ChangedKeyTests {
    private let folder = Folder()
    private let reader: EmulatedReader

    init() throws {
        reader = try EmulatedReader(.bt, passwords: [Application.password])
        let group = folder.path + "/groups/staff"
        try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: true)
        #expect(unsafe chmod(group, 0o2770) == 0)
    }

    private func location(of user: String) -> PairingStore.Location {
        Configuration(system: Array("group = staff".utf8), user: nil, program: "test")
            .location(data: folder.path + "/" + user, home: nil, groups: folder.path + "/groups")
    }

    private func member(_ user: String, _ journal: Journal = Journal()) -> Application {
        Application(reader, store: folder) {
            $0.pairings = location(of: user)
            $0.log = journal.logger
        }
    }

    /// Another token with the same serial number and password, and so another key.
    private func replaceToken(_ identity: Identity = .bt) throws {
        reader.removeCard()
        reader.insertCard(
            try EmulatedCard(identity, activationPasswords: [Application.password], serial: reader.card.serial))
    }

    @Test("Its activation is logged, and every other member must activate it before it is used")
    func group() throws {
        let journals = [Journal(), Journal()]
        try member("first", journals[0]).activate()
        let second = member("second")
        try second.logIn(second.open())
        second.library.closeEverything()
        #expect(!journals[0].messages.contains { $0.contains("another key") })

        try replaceToken()
        try member("first", journals[0]).activate()
        #expect(journals[0].messages.contains { $0.contains("activated with another key than before") })
        let before = reader.count(of: 0x86)
        let later = member("second", journals[1])
        #expect(throws: CKError.functionNotSupported) { try later.open() }
        #expect(try later.library.token(in: 0, evicting: true).protection.isKeyChanged)
        let info = try later.library.channelInfo(in: 0)
        #expect(info.state == .keyChanged && info.needsActivation)
        #expect(reader.count(of: 0x86) == before)
        #expect(journals[1].messages.contains { $0.contains("another user has activated the token") })
        #expect(journals[1].ids.contains("attack.key-changed"))
        let store = try #require(
            try PairingStore.open(location(of: "second"), create: false, random: SystemRandom()))
        #expect(try store.records().map(\.isKeyChanged) == [true])
        // A third one has never seen the token.
        _ = try member("third").open()

        try later.activate()
        _ = try later.open()
        #expect(try store.records().map(\.isKeyChanged) == [false])
    }

    @Test("A member can accept the key without the password")
    func accepted() throws {
        try member("first").activate()
        member("first").library.closeEverything()
        try replaceToken()
        try member("second").activate()
        #expect(throws: CKError.functionNotSupported) { try member("first").open() }
        let store = try #require(try PairingStore.open(location(of: "first"), create: false, random: SystemRandom()))
        for entry in try store.records() { try store.accept(entry.record) }
        _ = try member("first").open()
    }

    @Test("A user's own store tells of it too, when the token is activated again")
    func own() throws {
        let journal = Journal(), store = Folder()
        let application = Application(reader, store: store) { $0.log = journal.logger }
        try application.activate()
        try application.activate()
        #expect(!journal.messages.contains { $0.contains("another key") })
        application.library.closeEverything()
        try replaceToken()
        try application.activate()
        #expect(journal.messages.contains { $0.contains("activated with another key than before") })
    }

    @Test("A member who takes a record away does not make the token one that is spoken to in plain")
    func removed() throws {
        try member("first").activate()
        member("first").library.closeEverything()
        let tokens = folder.path + "/groups/staff/tokens"
        for name in try FileManager.default.contentsOfDirectory(atPath: tokens) {
            try FileManager.default.removeItem(atPath: tokens + "/" + name)
        }
        reader.removeCard()
        reader.insertCard(try EmulatedCard(.usb, serial: reader.card.serial))
        #expect(throws: CKError.functionNotSupported) { try member("first").open() }
        _ = try member("second").open()
        #expect(reader.count(of: 0x20) == 0)
    }

    @Test("An activation that is cut off leaves what the user knows of the token, whose record was taken away")
    func cutOff() throws {
        try member("first").activate()
        member("first").library.closeEverything()
        let tokens = folder.path + "/groups/staff/tokens"
        for name in try FileManager.default.contentsOfDirectory(atPath: tokens) {
            try FileManager.default.removeItem(atPath: tokens + "/" + name)
        }
        // PAIR-1 and PAIR-2 pass, the opening that follows does not.
        let openings = reader.openings
        reader.onResponse { [reader] _, _, response throws(LinkError) in
            guard reader.openings == openings else { throw .removed(sent: true) }
            return response
        }
        #expect(throws: CKError.self) { try member("first").activate() }
        #expect(reader.openings > openings)
        reader.onResponse(nil)
        reader.removeCard()
        reader.insertCard(try EmulatedCard(.usb, serial: reader.card.serial))
        #expect(throws: CKError.functionNotSupported) { try member("first").open() }
        #expect(reader.count(of: 0x20) == 0)
    }

    @Test("A member who puts a record of a lower profile in the place of a known one changes nothing for the user")
    func lowerProfile() throws {
        try member("first").activate()
        member("first").library.closeEverything()
        let group = folder.path + "/groups/staff"
        let store = try #require(
            try PairingStore.open(location(of: "first"), create: false, random: SystemRandom()))
        let known = try #require(try store.records().first)
        #expect(known.profile == .modern)
        for name in try FileManager.default.contentsOfDirectory(atPath: group + "/tokens") {
            try FileManager.default.removeItem(atPath: group + "/tokens/" + name)
        }
        // Another token of this number, which offers the classic profile alone, as another member has activated it.
        try replaceToken(.bt(.classic))
        try member("second").activate()
        let sent = reader.count(of: 0x20)
        #expect(throws: CKError.self) {
            let first = member("first")
            try first.logIn(first.open())
        }
        #expect(reader.count(of: 0x20) == sent)
    }
}
