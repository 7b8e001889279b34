// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import TestSupport
import Testing

@Suite("States that count: of the PIN, keys and certificates")
struct StateCommandTests {
    /// Ann's and Ben's certificates are valid from 2024 to the end of 2123.
    private static let end: Int64 = 4_859_740_799
    private static let day: Int64 = 86_400

    private func fail(_ machine: TestMachine, times: Int) async throws {
        for _ in 0..<times { try await machine.type("label --pin-source env:WRONG x", isShown: false) }
    }

    @Test("A PIN of the maker, with one try, with none: each command says so, with the remedy")
    func pins() async throws {
        let machine = try TestMachine()
        try await machine.type("")
        try await machine.type("", .russian)
        try await machine.type("readers", .russian)
        try await fail(machine, times: 9)
        try await machine.type("")
        try await machine.type("info", .russian)
        try await fail(machine, times: 1)
        for line in ["", "readers", "info", "list --public"] {
            try await machine.type(line)
            try await machine.type(line, .russian)
        }
        try await machine.type("--json")
        try await machine.type("readers --json")
        try await machine.type("list --public --json")
        for _ in 0..<10 { try await machine.type("pin unblock --pin-source env:WRONG", isShown: false) }
        try await machine.type("")
        try await machine.type("", .russian)
        try await machine.type(
            "format --officer-locked --new-officer-pin-source env:OFFICER --new-pin-source env:NEW --yes",
            isShown: false)
        try await machine.type("")
        try machine.screen.expect("state-pins")
    }

    @Test("A certificate that ends soon, has ended, or has not begun: shown by each command, until it has a successor")
    func certificates() async throws {
        let machine = try await ObjectCommandTests.machine()
        try await machine.type("pin change --pin-source env:PIN --new-pin-source env:NEW", isShown: false)
        for now in [Self.end - 400 * Self.day, Self.end - 12 * Self.day, Self.end, Self.end + 1, 1_700_000_000] {
            machine.now = now
            try await machine.type("")
            try await machine.type("list --pin-source env:NEW")
        }
        machine.now = Self.end + 1
        for line in ["", "info", "list --public", "list --pin-source env:NEW"] {
            try await machine.type(line, .russian)
        }
        try await machine.type("list --public --json")
        try await machine.type("--json")
        try machine.screen.expect("state-certificates")
    }

    @Test("An expired certificate beside its successor is silent")
    func successor() async throws {
        let machine = try await ObjectCommandTests.machine()
        let openssl = try OpenSSL()
        try openssl.write(machine.read("ben.pfx"), "ben.pfx")
        try openssl.run("pkcs12 -in ben.pfx -nocerts -nodes -passin pass:secret -out key")
        try openssl.run("req -x509 -key key -out next.pem -subj /CN=Ben -days 73000")
        try machine.write(String(decoding: openssl.read("next.pem"), as: UTF8.self), "next.pem")
        #expect(try await machine.type("cert import ~/next.pem --pin-source env:PIN", isShown: false).status == .done)
        machine.now = Self.end + 1
        let shown = String(decoding: try await machine.type("info", isShown: false).output, as: UTF8.self)
        #expect(shown.contains("the certificate ann"))
        #expect(!shown.contains("the certificate ben"))
    }

