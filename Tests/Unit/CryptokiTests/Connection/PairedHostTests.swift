// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import CSystem
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Locking
import SecureChannel
import Secrets
import TestSupport
import Testing
import Token
import Tokens

@Suite("The hosts that a token is paired with (GSC/1, 6)", .serialized, .inBothProfiles)
struct PairedHostTests {
    private static let securityOfficerPIN = "87654321"

    private let reader: EmulatedReader
    private let stores = [Folder(), Folder(), Folder()]

    init() throws { reader = try EmulatedReader(.underTest, passwords: [Application.password]) }

    /// An application of one of several hosts, each with a store of its own.
    private func host(_ number: Int, _ journal: Journal = Journal()) -> Application {
        Application(reader, store: stores[number]) {
            $0.hostLabel = "host \(number)"
            $0.log = journal.logger
        }
    }

    private func hosts(_ application: Application) throws -> [PairedHost] {
        try application.library.pairedHosts(in: 0)
    }

    private func remove(_ host: PairedHost.ID, by application: Application, _ session: CK_SESSION_HANDLE) throws {
        try application.library.withSession(session) { session throws(CKError) in try session.removePairedHost(host) }
    }

    @Test("the list tells their names and profiles, and which of them is this one; it takes neither session nor login")
    func list() throws {
        for number in 0..<2 { try host(number).activate() }
        for number in 0..<2 {
            let list = try hosts(host(number))
            #expect(list.map(\.label) == ["host 0", "host 1"])
            #expect(list.map(\.isSelf) == [number == 0, number == 1])
            #expect(list.map(\.index) == [1, 2])
            #expect(list.allSatisfy { $0.isActive && $0.profile.rawValue == InBothProfiles.profile.rawValue })
            #expect(try list.first(where: \.isSelf)?.hostID == host(number).library.pairedTokens().first?.hostID)
        }
        #expect(throws: CKError.functionNotSupported) { try hosts(host(2)) }
    }

    @Test("N55: this host removes its own pairing without a login: on both sides it is gone, and so are the sessions")
    func own() throws {
        let application = host(0), other = host(1)
        try application.activate()
        try other.activate()
        let session = try application.open(), second = try application.open()
        try application.logIn(session)
        let own = try #require(try hosts(application).first(where: \.isSelf))
        try remove(own.id, by: application, session)
        for session in [session, second] {
            #expect(throws: CKError.sessionHandleInvalid) { try application.library.sessionInfo(session) }
        }
        #expect(try application.library.pairedTokens() == [])
        #expect(try hosts(other).map(\.label) == ["host 1"])
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        #expect(reader.plainCommands.isEmpty)
        try application.activate()
        _ = try application.open()
    }

    @Test("N56: another host is removed by the SO alone; it is refused at its next opening and told why")
    func other() throws {
        let journal = Journal()
        let application = host(0), other = host(1, journal)
        try application.activate()
        try other.activate()
        let running = try other.open()
        try other.logIn(running)
        let session = try application.open()
        let id = try #require(try hosts(application).first { !$0.isSelf }).id

        var error = #expect(throws: CKError.userNotLoggedIn) { try remove(id, by: application, session) }
        #expect(error?.reason?.description == "another host's pairing is removed by the SO alone")
        try application.logIn(session)
        #expect(throws: CKError.userNotLoggedIn) { try remove(id, by: application, session) }
        #expect(reader.count(of: 0xE4) == 0)
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        try application.logIn(session, Self.securityOfficerPIN, as: CKU_SO)
        try remove(id, by: application, session)
        #expect(try hosts(application).map(\.isSelf) == [true])

        // Its session on the token is gone too.
        error = #expect(throws: CKError.functionNotSupported) { _ = try other.makeKeys(running) }
        #expect(error?.reason?.description.contains("does not know this host any more") == true)
        error = #expect(throws: CKError.functionNotSupported) { _ = try other.open() }
        #expect(error?.reason?.description.contains("does not know this host any more") == true)
        #expect(journal.messages.contains("the token does not know this host any more: activate it again"))
        // An unauthenticated reply deletes nothing (15.2 a).
        #expect(try other.library.pairedTokens().count == 1)
        #expect(reader.plainCommands.isEmpty)
        try other.library.closeAllSessions(with: 0)
        try other.activate()
        _ = try other.open()
    }

