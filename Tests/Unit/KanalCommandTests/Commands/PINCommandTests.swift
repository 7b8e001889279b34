// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalCommand
import TestSupport
import Testing

@Suite("PINs, and a token that is made new")
struct PINCommandTests {
    @Test("pin change: the user's, the officer's; wrong, too short, locked")
    func change() async throws {
        let machine = try TestMachine()
        (machine.variables["OWN"], machine.variables["SHORT"]) = ("13572468", "1")
        try await machine.type("pin change --pin-source env:PIN --new-pin-source env:NEW")
        try await machine.type("pin change --pin-source env:PIN --new-pin-source env:NEW")
        try await machine.type("pin change --pin-source env:NEW --new-pin-source env:PIN --json")
        try await machine.type("pin change --pin-source env:NEW --new-pin-source env:PIN", .russian)
        try await machine.type("pin change --pin-source env:NEW --new-pin-source env:OWN --json")
        try await machine.type("pin change --pin-source env:OFFICER --new-pin-source env:NEW --officer", .russian)
        try await machine.type("pin change --pin-source env:OFFICER --new-pin-source env:NEW --officer")
        try await machine.type("pin change --pin-source env:OWN --new-pin-source env:SHORT")
        try await machine.type("pin change", answers: ["13572468", "12345678", "123", "11223344", "11223344"])
        try await machine.type("pin change", answers: ["11223344", "24682468", "2468246", "24682468", "24682468"])
        try await machine.type("pin change", answers: ["24682468", "12345678"], .russian)
        try await machine.type("pin change --pin-source env:PIN")
        try await machine.type("pin")
        try machine.screen.expect("pin-change")
    }

    @Test("pin unblock, pin set: by the security officer, as far as the token's format lets him")
    func officer() async throws {
        let machine = try TestMachine()
        machine.variables["OWN"] = "13572468"
        for _ in 0..<6 { try await machine.type("label --pin-source env:WRONG x", isShown: false) }
        try await machine.type("label x", answers: ["00000000", "00000000", "00000000"], .russian)
        try await machine.type("label --pin-source env:WRONG x")
        try await machine.type("label --pin-source env:PIN x")
        try await machine.type("label x", answers: [])
        try await machine.type("pin change", answers: [], .russian)
        try await machine.type("pin unblock --pin-source env:OFFICER")
        try await machine.type("label --pin-source env:PIN x")
        try await machine.type("pin unblock --pin-source env:OFFICER --json")
        try await machine.type("pin unblock --pin-source env:PIN", .russian)
        try await machine.type("pin set --pin-source env:OFFICER --new-pin-source env:NEW")
        try await machine.type("pin set --pin-source env:OFFICER --new-pin-source env:NEW", .russian)
        try await machine.type(
            "format --pin-source env:OFFICER --new-pin-source env:PIN --pin-changed-by officer --yes", isShown: false)
        try await machine.type("pin set --pin-source env:OFFICER --new-pin-source env:NEW")
        try await machine.type("pin set --pin-source env:OFFICER --new-pin-source env:NEW --json")
        try await machine.type("pin change --pin-source env:NEW --new-pin-source env:OWN")
        try machine.screen.expect("pin-officer")
    }

    @Test("pin set, pin local: the present PIN is the first line of a source; the authenticator knows no local PIN")
    func sources() async throws {
        let machine = try TestMachine()
        try await machine.type(
            "format --pin-source env:OFFICER --new-pin-source env:PIN --pin-changed-by officer --yes", isShown: false)
        let lines = Array("87654321\n13572468\n".utf8)
        let set = "pin set --pin-source - --new-pin-source -"
        #expect(try await machine.type(set, input: lines, isShown: false).status == .done)
        machine.variables["OWN"] = "13572468"
        let local = "pin local 5 --new-pin-source env:NEW --pin-source"
        #expect(try await machine.type("\(local) env:OWN", isShown: false).status == .done)
        #expect(try await machine.type("\(local) authenticator", isShown: false).status == .failed)
        #expect(try await machine.type("\(local) env:NEW", isShown: false).status == .done)
        let (status, output) = try await machine.type("label x --json --pin-source file:/none", isShown: false)
        #expect(status == .failed && String(decoding: output, as: UTF8.self).contains("\"file.missing\""))
    }

