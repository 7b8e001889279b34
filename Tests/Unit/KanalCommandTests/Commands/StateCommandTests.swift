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

    private func fail(_ desk: Desk, times: Int) async throws {
        for _ in 0..<times { try await desk.type("label --pin-source env:WRONG x", isShown: false) }
    }

    @Test("A PIN of the maker, with one try, with none: each command says so, with the remedy")
    func pins() async throws {
        let desk = try Desk()
        try await desk.type("")
        try await desk.type("", .russian)
        try await desk.type("readers", .russian)
        try await fail(desk, times: 9)
        try await desk.type("")
        try await desk.type("info", .russian)
        try await fail(desk, times: 1)
        for line in ["", "readers", "info", "list --public"] {
            try await desk.type(line)
            try await desk.type(line, .russian)
        }
        try await desk.type("--json")
        try await desk.type("readers --json")
        try await desk.type("list --public --json")
        for _ in 0..<10 { try await desk.type("pin unblock --pin-source env:WRONG", isShown: false) }
        try await desk.type("")
        try await desk.type("", .russian)
        try await desk.type(
            "format --officer-locked --new-officer-pin-source env:OFFICER --new-pin-source env:NEW --yes",
            isShown: false)
        try await desk.type("")
        try desk.screen.expect("state-pins")
    }

    @Test("A certificate that ends soon, has ended, or has not begun: shown by each command, until it has a successor")
    func certificates() async throws {
        let desk = try await ObjectCommandTests.desk()
        try await desk.type("pin change --pin-source env:PIN --new-pin-source env:NEW", isShown: false)
        for now in [Self.end - 400 * Self.day, Self.end - 12 * Self.day, Self.end, Self.end + 1, 1_700_000_000] {
            desk.now = now
            try await desk.type("")
            try await desk.type("list --pin-source env:NEW")
        }
        desk.now = Self.end + 1
        for line in ["", "info", "list --public", "list --pin-source env:NEW"] { try await desk.type(line, .russian) }
        try await desk.type("list --public --json")
        try await desk.type("--json")
        try desk.screen.expect("state-certificates")
    }

    @Test("An expired certificate beside its successor is silent")
    func successor() async throws {
        let desk = try await ObjectCommandTests.desk()
        let openssl = try OpenSSL()
        try openssl.write(desk.read("ben.pfx"), "ben.pfx")
        try openssl.run("pkcs12 -in ben.pfx -nocerts -nodes -passin pass:secret -out key")
        try openssl.run("req -x509 -key key -out next.pem -subj /CN=Ben -days 73000")
        try desk.write(String(decoding: openssl.read("next.pem"), as: UTF8.self), "next.pem")
        #expect(try await desk.type("cert import ~/next.pem --pin-source env:PIN", isShown: false).status == .done)
        desk.now = Self.end + 1
        let shown = String(decoding: try await desk.type("info", isShown: false).output, as: UTF8.self)
        #expect(shown.contains("the certificate ann"))
        #expect(!shown.contains("the certificate ben"))
    }

    @Test("sign: with an expired certificate only by an option; a signature alone names none")
    func expired() async throws {
        let desk = try await ObjectCommandTests.desk()
        try desk.write("text\n", "text")
        try desk.write("string", "string")
        desk.now = Self.end + 1
        for line in [
            "sign --cms", "sign --esia --cms",
            "esia url --client-id X --scope openid --redirect-uri https://a.example/",
        ] {
            let file = line.hasPrefix("esia") ? "" : line.contains("--esia") ? " ~/string" : " ~/text"
            try await desk.type("\(line) --pin-source env:PIN --key ann\(file)")
            try await desk.type("\(line) --pin-source env:PIN --key ann\(file)", .russian)
        }
        #expect(throws: (any Error).self) { try desk.read("text.p7m") }
        try await desk.type("sign --cms --pin-source env:PIN --key ann ~/text --json")
        try await desk.type("sign --cms --expired --pin-source env:PIN --key ann ~/text")
        try await desk.type("sign --pin-source env:PIN --key ann ~/text")
        try await desk.type("sign --expired --pin-source env:PIN --key ann ~/text")
        try await desk.type("sign --expired --pin-source env:PIN --key ann ~/text", .russian)
        try desk.copy("ann.pem")
        try await desk.type("verify --certificate ~/ann.pem ~/text")
        try await desk.type("verify --certificate ~/ann.pem ~/text", .russian)
        desk.now = Self.end
        try await desk.type("sign --overwrite --cms --pin-source env:PIN --key ann ~/text")
        try await desk.type("sign --overwrite --cms --pin-source env:PIN --key ann ~/text", .russian)
        try desk.screen.expect("sign-expired")
    }

    @Test("A key without a certificate, a certificate without its key, two keys of one label")
    func pairs() async throws {
        let desk = try Desk()
        desk.now = Self.end - 400 * Self.day
        try desk.copy("ann.pem")
        try desk.copy("ca.pem")
        try await desk.type("pin change --pin-source env:PIN --new-pin-source env:NEW", isShown: false)
        for _ in 0..<2 {
            try await desk.type("key generate --label 'Key 1' --pin-source env:NEW", isShown: false)
        }
        for name in ["ann.pem", "ca.pem"] {
            try await desk.type("cert import ~/\(name) --pin-source env:NEW", isShown: false)
        }
        try await desk.type("")
        try await desk.type("list --pin-source env:NEW")
        try await desk.type("list --pin-source env:NEW", .russian)
        try await desk.type("list --pin-source env:NEW --json")
        try desk.screen.expect("state-pairs")
    }

    @Test("The next step follows each success, for a person at a terminal alone")
    func nextSteps() async throws {
        for language in [Screen.Language.english, .russian] {
            let desk = try Desk([.bt])
            desk.screen.maskTimes()
            desk.isRead = true
            try desk.write("text\n", "text")
            let steps = [
                "pair --password-source env:PASSWORD", "", "pin change --pin-source env:PIN --new-pin-source env:NEW",
                "", "key generate --label mine --pin-source env:NEW", "",
                "cert request --subject CN=Ann --output ~/request.pem --pin-source env:NEW",
                "sign --pin-source env:NEW ~/text", "sign --overwrite --pin-source env:NEW ~/text --json",
                "format --pin-source env:OFFICER --new-pin-source env:NEW --yes",
            ]
            for step in steps { try await desk.type(step, language) }
            try desk.copy("ann.pfx")
            try await desk.type(
                "key import ~/ann.pfx --password-source env:SECRET --pin-source env:NEW", isShown: false)
            try desk.copy("ann.pem")
            try await desk.type("cert delete ann --yes --pin-source env:NEW", isShown: false)
            try await desk.type("cert import ~/ann.pem --pin-source env:NEW", language)
            try await desk.type("sign --overwrite --pin-source env:NEW ~/text", language)
            desk.isRead = false
            try await desk.type("sign --overwrite --pin-source env:NEW ~/text", language)
            try desk.screen.expect("next-steps" + (language == .russian ? "-russian" : ""))
        }
    }

    @Test("Lists of a token on USB cost no more commands for its states")
    func commands() async throws {
        let desk = try Desk()
        try desk.copy("ann.pfx")
        try await desk.type("key import ~/ann.pfx --password-source env:SECRET --pin-source env:PIN", isShown: false)
        func cost(_ line: String) async throws -> Int {
            let before = desk.reader.commands
            try await desk.type(line, isShown: false)
            return desk.reader.commands - before
        }
        #expect(try await cost("readers") == 8)
        #expect(try await cost("list --public") <= 35)
        #expect(try await cost("list --pin-source env:PIN") <= 39)
        #expect(try await cost("") <= 23)
    }
}
