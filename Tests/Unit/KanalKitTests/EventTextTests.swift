// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalKit
import Testing

@Suite("Events in words")
struct EventTextTests {
    @Test("A token, and its coming and going, are told by number, label and reader")
    func tokens() async throws {
        let machine = try Machine(.usb)
        let token = try await machine.manager.find()
        let caption = token.information.description
        #expect(caption.contains(token.information.serialText) && "\(token)" == caption)
        #expect("\(TokenEvent.attached(token))" == "the token \(caption) is there")
        #expect("\(TokenEvent.detached(token))" == "the token \(caption) has left")
        #expect(
            "\(TokenEvent.stopped(.notStarted(.stopped)))"
                == "readers are not watched any more: the token manager has been ended")
    }

    @Test("The states of a token have texts of their own")
    func states() {
        let states: [TokenState] = [.normal, .waitingForToken(until: .now), .wrongToken, .completed]
        let texts = states.map { "\($0)" }
        #expect(Set(texts).count == states.count && texts[1] == "waiting for the token")
    }

    @Test("Changes of secrets are told by service and account")
    func secrets() {
        let item = SecretItem(service: "mail.example", account: "ann", isSynchronised: true)
        #expect("\(SecretEvent.added(item))" == "there is a secret mail.example ann")
        #expect("\(SecretEvent.changed(item))" == "the secret mail.example ann has another value")
        #expect(
            "\(SecretEvent.deleted(SecretItem(service: "web", account: "", isSynchronised: false)))"
                == "the secret web was deleted")
    }

    @Test("What happens in a share is told without the password")
    func shares() {
        let events: [Share.Event] = [
            .token(serial: "0e123456", reader: "Reader", way: .terminate),
            .token(serial: "0e123456", reader: "Reader", way: .through), .password("1ABC-DEFG-HJKL-MNPQ"),
            .state(.normal), .connected(to: "127.0.0.1:35963"),
            .disconnected(from: "127.0.0.1:35963", reason: "the token was taken out"), .paired(host: "ann"),
            .opened(host: "ann"), .loggedIn(host: "ann"), .wrongPassword(slot: 1, triesLeft: 4),
            .refusedPlain([0, 0xA4, 0, 0]), .refused([0, 0x24, 0, 1], host: "ann"), .furtherRefusals(3),
            .declined("a signature", host: "ann"), .progress(commands: 12, bytes: 345), .closed(host: "ann"),
            .state(.waitingForToken), .state(.wrongToken), .state(.completed), .state(.cancelled),
        ]
        let texts = events.map { "\($0)" }
        #expect(Set(texts).count == events.count)
        #expect(texts.allSatisfy { !$0.contains("1ABC") && !$0.contains("(") })
        #expect(texts[10] == "refused: the command 00a40000 did not come through the channel")
    }
}
