// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing
import Token

/// A card that takes another's place within the time in which the smart card service polls its readers.
///
/// Where the token is its own reader on USB, it may come between any two commands, and every exchange fails until the
/// service notices, or another process resets it. In a virtual reader it answers at once; there it comes between two
/// calls, or an answer is lost.
@Suite("A card that takes another's place at any moment", .serialized)
struct SwappedCardTests {
    private static let tries = 500

    /// An application that is logged in to a plain token with a key pair.
    private struct Scene {
        let reader: EmulatedReader
        let application: Application
        private var session: CK_SESSION_HANDLE
        private var key: CK_OBJECT_HANDLE
        let own: EmulatedCard
        let other: EmulatedCard

        init(isUSB: Bool, isSticky: Bool) throws {
            let time = TestTime()
            (reader, application, session) = try TokenKeyTests.start(.usb, isUSB: isUSB) { settings in
                if isSticky { settings.policy.plainLogin = .sticky }
                settings.clocks = time.clocks
            }
            key = try application.makeKeys(session).privateKey
            own = reader.card
            other = try EmulatedCard(.usb, activationPasswords: [])
        }

        /// Its own card is back, and User logs in again.
        mutating func restore() throws {
            reader.onResponse(nil)
            reader.removeCard()
            reader.insertCard(own)
            try? application.library.closeAllSessions(with: 0)
            session = try application.open()
            try logIn()
        }

        private mutating func logIn() throws {
            try application.logIn(session)
            key = try #require(
                application.find(session).first {
                    try application.attributes(session, of: $0)[CKA_CLASS] == CKO_PRIVATE_KEY.bytes
                })
        }

        /// Presentations of PINs to the other card, and new PINs for it.
        var leaks: [Int] { [0x20, 0x24, 0x2C].map { other.executions(of: $0) } }

        mutating func call(_ index: Int) throws {
            switch index {
            case 0, 1: _ = try application.sign(session, key, Application.digest, CKM_GOSTR3410)
            case 2: _ = try application.find(session)
            case 3:
                try application.library.withSession(session) { session throws(CKError) in
                    try session.setPIN(old: .of(Application.userPIN), new: .of(Application.userPIN))
                }
            case 4:
                try? application.library.withSession(session) { session throws(CKError) in try session.logOut() }
                try logIn()
            default: _ = try application.library.token(in: 0, evicting: false)
            }
        }
    }

    @Test("no PIN reaches it in 1,000 tries", arguments: [true, false], [true, false])
    func swaps(isUSB: Bool, isSticky: Bool) throws {
        var random = SplitMix64(state: isUSB ? 36 : 63)
        var scene = try Scene(isUSB: isUSB, isSticky: isSticky)
        var reached = 0
        for number in 0..<Self.tries {
            let (reader, other) = (scene.reader, scene.other)
            for _ in 0..<Int.random(in: 0...2, using: &random) { try scene.call(Int.random(in: 0...5, using: &random)) }
            // The swap comes after this many commands; with 0 before any.
            let moment = Int.random(in: 0...5, using: &random)
            let isLost = !isUSB || Bool.random(using: &random)
            let noticed = Int.random(in: 0...4, using: &random)
            let isToken = isUSB && Int.random(in: 0...3, using: &random) == 0
            let swap: @Sendable () -> Void = {
                guard isToken else { return reader.swapCard(other) }
                reader.removeCard()
                reader.insertCard(other)
            }
            if moment == 0 { swap() }
            reader.onResponse { number, _, response throws(LinkError) in
                guard number == moment else { return response }
                swap()
                guard isLost else { return response }
                throw .transmission(code: 0x8010_002F)
            }
            for index in 0..<4 {
                try? scene.call(Int.random(in: 0...5, using: &random))
                if index == noticed { reader.noticeSwap() }
                // Another process resets the new card.
                if index + 1 == noticed { reader.resetCard() }
            }
            #expect(scene.leaks == [0, 0, 0], "try \(number), after \(moment) commands")
            if reader.card === other { reached += 1 }
            try scene.restore()
        }
        #expect(reached > Self.tries / 4)
        #expect(scene.own.process([0x00, 0x20, 0x00, 0x02]) != [0x63, 0xC0])
    }
}