    @Test("sign: with an expired certificate only by an option; a signature alone names none")
    func expired() async throws {
        let machine = try await ObjectCommandTests.machine()
        try machine.write("text\n", "text")
        try machine.write("string", "string")
        machine.now = Self.end + 1
        for line in [
            "sign --cms", "sign --esia --cms",
            "esia url --client-id X --scope openid --redirect-uri https://a.example/",
        ] {
            let file = line.hasPrefix("esia") ? "" : line.contains("--esia") ? " ~/string" : " ~/text"
            try await machine.type("\(line) --pin-source env:PIN --key ann\(file)")
            try await machine.type("\(line) --pin-source env:PIN --key ann\(file)", .russian)
        }
        #expect(throws: (any Error).self) { try machine.read("text.p7m") }
        try await machine.type("sign --cms --pin-source env:PIN --key ann ~/text --json")
        try await machine.type("sign --cms --expired --pin-source env:PIN --key ann ~/text")
        try await machine.type("sign --pin-source env:PIN --key ann ~/text")
        try await machine.type("sign --expired --pin-source env:PIN --key ann ~/text")
        try await machine.type("sign --expired --pin-source env:PIN --key ann ~/text", .russian)
        try machine.copy("ann.pem")
        try await machine.type("verify --certificate ~/ann.pem ~/text")
        try await machine.type("verify --certificate ~/ann.pem ~/text", .russian)
        machine.now = Self.end
        try await machine.type("sign --overwrite --cms --pin-source env:PIN --key ann ~/text")
        try await machine.type("sign --overwrite --cms --pin-source env:PIN --key ann ~/text", .russian)
        try machine.screen.expect("sign-expired")
    }

    @Test("A key without a certificate, a certificate without its key, two keys of one label")
    func pairs() async throws {
        let machine = try TestMachine()
        machine.now = Self.end - 400 * Self.day
        try machine.copy("ann.pem")
        try machine.copy("ca.pem")
        try await machine.type("pin change --pin-source env:PIN --new-pin-source env:NEW", isShown: false)
        for _ in 0..<2 {
            try await machine.type("key generate --label 'Key 1' --pin-source env:NEW", isShown: false)
        }
        for name in ["ann.pem", "ca.pem"] {
            try await machine.type("cert import ~/\(name) --pin-source env:NEW", isShown: false)
        }
        try await machine.type("")
        try await machine.type("list --pin-source env:NEW")
        try await machine.type("list --pin-source env:NEW", .russian)
        try await machine.type("list --pin-source env:NEW --json")
        try machine.screen.expect("state-pairs")
    }

    @Test("The next step follows each success, for a person at a terminal alone")
    func nextSteps() async throws {
        for language in [Screen.Language.english, .russian] {
            let machine = try TestMachine([.bt])
            machine.screen.maskTimes()
            machine.isRead = true
            try machine.write("text\n", "text")
            let steps = [
                "pair --password-source env:PASSWORD", "", "pin change --pin-source env:PIN --new-pin-source env:NEW",
                "", "key generate --label mine --pin-source env:NEW", "",
                "cert request --subject CN=Ann --output ~/request.pem --pin-source env:NEW",
                "sign --pin-source env:NEW ~/text", "sign --overwrite --pin-source env:NEW ~/text --json",
                "format --pin-source env:OFFICER --new-pin-source env:NEW --yes",
            ]
            for step in steps { try await machine.type(step, language) }
            try machine.copy("ann.pfx")
            try await machine.type(
                "key import ~/ann.pfx --password-source env:SECRET --pin-source env:NEW", isShown: false)
            try machine.copy("ann.pem")
            try await machine.type("cert delete ann --yes --pin-source env:NEW", isShown: false)
            try await machine.type("cert import ~/ann.pem --pin-source env:NEW", language)
            try await machine.type("sign --overwrite --pin-source env:NEW ~/text", language)
            machine.isRead = false
            try await machine.type("sign --overwrite --pin-source env:NEW ~/text", language)
            try machine.screen.expect("next-steps" + (language == .russian ? "-russian" : ""))
        }
    }

    @Test("Lists of a token on USB cost no more commands for its states")
    func commands() async throws {
        let machine = try TestMachine()
        try machine.copy("ann.pfx")
        try await machine.type("key import ~/ann.pfx --password-source env:SECRET --pin-source env:PIN", isShown: false)
        func cost(_ line: String) async throws -> Int {
            let before = machine.reader.commands
            try await machine.type(line, isShown: false)
            return machine.reader.commands - before
        }
        #expect(try await cost("readers") == 8)
        #expect(try await cost("list --public") <= 35)
        #expect(try await cost("list --pin-source env:PIN") <= 39)
        #expect(try await cost("") <= 23)
    }
}
