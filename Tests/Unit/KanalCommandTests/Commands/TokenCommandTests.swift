// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalCommand
import Testing

@Suite("What is in the readers, and what a token tells of itself")
struct TokenCommandTests {
    @Test("readers: each reader with its token, its flags, and none")
    func readers() async throws {
        let none = try TestMachine([])
        try await none.type("readers")
        try await none.type("readers --json")
        try await none.type("readers", .russian)
        try none.screen.expect("readers-none")
        let machine = try TestMachine([.usb, .bt, nil])
        try await machine.type("readers")
        try await machine.type("readers", .russian)
        for _ in 0..<10 { try await machine.type("label -t 0e123456 --pin-source env:WRONG x", isShown: false) }
        try await machine.type("pair 0e123457 --password-source env:PASSWORD", isShown: false)
        try await machine.type("readers")
        try await machine.type("readers --json")
        try await machine.type("readers --no-such-option")
        try machine.screen.expect("readers")
    }

    @Test("info: a token with all its details, by each of its names")
    func info() async throws {
        let machine = try TestMachine()
        try await machine.type("info")
        try await machine.type("info", .russian)
        try await machine.type("info --json")
        try await machine.type("label --pin-source env:PIN mine", isShown: false)
        for name in ["mine", "0E123456", "236074070", "'Virtual PCD 00 00'", "pkcs11:serial=0e123456"] {
            try await machine.type("label -t \(name)")
        }
        try await machine.type("info other")
        try await machine.type("info other", .russian)
        try await machine.type("info pkcs11:%")
        try machine.screen.expect("info")
    }

    @Test("info: the states of a secure channel")
    func channel() async throws {
        let machine = try TestMachine([.bt])
        try await machine.type("info")
        try await machine.type("pair --password-source env:OTHER", isShown: false)
        try await machine.type("info")
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        try await machine.type("info")
        try await machine.type("info", .russian)
        try await machine.type("info --json")
        try machine.screen.expect("info-channel")
    }

    @Test("No token, or several: each command says so, with a status of its own")
    func absent() async throws {
        let machine = try TestMachine([nil])
        for name in ["text", "text.sig"] { try machine.write("text", name) }
        let commands = [
            "info", "list --public", "label x", "sign --overwrite ~/text", "verify ~/text", "key generate",
            "key export", "key file", "key delete x", "cert show", "cert export", "cert request --subject CN=Ann",
            "cert delete x", "random 1",
            "journal", "licence", "pin change", "pin set --new-pin-source env:NEW", "pin unblock", "pin local",
            "format --yes", "pairings hosts", "pairings revoke 1", "pairings password", "pair",
            "esia url --client-id X --scope openid --redirect-uri https://localhost/",
        ]
        for command in commands {
            #expect(try await machine.type(command, isShown: false).status == .noToken, "\(command)")
        }
        try await machine.type("info")
        try await machine.type("info", .russian)
        try machine.screen.expect("absent")
        let two = try TestMachine([.usb, .usb])
        try await two.type("info")
        try await two.type("info --json", .russian)
        try await two.type("label -t 0e123457")
        try two.screen.expect("several")
    }

    @Test("label: shown, changed, taken away; characters that a terminal would obey are escaped")
    func label() async throws {
        let machine = try TestMachine()
        try await machine.type("label --pin-source env:PIN mine")
        try await machine.type("label")
        try await machine.type("label --json")
        try await machine.type("label --pin-source env:PIN 'A\u{1B}[31m\u{202E}B'")
        try await machine.type("label --pin-source env:PIN ''")
        try await machine.type("label --json")
        try await machine.type("label --pin-source env:WRONG x")
        try await machine.type("label --pin-source env:WRONG x", .russian)
        try await machine.type("label --pin-source env:NONE x")
        try await machine.type("label --pin-source nowhere x")
        try await machine.type("label --pin-source file:~/none x")
        try await machine.type("label --pin-source - x", input: Array("12345678\r\nmore".utf8))
        try await machine.type("label x")
        try machine.screen.expect("label")
    }

    @Test("A PIN that is typed: asked again when wrong, and not when it is locked; Ctrl-C cancels")
    func typed() async throws {
        let machine = try TestMachine()
        try await machine.type("label x", answers: ["1", "00000000", EmulatedReader.userPIN])
        try await machine.type("label x", answers: ["00000000", "00000000", "00000000"])
        try await machine.type("label x", answers: ["00000000"], .russian)
        try await machine.type("label x", answers: [])
        for _ in 0..<10 { try await machine.type("label --pin-source env:WRONG x", isShown: false) }
        try await machine.type("label x", answers: [EmulatedReader.userPIN])
        try await machine.type("label x", answers: [EmulatedReader.userPIN], .russian)
        try machine.screen.expect("typed-pin")
    }

    @Test("random: digits, or bytes as they are")
    func random() async throws {
        let machine = try TestMachine()
        machine.screen.mask(pattern: "[0-9a-f]{32}", as: String(repeating: "0", count: 32))
        try await machine.type("random 16")
        try await machine.type("random 16 --json")
        #expect(try await machine.type("random --raw 1000", isShown: false).output.count == 1000)
        try await machine.type("random 0")
        try await machine.type("random 1048577", .russian)
        try await machine.type("random --raw --json 1")
        try await machine.type("random many")
        try await machine.type("random")
        try machine.screen.expect("random")
    }

    @Test("journal: nothing yet, and the last signature")
    func journal() async throws {
        let machine = try TestMachine()
        machine.screen.mask(pattern: "\"journal\" : \"[0-9a-f]+\"", as: "\"journal\" : \"00\"")
        machine.screen.mask(pattern: "[0-9a-f]{128}", as: String(repeating: "0", count: 128))
        try await machine.type("journal")
        try await machine.type("journal --json")
        try await machine.type("key generate --pin-source env:PIN --label mine", isShown: false)
        try machine.write("text\n", "text")
        try await machine.type("sign --pin-source env:PIN ~/text", isShown: false)
        try await machine.type("journal")
        try await machine.type("journal", .russian)
        try await machine.type("journal --json")
        try machine.screen.expect("journal")
    }

    @Test("licence: four places, each of which can be written and emptied")
    func licence() async throws {
        let machine = try TestMachine()
        let digits = String(repeating: "0123456789abcdef", count: 9)
        try await machine.type("licence")
        try await machine.type("licence", .russian)
        try await machine.type("licence 2 --set \(digits) --pin-source env:PIN")
        try await machine.type("licence --json")
        try await machine.type("licence 2 --set none --pin-source env:PIN")
        try await machine.type("licence 5")
        try await machine.type("licence --set none")
        try await machine.type("licence 1 --set 0011", .russian)
        try await machine.type("licence 1 --set none --pin-source env:WRONG")
        try machine.screen.expect("licence")
    }
}