    @Test("The last try lost: each PIN has a remedy of its own")
    func lost() async throws {
        let machine = try TestMachine()
        func spend(_ tries: Int, _ line: String) async throws {
            for _ in 0..<tries { try await machine.type(line, isShown: false) }
        }
        try await machine.type("pin local 5 --pin-source env:PIN --new-pin-source env:NEW", isShown: false)
        let local = "pin local 5 --new-pin-source env:NEW"
        try await spend(8, "\(local) --pin-source env:WRONG")
        try await machine.type(local, answers: ["00000000"])
        try await machine.type("\(local) --pin-source env:WRONG")
        try await machine.type(local, answers: [])
        try await machine.type(local, answers: [], .russian)
        try await spend(8, "pin unblock --pin-source env:WRONG")
        try await machine.type("pin unblock", answers: ["00000000", "00000000"])
        try await machine.type("pin unblock --pin-source env:WRONG --json")
        try await machine.type("format --yes --pin-source env:WRONG --new-pin-source env:NEW", .russian)
        try await spend(9, "label --pin-source env:WRONG x")
        try await machine.type("pin change --pin-source env:WRONG --new-pin-source env:NEW", .russian)

        let anew = "format --yes --officer-locked --new-officer-pin-source env:OFFICER --new-pin-source env:PIN"
        try await machine.type(anew, isShown: false)
        try await machine.type("pin local 5 --pin-source env:PIN --new-pin-source env:NEW", isShown: false)
        for line in ["\(local) --pin-source env:WRONG", "pin unblock --pin-source env:WRONG"] {
            try await spend(9, line)
            try await machine.type(line, .russian)
        }

        // A token that is new each time: the last try of the security officer's PIN goes in another command.
        let sources = "--new-pin-source env:NEW"
        for line in ["format --yes \(sources)", "pin change --officer \(sources)", "pin unblock"] {
            let token = try TestMachine()
            let command = "\(line) --pin-source env:WRONG --json"
            for _ in 0..<9 { try await token.type(command, isShown: false) }
            let (status, output) = try await token.type(command, isShown: false)
            let text = String(decoding: output, as: UTF8.self)
            #expect(status == .locked && text.contains("\"triesLeft\" : 0"), "\(line)")
            #expect(text.contains("\"remedy\" : \"kanal format --officer-locked\""), "\(line)")
        }
        try machine.screen.expect("pin-lost")
    }

    @Test("pin local: listed and set")
    func local() async throws {
        let machine = try TestMachine()
        try await machine.type("pin local")
        try await machine.type("pin local", .russian)
        try await machine.type("pin local 5 --pin-source env:PIN --new-pin-source env:NEW")
        try await machine.type("pin local --json")
        try await machine.type("pin local 5 --pin-source env:PIN --new-pin-source env:NEW")
        try await machine.type("pin local 5", answers: ["11223344", "12121212", "12121212"])
        try await machine.type("pin local", .russian)
        try await machine.type("pin local 2")
        try await machine.type("pin local 32", .russian)
        try machine.screen.expect("pin-local")
    }

    @Test("containers of CryptoPro CSP: named without a PIN, and erased by a word of its own alone")
    func containers() async throws {
        let machine = try TestMachine([.lite])
        try machine.storeContainer("256-plain", in: 0x0A00)
        try machine.storeContainer("cyrillic-name", in: 0x0C00)
        let sources = "--pin-source env:OFFICER --new-pin-source env:NEW"
        try await machine.type("info --json")
        try await machine.type("info", .russian)
        try await machine.type("list --public")
        try await machine.type("list --public", .russian)
        try await machine.type("list --pin-source env:PIN")
        try await machine.type("format \(sources) --yes")
        try await machine.type("format \(sources) --yes", .russian)
        try await machine.type("format \(sources) --erase-containers", answers: ["no"])
        try await machine.type("list --pin-source env:PIN", isShown: false)
        try await machine.type("format \(sources) --erase-containers --yes")
        try await machine.type("list --pin-source env:NEW")
        try machine.screen.expect("containers")
    }

    @Test("format: with consent, by the officer's PIN; licences stay, keys go")
    func format() async throws {
        let machine = try TestMachine()
        try machine.copy("ann.pfx")
        try await machine.type("key import ~/ann.pfx --password-source env:SECRET --pin-source env:PIN", isShown: false)
        let digits = String(repeating: "00", count: 71) + "01"
        try await machine.type("licence 1 --set \(digits) --pin-source env:PIN", isShown: false)
        let sources = "--pin-source env:OFFICER --new-pin-source env:NEW"
        try await machine.type("format \(sources)")
        try await machine.type("format \(sources)", answers: ["no"])
        try await machine.type("format \(sources)", answers: ["no"], .russian)
        try await machine.type("format --pin-source env:PIN --new-pin-source env:NEW --yes")
        try await machine.type("format", answers: ["да", "00000000"], .russian)
        try await machine.type("format --yes", answers: ["87654321", "11223344", "11223344"])
        try await machine.type("format \(sources) --label Ann --pin-length 7 --pin-tries 3 --yes --json")
        try await machine.type("format \(sources) --label Ann --pin-length 7 --pin-tries 3 --yes", .russian)
        try await machine.type("info")
        for changer in ["user", "officer"] {
            try await machine.type("format \(sources) --label Ann --pin-changed-by \(changer) --yes")
            try await machine.type("format \(sources) --label Ann --pin-changed-by \(changer) --yes", .russian)
        }
        try await machine.type("list --pin-source env:NEW")
        try await machine.type("licence 1")
        try await machine.type("format --pin-length 5")
        try await machine.type("format --pin-tries 11", .russian)
        try await machine.type("format --officer-locked")
        try await machine.type("format --pin-changed-by nobody")
        try machine.screen.expect("format")
    }
}
