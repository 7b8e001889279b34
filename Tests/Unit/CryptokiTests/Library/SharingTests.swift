// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing
import Token
import Tokens

@Suite("Several applications, one token (16)", .serialized, .inBothProfiles)
struct SharingTests {
    /// An application of its own with a session in which User is logged in, and the private key that is there.
    private struct Participant {
        let application: Application
        let session: CK_SESSION_HANDLE
        let key: CK_OBJECT_HANDLE

        init(_ reader: EmulatedReader, store: Folder) throws {
            application = Application(reader, store: store)
            if (try? application.open()) == nil { try application.activate() }
            session = try application.open()
            try application.logIn(session)
            if try application.find(session).isEmpty { _ = try application.makeKeys(session) }
            key = try #require(try application.find(session, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)]).first)
        }

        func sign() throws { _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410) }
        var state: CK_STATE { get throws { try application.library.sessionInfo(session).state } }
    }

    @Test(
        "N54: with N of 2 or more, two applications alternate; none re-opens, and both logins live",
        arguments: ChannelProfile.allCases)
    func alternating(_ profile: ChannelProfile) throws {
        let reader = try EmulatedReader(.bt(profile), passwords: [Application.password])
        let store = Folder()
        let participants = [try Participant(reader, store: store), try Participant(reader, store: store)]
        let (openings, logins) = (reader.openings, reader.count(of: 0x20))
        for _ in 0..<5 { for participant in participants { try participant.sign() } }
        #expect(reader.openings == openings)
        #expect(reader.count(of: 0x20) == logins)
    }

    @Test("N54: with N = 1 each re-opens, and presents its PIN once each time", arguments: ChannelProfile.allCases)
    func takingTurns(_ profile: ChannelProfile) throws {
        let reader = try EmulatedReader(.single(profile), passwords: [Application.password])
        let store = Folder()
        let participants = [try Participant(reader, store: store), try Participant(reader, store: store)]
        let (openings, logins) = (reader.openings, reader.count(of: 0x20))
        for _ in 0..<3 { for participant in participants { try participant.sign() } }
        #expect(reader.openings == openings + 6)
        #expect(reader.count(of: 0x20) == logins + 6)
        let info = try participants[0].application.library.token(in: 0, evicting: true).info
        #expect(info.user.triesLeft == info.user.tries)
    }

    @Test("N63: who opens between two calls of another inherits no login", arguments: [true, false])
    func inheritance(_ isSingle: Bool) throws {
        let reader = try EmulatedReader(
            isSingle ? .single(InBothProfiles.profile) : .underTest, passwords: [Application.password])
        let first = try Participant(reader, store: Folder())
        let other = Application(reader, store: Folder())
        try other.activate()
        let session = try other.open()
        #expect(try other.library.sessionInfo(session).state == CKS_RW_PUBLIC_SESSION)
        #expect(try other.find(session).count == 1)
        #expect(throws: CKError.userNotLoggedIn) { try other.makeKeys(session) }
        try first.sign()
        #expect(try first.state == CKS_RW_USER_FUNCTIONS)
    }

    @Test("N64: the least recently used of N + 1 is evicted and re-opens; a stale command harms no newcomer")
    func eviction() throws {
        let reader = try EmulatedReader(.underTest, passwords: [Application.password])
        let participants = try (0..<5).map { _ in try Participant(reader, store: Folder()) }
        // The first has lost its session. A search asks first, and so it goes on.
        #expect(try participants[0].application.find(participants[0].session).count == 2)
        // An application that has lost a session asks before each signature: no more than one is ever refused (16).
        var refusals = [0, 0, 0, 0, 0]
        for _ in 0..<4 {
            for index in participants.indices.reversed() {
                do {
                    try participants[index].sign()
                } catch let error as CKError where error == .deviceError {
                    refusals[index] += 1
                    try participants[index].sign()
                }
            }
        }
        #expect(refusals.allSatisfy { $0 <= 1 })
        for participant in participants { #expect(try participant.state == CKS_RW_USER_FUNCTIONS) }
    }

    @Test("N79: a format by one application leaves another's channel open and its login ended")
    func formatting() throws {
        let reader = try EmulatedReader(.underTest, passwords: [Application.password])
        let store = Folder()
        let participant = try Participant(reader, store: store)
        let administrator = Application(reader, store: store)
        let format = TokenFormat(
            securityOfficer: .init(value: .of("87654321")), user: .init(value: .of("12345678")), changePolicy: 3,
            label: [], isRepair: false)
        try administrator.library.initToken(in: 0, pin: .of("87654321"), format: format, mode: 0)
        let openings = reader.openings
        #expect(throws: CKError.self) { try participant.sign() }
        #expect(reader.openings == openings)
        #expect(try participant.application.find(participant.session).isEmpty)
    }

    @Test("N26: a host that the token has forgotten is told to activate again, and keeps its record")
    func forgotten() throws {
        let reader = try EmulatedReader(.underTest, passwords: [Application.password])
        let application = Application(reader, store: Folder())
        try application.activate()
        reader.onResponse { _, instruction, response throws(LinkError) in
            instruction == 0x86 ? Response(.referencedDataNotFound) : response
        }
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        reader.onResponse(nil)
        _ = try application.open()
    }

    @Test("more than three openings in a row that lead to nothing are a fault for five seconds (12)")
    func fault() throws {
        let time = TestTime()
        let reader = try EmulatedReader(.underTest, passwords: [Application.password])
        let application = Application(reader, store: Folder()) { $0.clocks = time.clocks }
        try application.activate()
        reader.onResponse { _, instruction, response throws(LinkError) in
            instruction == 0x86 ? Response(.conditionsNotSatisfied) : response
        }
        for _ in 0..<6 { #expect(throws: CKError.deviceError) { try application.open() } }
        let openings = reader.openings
        reader.onResponse(nil)
        #expect(throws: CKError.deviceError) { try application.open() }
        #expect(reader.openings == openings)
        time.pass(.seconds(6))
        _ = try application.open()
    }

    @Test("a session that has come of age is renewed, and the login stays (12)")
    func renewal() throws {
        let time = TestTime()
        let reader = try EmulatedReader(.underTest, passwords: [Application.password])
        let application = Application(reader, store: Folder()) { $0.clocks = time.clocks }
        try application.activate()
        let session = try application.open()
        try application.logIn(session)
        let key = try application.makeKeys(session).privateKey
        let logins = reader.count(of: 0x20)
        for _ in 0..<3 {
            time.pass(.seconds(3601))
            let renewals = reader.renewals
            _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
            #expect(reader.renewals == renewals + 1)
        }
        #expect(reader.count(of: 0x20) == logins)
    }
}
