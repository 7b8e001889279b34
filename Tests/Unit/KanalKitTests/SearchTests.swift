// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Testing

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
            token.information.reader,
        ] {
            #expect(try await machine.manager.find(named: name) === token, "\(name)")
        }
        await #expect(throws: KanalError.notFound) { try await machine.manager.find(named: "another") }
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
