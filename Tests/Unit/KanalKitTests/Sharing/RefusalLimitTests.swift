// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Testing

@Suite("Refusals that a share tells")
struct RefusalLimitTests {
    private static let plain = Share.Event.refusedPlain([0x00, 0x20, 0x00, 0x02])

    @Test("a flood is told by its first twenty refusals, and by one number when the minute is over")
    func flood() {
        var limit = RefusalLimit()
        let told = (0..<100_000).flatMap { limit.take(Self.plain, at: .milliseconds($0 / 10)) }
        #expect(told == Array(repeating: Self.plain, count: 20))
        #expect(limit.take(.progress(commands: 1, bytes: 2), at: .seconds(59)) == [.progress(commands: 1, bytes: 2)])
        let next = Share.Event.progress(commands: 3, bytes: 4)
        #expect(limit.take(next, at: .seconds(60)) == [.furtherRefusals(99_980), next])
        #expect(limit.take(Self.plain, at: .seconds(61)) == [Self.plain])
    }

    @Test(
        "other events are never kept, and the end of the share tells the number",
        arguments: [Share.State.completed, .cancelled])
    func end(_ end: Share.State) {
        var limit = RefusalLimit()
        for _ in 0..<30 { _ = limit.take(.refused([0x00, 0x2A, 0x9E, 0x9A], host: "far"), at: .zero) }
        #expect(limit.take(.loggedIn(host: "far"), at: .zero) == [.loggedIn(host: "far")])
        #expect(limit.take(.declined("login", host: "far"), at: .zero).isEmpty)
        #expect(limit.take(.state(end), at: .zero) == [.furtherRefusals(11), .state(end)])
        #expect(limit.flush().isEmpty)
    }
}
