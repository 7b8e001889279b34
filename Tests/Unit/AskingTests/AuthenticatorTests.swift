// SPDX-License-Identifier: Apache-2.0
import Asking
import Foundation
import Secrets
import Testing
import Translation

@Suite("A program that speaks pinentry's protocol asks")
struct AuthenticatorTests {
    private let standIn: StandIn

    init() throws { standIn = try StandIn() }

    @Test(
        "An answer comes whole, in one line or several, at once or byte by byte",
        arguments: [("good", "1234"), ("parts", "1234"), ("slowly", "1234"), ("empty", ""), ("zero", "a\0b")])
    func answers(_ behaviour: String, _ answer: String) throws {
        #expect(try standIn.authenticator(behaviour).answer() == .success(Array(answer.utf8)))
    }

    @Test("A PIN may have every byte from 1 to 255")
    func everyByte() throws {
        #expect(try standIn.authenticator("bytes").answer() == .success(Array(1...255)))
    }

    @Test("Yes is a confirmation")
    func yes() throws { #expect(try standIn.authenticator("good").refusal() == nil) }

    @Test("No, by each of its codes, is a cancellation", arguments: ["cancel", "no", "old"])
    func cancelled(_ behaviour: String) throws {
        #expect(try standIn.authenticator(behaviour).answer() == .failure(.cancelled))
        #expect(try standIn.authenticator(behaviour).refusal() == .cancelled)
    }

    @Test("A time that ran out over there is a failure that says so")
    func timeout() throws {
        #expect(try standIn.authenticator("timeout").answer().reason?.hasSuffix("the time ran out") == true)
    }

    @Test(
        "One that hangs is ended after the time limit, also if it takes no signal or has never said a word",
        arguments: ["hang", "asleep", "mute"])
    func hangs(_ behaviour: String) throws {
        let start = ContinuousClock.now
        #expect(
            try standIn.authenticator(behaviour, timeLimit: 1).answer().reason?.hasSuffix("the time ran out") == true)
        #expect(ContinuousClock.now - start < .seconds(10))
        let path = try standIn.path(behaviour)
        #expect(Processes.running(path) == [])
    }

    @Test(
        "One that dies ends the question at once, also if what it has started lives on",
        arguments: ["dead", "die", "orphan", "half"])
    func dies(_ behaviour: String) throws {
        let start = ContinuousClock.now
        let reason = try standIn.authenticator(behaviour).answer().reason
        #expect(reason?.hasSuffix("it ended before its answer") == true, "\(reason ?? "none")")
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test(
        "What floods the pipe, or is none of the protocol, is a failure: lines and answers too long, words, escapes",
        arguments: [
            ("flood", "too much output"), ("status", "too much output"), ("megabyte", "a line too long"),
            ("line", "a line too long"), ("long", "an answer too long"), ("word", "invalid line"),
            ("escape", "a wrong escape"), ("digits", "a wrong escape"), ("code", "without a number"),
            ("nothing", "invalid line"), ("inquire", "invalid line"),
            ("babbling", "data that were not asked for"), ("refusing", "error 58"), ("error", "error"),
            ("wordless", "refused SETDESC"),
        ])
    func malformed(_ behaviour: String, _ reason: String) throws {
        let start = ContinuousClock.now
        let text = try standIn.authenticator(behaviour).answer().reason
        #expect(text?.contains(reason) == true, "\(text ?? "none")")
        #expect(try standIn.authenticator(behaviour).refusal() != nil || behaviour == "long")
        #expect(ContinuousClock.now - start < .seconds(15))
        #expect(Processes.running(try standIn.path(behaviour)) == [])
    }

    @Test("One that is missing, a directory, not executable or no program is not installed, and the reason names it")
    func notInstalled() throws {
        let plain = try standIn.file("plain", Array("#!/bin/sh\n".utf8))
        let text = try standIn.file("text", [0x7F, 0x00, 0x01], mode: 0o700)
        for (path, reason) in [
            (standIn.folder + "/none", "No such file or directory"), (standIn.folder, "Permission denied"),
            (plain, "Permission denied"), (text, "Exec format error"), (plain + "/x", "Not a directory"),
        ] {
            guard case .failure(let error) = Authenticator(.pinentry(path)).answer() else {
                Issue.record("\(path) answers")
                continue
            }
            #expect(error.missing == "\(path): \(reason)")
        }
    }

    @Test("One that changes while it runs answers as the one that was started")
    func changes() throws {
        #expect(try standIn.authenticator("change").answer() == .success(Array("1234".utf8)))
    }

    @Test("Two threads that ask at once get an answer each")
    func twoThreads() async throws {
        let authenticator = try standIn.authenticator("slowly")
        await withTaskGroup(of: Result<[UInt8], AskingError>.self) { group in
            for _ in 0..<2 { group.addTask { authenticator.answer() } }
            for await answer in group { #expect(answer == .success(Array("1234".utf8))) }
        }
    }

    @Test("Something new is typed twice: a program that shows one field is asked twice")
    func new() throws {
        var question = Question.pin
        question.repeatPrompt = "Again:"
        for behaviour in ["record", "single"] {
            #expect(try standIn.authenticator(behaviour).answer(question) == .success(Array("1234".utf8)))
        }
        #expect(try standIn.lines("commands").filter { $0 == "GETPIN" }.count == 2)
    }

    @Test("A process with more rights than who started it asks nobody")
    func privileged() throws {
        let authenticator = try standIn.authenticator("record")
        #expect(throws: AskingError.notConfigured) { try authenticator.confirm(.pin, isPrivileged: true) }
        #expect(throws: AskingError.notConfigured) {
            _ = try authenticator.secret(for: .pin, isPrivileged: true)
        }
        #expect(throws: (any Error).self) { try standIn.lines("commands") }
    }

    @Test("Files and systemd-ask-password cannot confirm")
    func noConfirmation() {
        for setting in ["file:/etc/passwd", "credential:pin", "systemd-ask-password"] {
            #expect(Authenticator(setting: setting)?.refusal() == .notConfigured)
        }
    }

    @Test("The commands are as the protocol wants them: escaped, one line each, and cut where they are too long")
    func commands() throws {
        let question = Question(
            title: "Kanal\nBYE", text: "100%\r\u{1B}[2J\u{202E}\nof the token",
            prompt: String(repeating: "я", count: 2000), button: "Sign", error: "Wrong\nPIN", key: "n/kanal")
        var authenticator = try standIn.authenticator("record")
        authenticator.allowsKeyring = true
        _ = authenticator.answer(question)
        let commands = try standIn.lines("commands").filter { !$0.hasPrefix("OPTION") }
        #expect(
            commands == [
                "SETTIMEOUT 19", "SETTITLE Kanal BYE", "SETDESC 100%25??[2J?%0Aof the token", "SETERROR Wrong%0APIN",
                "SETOK _Sign", "SETPROMPT " + String(repeating: "я", count: 495), "SETKEYINFO n/kanal", "GETPIN", "BYE",
            ])
    }

