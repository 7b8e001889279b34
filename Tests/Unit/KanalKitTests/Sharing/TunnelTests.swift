// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import Foundation
import KanalKit
import Locking
import TestSupport
import Testing
import Translation

@Suite("A far reader that a command leads to")
struct TunnelTests {
    private let folder = Folder()

    /// A share of a token by a command. `report` gets its events, too.
    private func share(
        _ command: String, report: @escaping @Sendable (TokenShare, Share.Event) -> Void = { _, _ in }
    ) throws -> TokenShare {
        var settings = Share.Settings()
        settings.tunnel = command
        settings.patience = .seconds(60)
        let itself = Lock<TokenShare?>(nil)
        let readers = OneReader(try EmulatedCard(.usb))
        let share = TokenShare(
            settings, directory: folder.path + "/shares", readers: readers, clocks: TestTime().clocks
        ) { event in
            if let share = itself.withLock({ $0 }) { report(share, event) }
            if [.state(.completed), .state(.cancelled)].contains(event) { itself.withLock { $0 = nil } }
        }
        itself.withLock { $0 = share }
        return share
    }

    private func contents(_ name: String) -> [UInt8] {
        FileManager.default.contents(atPath: folder.path + "/" + name).map { Array($0) } ?? []
    }

    @Test("its output is what the reader asks, its input what the token answers; it is started again when it ends")
    func conversation() async throws {
        let atr = try EmulatedCard(.usb).identity.atr
        // It asks for the answer to reset.
        let command =
            "sh -c \"printf '\\\\0\\\\001\\\\004'; head -c \(2 + atr.count) >> '\(folder.path)/answers'\""
        let events = Lock<[Share.Event]>([])
        let share = try share(command) { share, event in
            let connections = events.withLock { events in
                events.append(event)
                return events.count { $0 == .connected(to: command) }
            }
            if connections == 3 { share.cancel() }
        }
        try await Task.detached { try share.run() }.value
        let end = Share.Event.disconnected(from: command, reason: "the command of the tunnel has ended")
        #expect(events.withLock { $0.contains(end) && $0.last == .state(.cancelled) })
        let answer = [0, UInt8(atr.count)] + atr
        #expect(contents("answers").starts(with: answer + answer))
    }

    @Test("a command that does not reach the reader is tried until patience ends")
    func patience() async throws {
        let share = try share("false")
        let error = await #expect(throws: ShareError.self) { try await Task.detached { try share.run() }.value }
        #expect(error == .unreachable("\("false"): \("the command of the tunnel has ended" as Phrase)"))
    }

    @Test("a command that goes on is ended with the share")
    func end() async throws {
        let share = try share("sh -c 'echo $$ > \(folder.path)/process; exec sleep 1000'")
        let running = Task.detached { try share.run() }
        while contents("process").last != 0x0A { try await Task.sleep(for: .milliseconds(10)) }
        let process = try #require(Int32(String(decoding: contents("process").dropLast(), as: UTF8.self)))
        #expect(kill(process, 0) == 0)
        share.cancel()
        try await running.value
        #expect(kill(process, 0) != 0)
    }
}
