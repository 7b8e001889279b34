// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing
import Token
import Tokens

@Suite("What is asked of the card", .serialized)
struct RoundTripTests {
    @Test(
        "while the change counter stands still, information and searches cost one command, and without a channel two",
        arguments: ["usb", "bt"])
    func cached(_ identity: String) throws {
        let (reader, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        _ = try application.makeKeys(session)
        let calls: [() throws -> Void] = [
            { _ = try application.library.token(in: 0, evicting: false) },
            { _ = try application.find(session) },
        ]
        for call in calls {
            try call()
            let before = reader.commands
            try call()
            #expect(reader.commands == before + (identity == "bt" ? 1 : 2))
        }
    }

    @Test("what only the extension tells of a token is not asked for where each answer costs a round trip")
    func details() throws {
        let (reader, application, _) = try TokenKeyTests.start(.usb)
        let details: [[UInt8]] = [[0x00, 0xCA, 0x01, 0x89], [0x00, 0xCA, 0x01, 0x8A], [0x80, 0x7E, 0x00, 0x00]]
        let brief = try application.library.token(in: 0, evicting: false).info
        #expect(reader.headers.allSatisfy { !details.contains($0) })
        var full = try application.library.token(in: 0, evicting: true).info
        #expect(details.allSatisfy { reader.headers.contains($0) })
        #expect(full.freeMemory != nil && full.firmwareChecksum != nil)
        #expect(try application.library.token(in: 0, evicting: false).info == full)
        (full.freeMemory, full.firmwareChecksum, full.extendedFlags) = (nil, nil, 0)
        #expect(brief == full)
    }

    /// Commands that `call` sends.
    private func cost(_ reader: EmulatedReader, _ call: () throws -> Void) rethrows -> Int {
        let before = reader.commands
        try call()
        return reader.commands - before
    }

    private static func search(_ application: Application, _ session: CK_SESSION_HANDLE) throws {
        try application.library.withSession(session) { session throws(CKError) in
            try session.findObjectsInit(Attributes())
            try session.findObjectsFinal()
        }
    }

    @Test("identifying a token and opening its channel costs three round trips", arguments: ChannelProfile.allCases)
    func opening(_ profile: ChannelProfile) throws {
        let reader = try EmulatedReader(.bt(profile), passwords: [Application.password])
        let application = Application(reader, store: Folder())
        try application.activate()
        // Discovery, since the connection is new.
        #expect(try cost(reader) { _ = try application.open() } == 1 + 2)
        // The next session finds the channel open, and makes sure that it still is.
        #expect(try cost(reader) { _ = try application.open() } == 1)
    }

    @Test(
        "with batches C_Login and C_Sign cost one round trip, a search one while nothing changed",
        arguments: ChannelProfile.allCases)
    func batches(_ profile: ChannelProfile) throws {
        let reader = try EmulatedReader(.bt(profile), passwords: [Application.password])
        let application = Application(reader, store: Folder())
        try application.activate()
        let session = try application.open()
        #expect(try cost(reader) { try Self.search(application, session) } == 1)
        #expect(try cost(reader) { try Self.search(application, session) } == 1)
        #expect(try cost(reader) { try application.logIn(session) } == 1)
        let key = try application.makeKeys(session).privateKey
        for _ in 0..<2 {
            #expect(
                try cost(reader) {
                    _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
                } == 1)
        }
    }

    @Test("where replies are long, the first search for a key pair costs two round trips")
    func firstSearch() throws {
        let identity = Identity.changed { offer in
            offer.maximumCommand = 1024
            offer.maximumReply = 1024
        }
        let reader = try EmulatedReader(identity, passwords: [Application.password])
        let application = Application(reader, store: Folder())
        try application.activate()
        let session = try application.open()
        try application.logIn(session)
        _ = try application.makeKeys(session)
        let other = Application(reader, store: Folder())
        try other.activate()
        let otherSession = try other.open()
        try other.logIn(otherSession)
        #expect(try cost(reader) { try Self.search(other, otherSession) } == 2)
        #expect(try other.find(otherSession).count == 2)
    }

    /// Six keys in three pairs, and an application that has not read them.
    private static func sixKeys(_ identity: Identity) throws -> (EmulatedReader, Application, CK_SESSION_HANDLE) {
        let (reader, application, session) = try TokenKeyTests.start(identity)
        for _ in 0..<3 { _ = try application.makeKeys(session) }
        let other = Application(reader, store: Folder())
        if identity.channel != nil { try other.activate() }
        let otherSession = try other.open()
        try other.logIn(otherSession)
        return (reader, other, otherSession)
    }

    @Test("where replies are long, the first search for six keys costs two round trips, the next one")
    func sixKeysInChannel() throws {
        let identity = Identity.changed { offer in
            offer.maximumCommand = 4096
            offer.maximumReply = 4096
        }
        let (reader, application, session) = try Self.sixKeys(identity)
        #expect(try cost(reader) { try Self.search(application, session) } == 2)
        #expect(try cost(reader) { try Self.search(application, session) } == 1)
        #expect(try application.find(session).count == 6)
    }

    @Test(
        "where replies alone are long, as a share's, the first search for six keys costs two messages, in classic three",
        arguments: ChannelProfile.allCases)
    func sixKeysOfShare(_ profile: ChannelProfile) throws {
        let identity = Identity.changed { offer in
            offer.profiles = [profile]
            offer.maximumReply = 4096
        }
        let (reader, application, session) = try Self.sixKeys(identity)
        let before = reader.headers.count
        try Self.search(application, session)
        // A far end hands out the pieces of a reply, which GET RESPONSE fetches.
        let messages = reader.headers[before...].filter { $0[1] != 0xC0 }
        #expect(messages.count == (profile == .modern ? 2 : 3))
        #expect(reader.headers.count - before == 5)
        #expect(try application.find(session).count == 6)
    }