    @Test("a list that has grown old removes nobody: neither a host that is gone, nor the one that has its number now")
    func stale() throws {
        let application = host(0), other = host(1), third = host(2)
        for application in [application, other] { try application.activate() }
        let session = try application.open()
        try application.logIn(session, Self.securityOfficerPIN, as: CKU_SO)
        let id = try #require(try hosts(application).first { !$0.isSelf }).id

        let running = try other.open()
        try remove(id, by: other, running)
        let error = #expect(throws: CKError.objectHandleInvalid) { try remove(id, by: application, session) }
        #expect(error?.reason?.description == "the token has no such host any more")
        try third.activate()
        #expect(try hosts(application).map(\.index) == [1, 2])
        #expect(throws: CKError.objectHandleInvalid) { try remove(id, by: application, session) }
        let changed = PairedHost.ID(index: id.index, profile: id.profile, hostID: [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(throws: CKError.objectHandleInvalid) { try remove(changed, by: application, session) }
        #expect(reader.count(of: 0xE4) == 1)
        _ = try third.open()
    }

    @Test("a host that pairs in the middle of the list does not spoil it")
    func concurrent() throws {
        let label = String(repeating: "x", count: 32)
        func named(_ store: Folder) -> Application { Application(reader, store: store) { $0.hostLabel = label } }
        let folders = (0..<6).map { _ in Folder() }
        let application = named(folders[0])
        for folder in folders.dropLast() { try named(folder).activate() }
        _ = try application.open()
        // The list takes several messages. After the first of them another host pairs.
        let late = named(folders[5])
        let hasPaired = Lock(false)
        reader.onResponse { _, instruction, response in
            let isFirst = hasPaired.withLock { hasPaired in
                defer { hasPaired = hasPaired || instruction == 0xCA }
                return instruction == 0xCA && !hasPaired
            }
            if isFirst { #expect(throws: Never.self) { try late.activate() } }
            return response
        }
        let list = try hosts(application)
        reader.onResponse(nil)
        #expect(hasPaired.withLock { $0 })
        #expect(list.map(\.index) == [1, 2, 3, 4, 5])
        #expect(try hosts(application).count == 6)
        _ = try late.open()
    }

    @Test("a removal whose answer is lost is not repeated; the machine keeps its part of the pairing")
    func lost() throws {
        let application = host(0)
        try application.activate()
        let session = try application.open()
        let own = try #require(try hosts(application).first)
        reader.onResponse { _, instruction, response throws(LinkError) in
            guard instruction != 0xE4 else { throw .transmission(code: 0x8010_002F) }
            return response
        }
        #expect(throws: CKError.deviceError) { try remove(own.id, by: application, session) }
        reader.onResponse(nil)
        #expect(reader.count(of: 0xE4) == 1)
        #expect(try application.library.pairedTokens().count == 1)
        #expect(throws: CKError.functionNotSupported) { try remove(own.id, by: application, session) }
    }

    @Test("a disk that keeps this host's part of a removed pairing is an error, and the sessions end all the same")
    func fullDisk() throws {
        let journal = Journal()
        let application = host(0, journal)
        try application.activate()
        let session = try application.open()
        let own = try #require(try hosts(application).first)
        let id = own.id
        fail_change(0, EROFS, false)
        #expect(throws: CKError(CKR_FUNCTION_FAILED)) { try remove(id, by: application, session) }
        #expect(end_failing())
        #expect(journal.messages.contains { $0.hasSuffix("the file system is read-only") })
        #expect(throws: CKError.sessionHandleInvalid) { try application.library.sessionInfo(session) }
        #expect(try application.library.pairedTokens().count == 1)
        #expect(throws: CKError.functionNotSupported) { try application.open() }
    }

    @Test("a session that only reads removes nobody, and a token without a channel has no list")
    func refusals() throws {
        let application = host(0)
        try application.activate()
        let session = try application.library.openSession(with: 0, flags: CKF_SERIAL_SESSION)
        let own = try #require(try hosts(application).first)
        #expect(throws: CKError.sessionReadOnly) { try remove(own.id, by: application, session) }

        let plain = Application(try EmulatedReader(.usb), store: Folder())
        #expect(throws: CKError.functionNotSupported) { try hosts(plain) }
        let open = try plain.open()
        #expect(throws: CKError.functionNotSupported) { try remove(own.id, by: plain, open) }
        #expect(throws: CKError.slotIDInvalid) { _ = try plain.library.pairedHosts(in: 7) }
    }
}
