// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import SecureChannel
import TestSupport
import Testing
import Token
import Tokens

@Suite("The tokens that a machine is paired with", .serialized)
struct PairedTokenTests {
    private let reader: EmulatedReader
    private let folder = Folder()

    init() throws { reader = try EmulatedReader(.bt, passwords: [Application.password]) }

    private func application(_ journal: Journal = Journal(), group: Bool = false) throws -> Application {
        let path = folder.path + "/staff"
        if group {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            #expect(unsafe chmod(path, 0o2770) == 0)
        }
        return Application(reader, store: folder) {
            if group { $0.pairings = .group(path, memory: folder.path + "/memory") }
            $0.log = journal.logger
        }
    }

    @Test("the list needs no token, and tells serial number, profile and times", arguments: [false, true])
    func list(_ group: Bool) throws {
        let application = try application(group: group)
        #expect(try application.library.pairedTokens() == [])
        let before = Int64(Date().timeIntervalSince1970)
        try application.activate()
        _ = try application.open()
        reader.removeCard()
        let token = try #require(try application.library.pairedTokens().first)
        #expect(token.serial == reader.card.serial && token.profile == Profile.modern && token.hostID.count == 8)
        #expect(token.created >= before && token.lastUsed.map { $0 >= before } == true && !token.isKeyChanged)
        #expect(try application.library.pairedTokens().count == 1)
    }

    @Test("a removed token must be activated again, and nothing goes to it in plain", arguments: [false, true])
    func removal(_ group: Bool) throws {
        let application = try application(group: group), serial = reader.card.serial
        try application.activate()
        let session = try application.open()
        try application.library.removePairings(withToken: serial)
        #expect(throws: CKError.sessionHandleInvalid) { try application.library.sessionInfo(session) }
        #expect(try application.library.pairedTokens() == [])
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        let error = #expect(throws: CKError.objectHandleInvalid) {
            try application.library.removePairings(withToken: serial)
        }
        #expect(error?.reason?.description == "there is no pairing with a token of this serial number")
        #expect(reader.plainCommands.isEmpty)
        try application.activate()
        _ = try application.open()
        // The same host took its old place on the token.
        #expect(try application.library.pairedHosts(in: 0).map(\.isSelf) == [true])
    }

    @Test("the sessions of another application end when its channel has to be opened anew")
    func otherApplication() throws {
        let journal = Journal()
        let application = try application(), other = try self.application(journal)
        try application.activate()
        let session = try other.open()
        try other.logIn(session)
        try application.library.removePairings(withToken: reader.card.serial)
        _ = try other.find(session)
        reader.resetCard()
        let openings = reader.openings
        #expect(throws: CKError.functionNotSupported) { _ = try other.find(session) }
        #expect(journal.messages.contains("the pairing was removed on this machine: activate the token again"))
        #expect(reader.openings == openings)
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("the removal of one token leaves sessions and pairings with others as they are")
    func others() throws {
        let application = try application()
        try application.activate()
        application.library.closeEverything()
        let first = reader.card.serial
        reader.removeCard()
        reader.insertCard(try EmulatedCard(.bt, activationPasswords: [Application.password]))
        try application.activate()
        let session = try application.open()
        try application.library.removePairings(withToken: first)
        _ = try application.find(session)
        #expect(try application.library.pairedTokens().map(\.serial) == [reader.card.serial])
    }

    @Test("pairings in all profiles go, and records that are damaged")
    func profiles() throws {
        let reader = try EmulatedReader(.bt(.classic), passwords: [Application.password])
        let application = Application(reader, store: folder)
        try application.activate()
        application.library.closeEverything()
        reader.removeCard()
        reader.insertCard(
            try EmulatedCard(.bt, activationPasswords: [Application.password], serial: reader.card.serial))
        try application.activate()
        #expect(try Set(application.library.pairedTokens().map(\.profile)) == Set(Profile.allCases))
        let tokens = folder.path + "/tokens/"
        let names = try FileManager.default.contentsOfDirectory(atPath: tokens)
        let modern = try #require(names.first { $0.hasSuffix(".02") })
        try FileHandle(forWritingTo: URL(filePath: tokens + modern)).truncate(atOffset: 5)
        try application.library.removePairings(withToken: reader.card.serial)
        #expect(try FileManager.default.contentsOfDirectory(atPath: tokens) == [])
    }

    @Test("a store that cannot be used is an error, and not an empty list")
    func unusable() throws {
        let missing = folder.path + "/missing"
        let application = Application(reader, store: folder) { $0.pairings = .group(missing) }
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) { try application.library.pairedTokens() }
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) {
            try application.library.removePairings(withToken: reader.card.serial)
        }
    }
}