    @Test("without a channel the first search for six keys costs three commands besides those on files, the next two")
    func sixKeysPlain() throws {
        let (reader, application, session) = try Self.sixKeys(.usb)
        let before = reader.headers.count
        try Self.search(application, session)
        let sent = reader.headers[before...].map { $0[1] }
        #expect(sent.filter { $0 != 0xA4 && $0 != 0xB0 } == [0xCA, 0x20, 0x40])
        // The index, three that are not there, each key's record, one key file of each pair, and the directory of
        // containers with nothing in it.
        #expect(sent.count == 3 + 2 + 3 + 6 * 2 + 3 + 2)
        #expect(try cost(reader) { try Self.search(application, session) } == 2)
    }

    @Test("attributes of what was found cost nothing")
    func attributes() throws {
        let (reader, application, session) = try Self.sixKeys(.usb)
        let keys = try application.find(session)
        #expect(try cost(reader) { for key in keys { _ = try application.attributes(session, of: key) } } == 0)
    }

    @Test(
        "without a session, what a token tells of itself costs three commands while nothing changes, in a channel five",
        arguments: ["usb", "bt"])
    func information(_ identity: String) throws {
        let reader = try EmulatedReader(identity == "bt" ? .bt : .usb, passwords: [Application.password])
        let application = Application(reader, store: Folder())
        if identity == "bt" { try application.activate() }
        let before = try application.library.token(in: 0, evicting: true).info
        let start = reader.commands
        #expect(try application.library.token(in: 0, evicting: true).info == before)
        let cost = reader.commands - start
        // The serial number twice, or the offer, and opening and end of the channel; and the change counter.
        #expect(cost == (identity == "bt" ? 1 + 3 + 1 : 2 + 1))
        // Another program's wrong PIN.
        let other = Application(reader, store: Folder())
        if identity == "bt" { try other.activate() }
        #expect(throws: CKError.pinIncorrect) { try other.logIn(other.open(), "00000000") }
        let after = try application.library.token(in: 0, evicting: true).info
        #expect(after.user.triesLeft == before.user.triesLeft - 1)
    }

    @Test("a token without a channel is identified by two commands, and by one when it is known")
    func identification() throws {
        for identity in [Identity.usb3, .flash3, .ecp2] {
            let reader = try EmulatedReader(identity)
            let application = Application(reader, store: Folder())
            #expect(try cost(reader) { try application.library.closeSession(application.open()) } == 2)
            #expect(try cost(reader) { _ = try application.open() } == 1)
        }
    }

    @Test("without a channel C_OpenSession takes the card once, to identify it, and not at all while it is connected")
    func openingPlain() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        var transactions = 0
        for expected in [1, 0, 0] {
            _ = try application.open()
            #expect(reader.transactions - transactions == expected)
            transactions = reader.transactions
        }
        // A search takes it once; the last session that ends, not at all.
        _ = try application.find(application.open())
        #expect(reader.transactions - transactions == 1)
        try application.library.closeAllSessions(with: 0)
        #expect(reader.transactions - transactions == 1)
    }

    @Test("without a channel C_Login costs four commands the first time, then three")
    func plainLogin() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        let session = try application.open()
        #expect(try cost(reader) { try application.logIn(session) } == 4)
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        #expect(try cost(reader) { try application.logIn(session) } == 3)
    }

    @Test(
        "without a channel C_Sign with a GOST key costs serial number, PIN, key, signature, end of the right; again, no key"
    )
    func plainSignature() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        let key = try application.makeKeys(session).privateKey
        _ = try application.find(session)
        for expected in [5, 4, 4] {
            let cost = try cost(reader) { _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
            #expect(cost == expected)
        }
    }

    @Test("what everybody may see is known after all sessions were closed, until it changes")
    func nextConnection() throws {
        let (reader, application, session) = try TokenKeyTests.start(.usb)
        _ = try application.makeKeys(session)
        for expected in [1, 2] {
            try application.library.closeAllSessions(with: 0)
            let first = try application.open()
            try Self.search(application, first)
            try application.library.closeAllSessions(with: 0)
            let next = try application.open()
            #expect(try cost(reader) { try Self.search(application, next) } == 2)
            #expect(try application.find(next).count == expected)
            try application.logIn(next)
            #expect(try application.find(next).count == 2 * expected)
            _ = try application.makeKeys(next)
        }
    }

    @Test("without batches the same calls work command by command", arguments: ChannelProfile.allCases)
    func single(_ profile: ChannelProfile) throws {
        let (reader, application, session) = try TokenKeyTests.start(.single(profile))
        let key = try application.makeKeys(session).privateKey
        // The change counter, key and signature.
        #expect(
            try cost(reader) {
                _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
            } == 3)
        #expect(try application.find(session).count == 2)
    }

    @Test("R11: a key that another application makes is seen by the next search", arguments: ["usb", "bt"])
    func changes(_ identity: String) throws {
        let (reader, application, session) = try TokenKeyTests.start(identity == "bt" ? .bt : .usb)
        #expect(try application.find(session).isEmpty)
        let other = Application(reader, store: Folder())
        if identity == "bt" { try other.activate() }
        let otherSession = try other.open()
        try other.logIn(otherSession)
        _ = try other.makeKeys(otherSession)
        #expect(try application.find(session).count == 2)
    }
}
