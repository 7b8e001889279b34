// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

/// Several readers with a card in each.
private final class Readers: ReaderService, Sendable {
    private let readersOfCards: [EmulatedReader]

    init(_ readers: [EmulatedReader]) { readersOfCards = readers }

    func readers() throws(LinkError) -> [ReaderState] {
        readersOfCards.indices.map { index in
            ReaderState(name: "R\(index)", atr: readersOfCards[index].card.identity.atr, events: 0)
        }
    }

    func connect(to reader: String) throws(LinkError) -> any CardLink {
        guard let index = readersOfCards.indices.first(where: { "R\($0)" == reader }) else { throw .noCard }
        return try readersOfCards[index].connect(to: EmulatedReader.name)
    }
}

@Suite("The search for tokens")
struct SearchTests {
    @Test("A search looks as often as it is told, and finds a token that comes meanwhile")
    func attempts() async throws {
        let machine = try Machine(.usb)
        machine.reader.removeCard()
        await #expect(throws: KanalError.notFound) {
            try await machine.manager.find(attempts: 3, delay: .milliseconds(1))
        }
        Task {
            try await Task.sleep(for: .milliseconds(50))
            machine.reader.insertCard()
        }
        let token = try await machine.manager.find(attempts: 500, delay: .milliseconds(10))
        #expect(token.information.reader == EmulatedReader.name)
    }

    @Test("A token that is pulled out at any command of a look, and is back at once, is found by the same look")
    func back() async throws {
        for number in 1...100 {
            let machine = try Machine(.usb)
            let reader = machine.reader
            let isStruck = Lock(false)
            reader.onResponse { count, _, response throws(LinkError) in
                guard count == number else { return response }
                isStruck.withLock { $0 = true }
                reader.removeCard()
                reader.insertCard()
                throw .removed(sent: true)
            }
            let token = try await machine.manager.find()
            #expect(token.information.reader == EmulatedReader.name)
            guard isStruck.withLock({ $0 }) else { return #expect(number > 2) }
        }
        Issue.record("the look never ends")
    }

    @Test("The predicate chooses, and can stop the search")
    func predicate() async throws {
        let machine = try Machine(.usb)
        var calls = 0
        await #expect(throws: KanalError.notFound) {
            try await machine.manager.find(attempts: 3, delay: .milliseconds(1)) { _, _ in
                calls += 1
                return false
            }
        }
        #expect(calls == 3)
        await #expect(throws: KanalError.notFound) {
            try await machine.manager.find(attempts: 3, delay: .milliseconds(1)) { _, stop in
                calls += 1
                stop = true
                return false
            }
        }
        #expect(calls == 4)
    }

    @Test("A token that was found before is the same one, also after it was away")
    func identity() async throws {
        let machine = try Machine(.usb)
        let first = try await machine.manager.find()
        machine.reader.removeCard()
        machine.reader.insertCard()
        #expect(try await machine.manager.find() === first)
    }

    @Test("A token is found by its serial number, its reader and its label")
    func named() async throws {
        let machine = try Machine(.usb)
        let token = try await machine.manager.find()
        let serial = token.information.serialNumber.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        for name in [
            token.information.serialText, "0x" + token.information.serialText, String(serial & 0xFFFF_FFFF),
            token.information.reader, token.information.uri,
            "pkcs11:serial=\(token.information.serialText);type=cert?x=y",
            "PKCS11:model=Rutoken%20ECP", "pkcs11:", "pkcs11:manufacturer=Aktiv%20Co.%20%20",
        ] {
            #expect(try await machine.manager.find(named: name) === token, "\(name)")
        }
        for name in ["another", "pkcs11:token=another", "pkcs11:serial=00;model=Rutoken%20ECP"] {
            await #expect(throws: KanalError.notFound) { try await machine.manager.find(named: name) }
        }
        for name in [
            "pkcs11:serial", "pkcs11:token=%2", "pkcs11:token=%G0", "pkcs11:token=%+5", "pkcs11:slot-id=1",
            "pkcs11:id=1;serial=1;serial=1", "pkcs11:model=Rutoken%20ECP;x-vendor=1",
        ] {
            await #expect { try await machine.manager.find(named: name) } throws: { error in
                if case KanalError.invalidArgument? = error as? KanalError { true } else { false }
            }
        }
    }

    @Test(
        "The URI of a token has its label as PKCS #11 tells it, and finds the token",
        arguments: [
            ("", "Rutoken%20ECP%20%3Cno%20label%3E"),
            (String(repeating: "x", count: 33), String(repeating: "x", count: 32)),
            ("1" + String(repeating: "ж", count: 17), "1" + String(repeating: "%D0%B6", count: 15)), ("ends  ", "ends"),
        ])
    func labels(_ label: String, _ encoded: String) async throws {
        let machine = try Machine(.usb)
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in try session.setLabel(label) }
        let uri = try await machine.manager.find().information.uri
        #expect(uri.hasSuffix(";token=" + encoded))
        #expect(try await machine.manager.find(named: uri) === token)
    }

    @Test("A name that several tokens have is ambiguous, and tells them")
    func ambiguous() async throws {
        let readers = Readers([try EmulatedReader(.usb), try EmulatedReader(.usb)])
        let folder = Folder()
        let manager = TokenManager(
            readers: readers,
            settings: TokenSettings(
                pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(), log: Journal().logger))
        await #expect { try await manager.find(named: "pkcs11:model=Rutoken%20ECP") } throws: { error in
            guard case KanalError.ambiguous(let candidates)? = error as? KanalError else { return false }
            return candidates.count == 2
                && zip(candidates, ["in R0", "in R1"]).allSatisfy { $0.description.hasSuffix($1) }
        }
    }

    @Test("All tokens that match are found in one list, and none is an empty one")
    func all() async throws {
        let folder = Folder()
        let cards = try [Identity.usb, .bt, .usb3].map { try EmulatedReader($0) }
        let manager = TokenManager(
            readers: Readers(cards),
            settings: TokenSettings(
                pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(), log: Journal().logger))
        #expect(try await manager.findAll().map(\.information.reader) == ["R0", "R1", "R2"])
        let some = try await manager.findAll { $0.information.reader != "R1" }
        #expect(some.map(\.information.reader) == ["R0", "R2"])
        var calls = 0
        let none = try await manager.findAll(attempts: 2, delay: .milliseconds(1)) { _ in
            calls += 1
            return false
        }
        #expect(none.isEmpty && calls == 6)
    }

    @Test("Events tell of what is there, what comes and what goes, and end with the manager")
    func events() async throws {
        var machine: Machine? = try Machine(.usb)
        let reader = try #require(machine?.reader)
        var events = try #require(machine?.manager.events()).makeAsyncIterator()
        guard case .attached(let token)? = await events.next() else { Issue.record("no token is attached"); return }
        reader.removeCard()
        guard case .detached(let gone)? = await events.next() else { Issue.record("no token is detached"); return }
        #expect(gone === token)
        reader.insertCard()
        guard case .attached(let back)? = await events.next() else { Issue.record("no token is back"); return }
        #expect(back === token)
        machine = nil
        #expect(await events.next() == nil)
    }
}
