// SPDX-License-Identifier: Apache-2.0
import APDU
import Dispatch
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Testing
import Token
import Translation

@Suite("What can be told of readers and cards without a command")
struct DiagnosisTests {
    @Test("A token is told of with its radio, and no command is sent to it")
    func token() async throws {
        let machine = try Machine(.bt)
        let state = try #require(try await machine.manager.cardStates().first)
        #expect(state.reader == EmulatedReader.name && state.condition == .token)
        #expect(state.isBluetooth && !state.isWireless)
        let wired = try Machine(.usb) { $0.wirelessReaders = [WildcardPattern("virtual*")] }
        let other = try #require(try await wired.manager.cardStates().first)
        #expect(!other.isBluetooth && other.isWireless)
        #expect(machine.reader.commands == 0 && wired.reader.commands == 0)
    }

    @Test("A token that may be asked says whether it has the channel, unless one is required anyway")
    func channel() async throws {
        let machines = [
            try Machine(.bt), try Machine(.usb), try Machine(.bt) { $0.requireSM = true },
        ]
        var found: [Bool] = []
        for machine in machines {
            let states = try await machine.manager.cardStates(asking: { $0 == EmulatedReader.name })
            found += states.map(\.hasChannel)
        }
        #expect(found == [true, false, false])
    }

    @Test(
        "The reason why a card cannot be worked with is told",
        arguments: [
            (LinkError.sharingViolation, KanalKit.CardState.Condition.held), (.mute, .mute), (.noCard, .empty),
            (.transmission(code: 5), .unreachable("pcscd cannot reach the card: \("0x5")")),
            (.connectionsUsedUp, .crowded), (.kept, .busy),
        ])
    func obstacle(_ error: LinkError, _ condition: KanalKit.CardState.Condition) async throws {
        let machine = try Machine(.usb)
        machine.reader.onRequest { _ throws(LinkError) in throw error }
        #expect(try await machine.manager.cardStates().map(\.condition) == [condition])
    }

    @Test("A card that gives no connection in time is busy, and not waited for")
    func busy() async throws {
        let machine = try Machine(.usb)
        let gate = DispatchSemaphore(value: 0)
        let hasConnected = Lock(false)
        machine.reader.onRequest { _ throws(LinkError) in
            _ = gate.wait(timeout: .now() + .seconds(300))
            hasConnected.withLock { $0 = true }
            throw .noCard
        }
        #expect(try await machine.manager.cardStates(patience: .milliseconds(200)).map(\.condition) == [.busy])
        #expect(!hasConnected.withLock { $0 })
        gate.signal()
    }
}
