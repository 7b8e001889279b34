// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalESIA
import KanalKit
import TestSupport
import Testing

@Suite("Answers that are refused, while the request waits on")
struct AnswerTests {
    @Test("An answer without a request, of another state, or a second time is refused and logged without its content")
    func replay() async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        await #expect(throws: CallbackError.notAwaited) { try await standIn.answer("code=1&state=1") }
        _ = try authorization.callback
        await #expect(throws: CallbackError.notAwaited) { try await standIn.answer("code=1&state=1") }
        let work = Task { try await authorization.authorizeSession(at: StandIn.location()) }
        let state = try await standIn.state()
        for forged in [String(state.dropLast()), state + "0", state.lowercased(), UUID().uuidString, ""] {
            await #expect(throws: CallbackError.foreign) { try await standIn.answer("code=1&state=\(forged)") }
            await #expect(throws: CallbackError.foreign) { try await standIn.answer("error=x&state=\(forged)") }
        }
        try await standIn.answer("code=right&state=\(state)")
        #expect(try await work.value.code == "right")
        await #expect(throws: CallbackError.repeated) { try await standIn.answer("code=1&state=\(state)") }
        #expect(standIn.journal.messages.count == 12)
        #expect(standIn.journal.messages.allSatisfy { $0.hasPrefix("an answer of another application is refused: ") })
        #expect(!standIn.journal.messages.contains { $0.contains(state) || $0.contains("right") })
    }

    @Test("A malformed answer is refused even with the right state, and the right one counts afterwards")
    func malformed() async throws {
        let standIn = try StandIn(), authorization = standIn.authorization()
        let work = Task { try await authorization.authorizeSessionByBiometrics(session: "a&b") }
        let state = try await standIn.state(), right = "verify_token=1&expiry=1&state=\(state)"
        let wrong = [
            "", "verify_token=1&expiry=1", "state=\(state)", "code=1&state=\(state)", "verify_token=1&state=\(state)",
            "verify_token=&expiry=1&state=\(state)", "verify_token=1&expiry=&state=\(state)",
            "verify_token=1&expiry=-1&state=\(state)", "verify_token=1&expiry=99999999999999999999&state=\(state)",
            right + "&state=\(state)", right + "&verify_token=1", right + "&error=x", right + "&other", right + "&x=%",
            right + "&x=%4", right + "&x=%4g", right + "&x=%ff", right + "&x=%0a", right + "#", right + "#f",
            "error=&state=\(state)", "error=\(String(repeating: "e", count: 65))&state=\(state)",
            right + String((0..<40).flatMap { "&x\($0)=" }),
        ]
        for answer in wrong {
            let refusal = await #expect(throws: CallbackError.self) { try await standIn.answer(answer) }
            guard case .malformed? = refusal else {
                Issue.record("\(answer): \(String(describing: refusal))")
                continue
            }
        }
        for callback in ["own:/other", "own://authorization", "own:authorization", "own:/authorization/"] {
            await #expect(throws: CallbackError.malformed("it goes to another address than the callback")) {
                try await standIn.answer(right, to: callback)
            }
        }
        for address in ["", "own", ":/authorization?\(right)", "o n:/authorization?\(right)", "own:/authorization?\n"] {
            await #expect(throws: CallbackError.malformed("it is not an address")) {
                try await Authorization.process(address, in: standIn.runtime)
            }
        }
        let long = right + "&x=" + String(repeating: "a", count: 8192)
        await #expect(throws: CallbackError.tooLong) { try await standIn.answer(long) }
        // Desktops write the scheme and the empty host as they like.
        try await standIn.answer(right, to: "OWN:///authorization")
        #expect(try await work.value.verifyToken == "1")
    }

    @Test("Each of several programs that wait gets its own answer, and what ended programs leave is cleared away")
    func several() async throws {
        let standIn = try StandIn(), first = standIn.authorization(), second = standIn.authorization()
        let one = Task { try await first.authorizeSession(at: StandIn.location()).code }
        let state = try await standIn.state()
        let other = Task { try await second.authorizeSession(at: StandIn.location()).code }
        try await standIn.answer("code=other&state=\(standIn.state())")
        try await standIn.answer("code=one&state=\(state)")
        #expect(try await one.value == "one")
        #expect(try await other.value == "other")
        // The program knows most whose request it was.
        await #expect(throws: CallbackError.repeated) { try await standIn.answer("code=one&state=\(state)") }
        let directory = standIn.runtime + "/kanal"
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 2)
        _ = consume first
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).allSatisfy { $0.hasPrefix("own.") })
    }

    @Test("A directory that others may enter, or a link to one, is not used")
    func directory() async throws {
        let standIn = try StandIn(), files = FileManager.default, directory = standIn.runtime + "/kanal"
        try files.createDirectory(atPath: directory, withIntermediateDirectories: false)
        for mode in [0o755, 0o770, 0o701] {
            try files.setAttributes([.posixPermissions: mode], ofItemAtPath: directory)
            #expect(throws: AuthorizationError.self) { try standIn.authorization().callback }
            await #expect(throws: CallbackError.self) { try await standIn.answer("code=1&state=1") }
        }
        try files.removeItem(atPath: directory)
        try files.createDirectory(
            atPath: standIn.runtime + "/real", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        try files.createSymbolicLink(atPath: directory, withDestinationPath: standIn.runtime + "/real")
        #expect(throws: AuthorizationError.self) { try standIn.authorization().callback }
        try files.removeItem(atPath: directory)
        #expect(try standIn.authorization().callback == "own:/authorization")
    }
}
