// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import SecureChannel
import TestSupport
import Testing
import Token

@Suite("What is told of a token's channel before there is a session", .serialized)
struct ChannelInfoTests {
    private let folder = Folder()

    private func reader(_ identity: Identity = .bt) throws -> EmulatedReader {
        try EmulatedReader(identity, passwords: [Application.password])
    }

    private func info(_ application: Application) throws -> ChannelInfo {
        try application.library.channelInfo(in: 0)
    }

    @Test("a token that wants to be activated says so, who it is, and how many tries are left")
    func inactive() throws {
        let reader = try reader(), journal = Journal()
        let application = Application(reader, store: folder) { $0.log = journal.logger }
        var info = try info(application)
        #expect(info.state == .inactive && info.needsActivation && info.serial == reader.card.serial)
        #expect(info.profiles == Set(Profile.allCases) && info.profile == nil)
        #expect(info.isPairingOpen && !info.needsButton && !info.isInUse && !info.isWireless)
        #expect(info.passwords.map(\.number) == Array(1...6))
        #expect(info.passwords.map(\.state) == [.ready] + Array(repeating: .empty, count: 5))
        #expect(info.passwords.map(\.triesLeft) == [5, 0, 0, 0, 0, 0])
        #expect(reader.plainCommands.isEmpty && reader.count(of: 0x86) == 0)

        #expect(throws: CKError.activationPasswordInvalid) { try application.activate("1BCD-EFGH-JKLM-NPQS") }
        #expect(try self.info(application).passwords[0].triesLeft == 4)
        for _ in 0..<4 { try? application.activate("1BCD-EFGH-JKLM-NPQS") }
        info = try self.info(application)
        #expect(info.passwords[0].state == .blocked && info.passwords[0].triesLeft == 0 && info.needsActivation)
    }

    @Test("an activated token is active until this machine or the token forgets the pairing; then it wants activation")
    func life() throws {
        let reader = try reader()
        let application = Application(reader, store: folder)
        try application.activate()
        var info = try info(application)
        #expect(info.state == .active && !info.needsActivation && info.profile == Profile.modern)
        let session = try application.open()
        try application.logIn(session)
        info = try self.info(application)
        #expect(info.state == .active && info.isInUse)
        _ = try application.makeKeys(session)

        let own = try #require(try application.library.pairedHosts(in: 0).first)
        let copy = try Folder.copy(of: folder)
        try application.library.withSession(session) { session throws(CKError) in
            try session.removePairedHost(own.id)
        }
        #expect(try self.info(application).state == .inactive)
        let forgotten = try self.info(Application(reader, store: copy))
        #expect(forgotten.state == .forgotten && forgotten.needsActivation && forgotten.profile == Profile.modern)

        try application.activate()
        try application.library.removePairings(withToken: reader.card.serial)
        #expect(try self.info(application).state == .inactive)
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("tokens that no password helps with are told apart from those that want one")
    func hopeless() throws {
        let usb = try EmulatedReader(.usb)
        var info = try info(Application(usb, store: folder))
        #expect(info.state == .none && !info.needsActivation && info.profiles.isEmpty && info.passwords.isEmpty)
        #expect(info.serial == usb.card.serial)
        info = try self.info(Application(try EmulatedReader(.usb), store: folder) { $0.policy.requireSM = true })
        #expect(info.state == .missing && !info.needsActivation)
        let modern = Application(try reader(.bt(.classic)), store: folder) { $0.policy.minimumProfile = .modern }
        #expect(try self.info(modern).state == .unusable)
        #expect(try self.info(Application(try reader(), store: folder) { $0.pairings = .nowhere }).state == .unusable)
        let closed = Application(try reader(), store: folder) { $0.pairings = .group("/nonexistent") }
        #expect(try self.info(closed).state == .unusable)
        #expect(throws: CKError.slotIDInvalid) { _ = try closed.library.channelInfo(in: 7) }
    }

    @Test("a channel that something on the way spoils is unusable, and nothing goes in plain for it")
    func attacked() throws {
        let reader = try reader()
        let application = Application(reader, store: folder)
        try application.activate()
        reader.onResponse { _, instruction, response in
            guard instruction == 0x86, !response.data.isEmpty else { return response }
            var changed = response
            changed.data[response.data.count - 1] ^= 1
            return changed
        }
        #expect(try info(application).state == .unusable)
        reader.onResponse(nil)
        #expect(try info(application).state == .active)
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("the button, and that no host is taken at the moment, are told")
    func button() throws {
        var info = try info(Application(try reader(.changed { $0.policy = 0x13 }), store: folder))
        #expect(info.needsButton && info.isPairingOpen)
        info = try self.info(Application(try reader(.changed { $0.policy = 0x07 }), store: folder))
        #expect(!info.needsButton && !info.isPairingOpen && info.needsActivation)
    }

    @Test("a token that says nothing of its tries still tells which passwords it takes")
    func noTries() throws {
        let reader = try reader()
        reader.onResponse { _, _, response in
            response.data.first == 0xE3 ? Response(.incorrectParameters) : response
        }
        let info = try info(Application(reader, store: folder))
        #expect(info.passwords.map(\.triesLeft) == Array(repeating: nil, count: 6))
        #expect(info.passwords.first?.state == .ready && info.needsActivation)
    }

    @Test("the only session of a token is not taken from another application for it")
    func single() throws {
        let reader = try reader(.single(.modern))
        let application = Application(reader, store: folder)
        try application.activate()
        let other = Application(reader, store: folder)
        _ = try other.open()
        let openings = reader.openings
        let info = try info(application)
        #expect(info.state == .active && info.isInUse && reader.openings == openings)
    }

    @Test("of a token that is not there nothing is told")
    func absent() throws {
        let reader = try reader()
        let application = Application(reader, store: folder)
        reader.removeCard()
        #expect(throws: CKError.tokenNotPresent) { try info(application) }
    }
}

extension Folder {
    /// Another directory with the same files.
    fileprivate static func copy(of folder: Folder) throws -> Folder {
        let copy = Folder()
        try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
        return copy
    }
}
