// SPDX-License-Identifier: Apache-2.0
import Configuration
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import KanalESIA
import KanalKit
import Locking
import TestSupport
import Testing
import Translation

@Suite("Other applications, shares, the doctor")
struct OtherCommandTests {
    private static let location =
        "https://service.example/auth?redirect_uri={callback}&state=0123456789abcdef0123456789abcdef"

    /// A machine on whose desktop another application answers each request, or is missing.
    ///
    /// - Parameters:
    ///   - answer: The parameters of its answer, without the state; nil for an application that is missing.
    ///   - opened: Takes the addresses that were opened, on a desktop with a browser.
    private static func machine(answering answer: String?, browser opened: Lock<[String]>? = nil) throws -> TestMachine
    {
        let machine = try TestMachine([])
        let folder = machine.path("run")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        machine.adjust = { access in
            let desktop = Desktop(
                handles: { scheme in .success(answer != nil || scheme == "https" && opened != nil) },
                open: { address, _ in
                    opened?.withLock { $0.append(address) }
                    guard let answer else { return .success(()) }
                    Task {
                        let state = URLComponents(string: address)?.queryItems?.first { $0.name == "state" }?.value
                        try? await Authorization.process(
                            "own:/authorization?\(answer)&state=\(state ?? "")", in: folder)
                    }
                    return .success(())
                })
            access.authorization = { settings, log, offer in
                Authorization(
                    settings, log: log, desktop: desktop, runtime: folder,
                    sleep: { _ in try await Task.sleep(for: .seconds(20)) }, offer: offer)
            }
            access.answer = { try await Authorization.process($0, in: folder) }
        }
        return machine
    }

    private static let options = "--system SYSTEM --application other --answer-scheme own"

    @Test("authorize: a code of the other application, its refusals, and none that is installed")
    func authorize() async throws {
        let page = "--installation-page https://page.example/"
        let machine = try Self.machine(answering: "code=CODE")
        try await machine.type("authorize session \(Self.options) '\(Self.location)'")
        try await machine.type("authorize session \(Self.options) '\(Self.location)2'", .russian)
        try await machine.type("authorize extended \(Self.options) '\(Self.location)' --json")
        try await machine.type("authorize session \(Self.options) http://service.example/")
        try await machine.type("authorize session \(Self.options) --time-limit 0 x")
        try await machine.type("authorize session x", .russian)
        try await machine.type("authorize install \(Self.options)")
        try await machine.type("authorize install \(Self.options) \(page)")
        try machine.screen.expect("authorize")
        let refusing = try Self.machine(answering: "error=access_denied")
        try await refusing.type("authorize session \(Self.options) '\(Self.location)'")
        try await refusing.type("authorize extended \(Self.options) '\(Self.location)'", .russian)
        try await refusing.type("authorize biometrics \(Self.options) --session S")
        try refusing.screen.expect("authorize-refused")
        let none = try Self.machine(answering: nil)
        try await none.type("authorize session \(Self.options) '\(Self.location)'")
        try await none.type("authorize biometrics --session S --system SYSTEM --application other")
        try await none.type("authorize session --system S --application other \(page) '\(Self.location)'")
        try await none.type("authorize session --system S --application other \(page) '\(Self.location)'", .russian)
        try await none.type("authorize install --system S \(page)")
        try none.screen.expect("authorize-missing")
    }

    @Test("authorize: the page from which a missing application is installed is offered, and opened with consent")
    func installation() async throws {
        let opened = Lock<[String]>([])
        let machine = try Self.machine(answering: nil, browser: opened)
        let page = "--installation-page https://page.example/"
        let request = "authorize session --system S --application other"
        try await machine.type("\(request) \(page) '\(Self.location)'", answers: ["no"])
        try await machine.type("\(request) \(page) '\(Self.location)'", answers: [], .russian)
        try await machine.type("\(request) '\(Self.location)'", answers: ["yes"])
        try await machine.type("\(request) \(page) '\(Self.location)'")
        #expect(opened.withLock { $0 } == [])
        try await machine.type("\(request) \(page) '\(Self.location)'", answers: ["yes"])
        #expect(opened.withLock { $0 } == ["https://page.example/"])
        try await machine.type(
            "authorize biometrics --session S --system S --application other \(page)", answers: ["yes"], .russian)
        #expect(opened.withLock { $0.count } == 2)
        try machine.screen.expect("authorize-offer")
    }

    @Test("secrets, esia login, handler: options that are refused before anything is read or asked")
    func refusals() async throws {
        let machine = try TestMachine([])
        for command in ["list", "get service", "set service", "delete service", "key", "join", "files"] {
            try await machine.type("secrets \(command) --local --directory ./relative")
        }
        try await machine.type("secrets list --local --synchronised")
        try await machine.type("secrets get service --wait 86401")
        try await machine.type("secrets get", .russian)
        try await machine.type("authorize handler")
        try await machine.type("esia login")
        try await machine.type("esia login", .russian)
        try machine.screen.expect("secrets-refused")
    }

