// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing

@Suite("A share of a token that is held to a telephone")
struct TransportShareTests {
    private let folder = Folder()

    private func token(_ last: UInt8, _ identity: Identity = .usb) throws -> EmulatedReader {
        try EmulatedReader(
            identity, passwords: identity.channel == nil ? [] : [EmulatedReader.password], serial: [0x0E, 1, 2, last])
    }

    /// A far reader that asks for the answer to reset, and keeps it in a file; then it waits.
    private func settings() throws -> Share.Settings {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        var settings = Share.Settings()
        settings.directory = folder.path + "/shares"
        settings.tunnel = "sh -c \"printf '\\\\0\\\\001\\\\004'; exec cat > '\(folder.path)/answers'\""
        settings.patience = .seconds(60)
        return settings
    }

    private var answer: [UInt8] {
        FileManager.default.contents(atPath: folder.path + "/answers").map { Array($0) } ?? []
    }

    private func wait(until condition: () -> Bool) async throws {
        for _ in 0..<6000 where !condition() { try await Task.sleep(for: .milliseconds(10)) }
        #expect(condition())
    }

    @Test(
        "The token is waited for in the field, another one is let go, and the far reader has it until the field ends",
        arguments: [Identity.usb, .bt])
    func field(_ identity: Identity) async throws {
        let (other, own) = (try token(1, identity), try token(2, identity))
        let phone = Phone([])
        var settings = try settings()
        settings.token = "0e010202"
        let share = try Share(settings, over: phone, prompt: "Hold")
        let events = Lock<[Share.Event]>([])
        let run = Task { try await share.run { event in events.withLock { $0.append(event) } } }
        try await wait { !phone.log.isEmpty }
        phone.hold([other, own])
        let atr = own.card.identity.atr
        try await wait { answer == [0, UInt8(atr.count)] + atr }
        #expect(phone.log.first == "open: Hold" && phone.log.contains { $0.hasPrefix("restart: ") })
        let way: Share.Way = identity.channel == nil ? .terminate : .through
        #expect(events.withLock { $0.contains(.token(serial: "0e010202", reader: "Telephone", way: way)) })
        // Nothing of the other one but questions about its number.
        #expect(other.count(of: 0x20) == 0)
        phone.cancel()
        await #expect(throws: KanalError.fieldEnded) { try await run.value }
        #expect(phone.log.last == "close: failure(\"\(KanalError.fieldEnded.description)\")")
        #expect(events.withLock { $0.last } == .state(.cancelled))
    }

    @Test("A cancelled share resets the token and closes the field")
    func cancelled() async throws {
        let own = try token(1)
        let phone = Phone([own])
        let share = try Share(try settings(), over: phone, prompt: "Hold")
        let run = Task { try await share.run { _ in } }
        try await wait { !answer.isEmpty }
        run.cancel()
        await #expect(throws: KanalError.cancelled) { try await run.value }
        #expect(phone.log.last?.hasPrefix("close: failure") == true)
    }

    @Test("A field that ends empty, a telephone that is off, and one that cannot reset cards are told apart")
    func failures() async throws {
        let empty = Phone([], looks: 5)
        let share = try Share(try settings(), over: empty)
        await #expect(throws: KanalError.fieldEnded) { try await share.run { _ in } }
        let off = Phone([try token(1)])
        off.switchOff()
        let none = try Share(try settings(), over: off)
        await #expect(throws: KanalError.notStarted(.transportOff)) { try await none.run { _ in } }
        let poor = Phone([try token(1)])
        poor.loseResets()
        let refused = try Share(try settings(), over: poor)
        let error = await #expect(throws: KanalError.self) { try await refused.run { _ in } }
        guard case .refused("CKR_FUNCTION_NOT_SUPPORTED", _)? = error else {
            Issue.record("\(error as Any)")
            return
        }
    }
}