    @Test("A keyring is offered where it is allowed, and nowhere else", arguments: [true, false])
    func keyring(_ isAllowed: Bool) throws {
        var authenticator = try standIn.authenticator("record")
        authenticator.allowsKeyring = isAllowed
        _ = authenticator.answer(Question(title: "Kanal", text: "PIN", prompt: "PIN:", key: "n/kanal"))
        let commands = try standIn.lines("commands")
        for command in ["OPTION allow-external-password-cache", "SETKEYINFO n/kanal"] {
            #expect(commands.contains(command) == isAllowed, "\(command)")
        }
    }

    @Test(
        "A setting names a method, or nothing",
        arguments: [
            ("pinentry", Authenticator.Method.pinentry("pinentry")),
            ("pinentry:pinentry-curses", .pinentry("pinentry-curses")),
            ("pinentry:/opt/ask me", .pinentry("/opt/ask me")),
            ("systemd-ask-password", .systemdAskPassword), ("file:/etc/pin", .file("/etc/pin")),
            ("file:/a:b", .file("/a:b")), ("credential:pin", .credential("pin")),
            ("", nil), ("pinentry:", nil), ("pinentry:a/b", nil), ("pinentry:..", nil), ("file:pin", nil),
            ("file", nil), ("credential:", nil), ("credential:../x", nil), ("Pinentry", nil), ("askpass", nil),
            ("systemd-ask-password:x", nil), ("file:/a\0b", nil),
        ] as [(String, Authenticator.Method?)])
    func settings(_ setting: String, _ method: Authenticator.Method?) {
        #expect(Authenticator(setting: setting)?.method == method)
    }

    @Test("The time limit is from a second to an hour")
    func timeLimit() {
        let limits = [0, 1, 3600, 3601].map { Authenticator(.systemdAskPassword, timeLimit: $0).timeLimit }
        #expect(limits == [1, 1, 3600, 3600])
    }
}

/// The processes of the machine.
enum Processes {
    /// The processes with this word in their command lines, except zombies.
    static func running(_ word: String) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.filter { number in
            guard Int32(number) != nil, let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline")
            else { return false }
            return String(decoding: line, as: UTF8.self).contains(word)
        }
    }
}