    @Test("callback: an answer for which no program waits is refused")
    func callback() async throws {
        let machine = try Self.machine(answering: nil)
        try await machine.type("callback 'own:/authorization?code=CODE&state=STATE'")
        try await machine.type("callback 'own:/authorization?code=CODE&state=STATE'", .russian)
        try await machine.type("callback own:")
        try await machine.type("callback https://page.example/ --json")
        try await machine.type("callback")
        try machine.screen.expect("callback")
    }

    @Test("authorize, callback: a wrong line of kanal.conf is named")
    func settings() async throws {
        let machine = try Self.machine(answering: "code=CODE")
        machine.settings = Configuration(system: nil, user: Array("colour\n".utf8), program: "kanal")
        let page = "--installation-page https://page.example/"
        for line in [
            "authorize session \(Self.options) '\(Self.location)'", "authorize install \(Self.options) \(page)",
            "callback 'own:/authorization?code=CODE&state=STATE'",
        ] {
            try await machine.type(line)
            try await machine.type(line, .russian)
        }
        try machine.screen.expect("authorize-settings")
    }

    @Test("share: each event is a line; what cannot be is refused before anything is shared")
    func share() async throws {
        let machine = try TestMachine()
        machine.screen.maskTimes()
        let events: [Share.Event] = [
            .token(serial: "0e123456", reader: "Reader", way: .terminate),
            .token(serial: "0e123456", reader: "Reader", way: .through),
            .password("1ABC-DEFG-HJKL-MNPQ"), .state(.normal), .connected(to: "127.0.0.1:35963"), .paired(host: "ann"),
            .opened(host: "ann"), .loggedIn(host: "ann"), .wrongPassword(slot: 1, triesLeft: 4),
            .refusedPlain([0, 0xA4, 0, 0]), .refused([0, 0x24, 0, 1], host: "ann"), .furtherRefusals(3),
            .progress(commands: 12, bytes: 345), .closed(host: "ann"), .state(.waitingForToken), .state(.wrongToken),
            .state(.completed), .state(.cancelled),
        ]
        machine.adjust = { access in
            access.share = { settings, report in
                guard settings.token != "none" else { throw KanalError.notFound }
                for event in events { report(event) }
                if settings.isOnce { throw KanalError.cancelled }
            }
        }
        try await machine.type("share")
        try await machine.type("share --once", .russian)
        try await machine.type("share --json --for 30m --allow read,sign --confirm login")
        try await machine.type("share none")
        for options in [
            "--allow everything", "--confirm always", "--for 30", "--patience 1d", "--port 0", "--port 70000",
            "--tunnel x --host 127.0.0.1", "--far-end --tunnel x",
            "--far-end --allow read", "--far-end --once",
        ] {
            try await machine.type("share \(options)")
        }
        try await machine.type("share --allow everything", .russian)
        try machine.screen.expect("share")
    }

    @Test("doctor --log: the meaning of each message that programs recognise")
    func log() async throws {
        let machine = try TestMachine([])
        let lines = MessageID.allCases.map { "2026-01-02T03:04:05.678Z program[12] warning: [\($0.rawValue)] text" }
        try machine.write((lines + lines + ["", "something else"]).joined(separator: "\n"), "log")
        machine.screen.mask(
            pattern: "(remedy|что сделать): (sudo )?(systemctl|pcscd|apt-get|dnf|pacman).*", as: "$1: (command)")
        machine.screen.mask(
            pattern: "\"remedy\" : \"(sudo )?(systemctl|pcscd|apt-get|dnf|pacman)[^\"]*\"",
            as: "\"remedy\" : \"(command)\"")
        try await machine.type("doctor --log ~/log")
        try await machine.type("doctor --log ~/log", .russian)
        try await machine.type("doctor --log ~/log --json")
        try machine.write("2026-01-02T03:04:05.678Z program[12] warning: without an identifier\n", "log")
        try await machine.type("doctor --log ~/log")
        try await machine.type("doctor --log ~/log", .russian)
        try await machine.type("doctor --log ~/none")
        try machine.screen.expect("doctor-log")
    }

    @Test("doctor: a service that cannot be reached is found on every machine, with a remedy")
    func doctor() async throws {
        struct Found: Decodable {
            struct Finding: Decodable { let check, severity, problem, remedy: String }
            let findings: [Finding]
        }
        let machine = try TestMachine([])
        machine.variables["PCSCLITE_CSOCK_NAME"] = machine.path("none")
        let (status, output) = try await machine.type("doctor --json", isShown: false)
        let found = try JSONDecoder().decode(Found.self, from: Data(output)).findings
        #expect(status == .failed && found.first?.check.hasPrefix("pcscd.") == true)
        #expect(found.allSatisfy { !$0.check.isEmpty && !$0.problem.isEmpty && !$0.remedy.isEmpty })
        #expect(found.allSatisfy { ["error", "warning"].contains($0.severity) })
    }
}
