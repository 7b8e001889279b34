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

@Suite("Disturbances that pass", .serialized)
struct DisturbanceTests {
    static let identities = [Identity.usb, .bt, .single(.modern)]
    static let errors: [LinkError] = [
        .noService, .mute, .reset, .sharingViolation, .transmission(code: 0x8010_0016), .malformed,
    ]

    /// An unused token, activated if it has a channel, and an application.
    private func start(_ identity: Identity) throws -> (reader: EmulatedReader, application: Application) {
        let reader = try EmulatedReader(identity, passwords: identity.channel == nil ? [] : [Application.password])
        let time = TestTime()
        let application = Application(reader, store: Folder()) { $0.clocks = time.clocks }
        if identity.channel != nil { try application.activate() }
        return (reader, application)
    }

    @Test("a session opens although the service refuses any one request on the way", arguments: identities, errors)
    func refusedRequest(_ identity: Identity, _ error: LinkError) throws {
        for refused in 1...5 {
            let (reader, application) = try start(identity)
            reader.onRequest { number throws(LinkError) in if number == refused { throw error } }
            let session = try application.open()
            try application.logIn(session)
            for _ in 0..<2 { _ = try application.find(session) }
            #expect(reader.requests >= refused)
        }
    }

    @Test("a session opens although any one answer on the way is lost or spoilt", arguments: identities, [true, false])
    func lostAnswer(_ identity: Identity, isSpoilt: Bool) throws {
        let (reader, application) = try start(identity)
        var last = 0
        for lost in 1...12 {
            reader.onResponse { number, _, response throws(LinkError) in
                guard number == lost else { return response }
                if isSpoilt { throw .malformed }
                throw .transmission(code: 0x8010_0016)
            }
            let session = try application.open()
            last = max(last, reader.commands)
            try application.library.closeSession(session)
        }
        #expect(last >= 3)
    }

    @Test("what is known of a token is told although any one answer is lost", arguments: identities)
    func lostInformation(_ identity: Identity) throws {
        let (reader, application) = try start(identity)
        for lost in 1...16 {
            reader.onResponse { number, _, response throws(LinkError) in
                guard number != lost else { throw .transmission(code: 0x8010_0016) }
                return response
            }
            #expect(try application.library.token(in: 0, evicting: true).info.user.triesLeft == 10)
        }
    }

    @Test("a session opens although a card takes most of a second until it has power", arguments: identities)
    func slowPower(_ identity: Identity) throws {
        let (reader, application) = try start(identity)
        reader.onRequest { number throws(LinkError) in if number <= 8 { throw .mute } }
        _ = try application.open()
    }

    @Test("what does not pass is told after a second", arguments: errors)
    func lasting(_ error: LinkError) throws {
        let (reader, application) = try start(.usb)
        reader.onRequest { _ throws(LinkError) in throw error }
        #expect(throws: CKError.self) { try application.open() }
        #expect((2...11).contains(reader.requests))
        reader.onRequest(nil)
        _ = try application.open()
    }

    @Test("a reader without a card is asked once")
    func absence() throws {
        let (reader, application) = try start(.usb)
        reader.removeCard()
        reader.onRequest(nil)
        #expect(throws: CKError.tokenNotPresent) { try application.open() }
        #expect(reader.requests == 1)
    }
}
