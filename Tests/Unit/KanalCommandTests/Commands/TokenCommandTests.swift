// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalCommand
import Testing

@Suite("What is in the readers, and what a token tells of itself")
struct TokenCommandTests {
    @Test("readers: each reader with its token, its flags, and none")
    func readers() async throws {
        let none = try Desk([])
        try await none.type("readers")
        try await none.type("readers --json")
        try await none.type("readers", .russian)
        try none.screen.expect("readers-none")
        let desk = try Desk([.usb, .bt, nil])
        try await desk.type("readers")
        try await desk.type("readers", .russian)
        for _ in 0..<10 { try await desk.type("label -t 0e123456 --pin-source env:WRONG x", isShown: false) }
        try await desk.type("pair 0e123457 --password-source env:PASSWORD", isShown: false)
        try await desk.type("readers")
        try await desk.type("readers --json")
        try await desk.type("readers --no-such-option")
        try desk.screen.expect("readers")
    }

    @Test("info: a token with all its details, by each of its names")
    func info() async throws {
        let desk = try Desk()
        try await desk.type("info")
        try await desk.type("info", .russian)
        try await desk.type("info --json")
        try await desk.type("label --pin-source env:PIN mine", isShown: false)
        for name in ["mine", "0E123456", "236074070", "'Virtual PCD 00 00'", "pkcs11:serial=0e123456"] {
            try await desk.type("label -t \(name)")
        }
        try await desk.type("info other")
        try await desk.type("info other", .russian)
        try await desk.type("info pkcs11:%")
        try desk.screen.expect("info")
    }

    @Test("info: the states of a secure channel")
    func channel() async throws {
        let desk = try Desk([.bt])
        try await desk.type("info")
        try await desk.type("pair --password-source env:OTHER", isShown: false)
        try await desk.type("info")
        try await desk.type("pair --password-source env:PASSWORD", isShown: false)
        try await desk.type("info")
        try await desk.type("info", .russian)
        try await desk.type("info --json")
        try desk.screen.expect("info-channel")
    }

    @Test("No token, or several: each command says so, with a status of its own")
    func absent() async throws {
        let desk = try Desk([nil])
        for name in ["text", "text.sig"] { try desk.write("text", name) }
        let commands = [
            "info", "list --public", "label x", "sign --overwrite ~/text", "verify ~/text", "key generate",
            "key export", "key file", "key delete x", "cert show", "cert export", "cert request --subject CN=Ann",
            "cert delete x", "random 1",
            "journal", "licence", "pin change", "pin set --new-pin-source env:NEW", "pin unblock", "pin local",
            "format --yes", "pairings hosts", "pairings revoke 1", "pairings password", "pair",
            "esia url --client-id X --scope openid --redirect-uri https://localhost/",
        ]
        for command in commands {
            #expect(try await desk.type(command, isShown: false).status == .noToken, "\(command)")
        }
        try await desk.type("info")
        try await desk.type("info", .russian)
        try desk.screen.expect("absent")
        let two = try Desk([.usb, .usb])
        try await two.type("info")
        try await two.type("info --json", .russian)
        try await two.type("label -t 0e123457")
        try two.screen.expect("several")
    }

    @Test("label: shown, changed, taken away; characters that a terminal would obey are escaped")
    func label() async throws {
        let desk = try Desk()
        try await desk.type("label --pin-source env:PIN mine")
        try await desk.type("label")
        try await desk.type("label --json")
        try await desk.type("label --pin-source env:PIN 'A\u{1B}[31m\u{202E}B'")
        try await desk.type("label --pin-source env:PIN ''")
        try await desk.type("label --json")
        try await desk.type("label --pin-source env:WRONG x")
        try await desk.type("label --pin-source env:WRONG x", .russian)
        try await desk.type("label --pin-source env:NONE x")
        try await desk.type("label --pin-source nowhere x")
        try await desk.type("label --pin-source file:~/none x")
        try await desk.type("label --pin-source - x", input: Array("12345678\r\nmore".utf8))
        try await desk.type("label x")
        try desk.screen.expect("label")
    }

    @Test("A PIN that is typed: asked again when wrong, and not when it is locked; Ctrl-C cancels")
    func typed() async throws {
        let desk = try Desk()
        try await desk.type("label x", answers: ["1", "00000000", EmulatedReader.userPIN])
        try await desk.type("label x", answers: ["00000000", "00000000", "00000000"])
        try await desk.type("label x", answers: ["00000000"], .russian)
        try await desk.type("label x", answers: [])
        for _ in 0..<10 { try await desk.type("label --pin-source env:WRONG x", isShown: false) }
        try await desk.type("label x", answers: [EmulatedReader.userPIN])
        try await desk.type("label x", answers: [EmulatedReader.userPIN], .russian)
        try desk.screen.expect("typed-pin")
    }

    @Test("random: digits, or bytes as they are")
    func random() async throws {
        let desk = try Desk()
        desk.screen.mask(pattern: "[0-9a-f]{32}", as: String(repeating: "0", count: 32))
        try await desk.type("random 16")
        try await desk.type("random 16 --json")
        #expect(try await desk.type("random --raw 1000", isShown: false).output.count == 1000)
        try await desk.type("random 0")
        try await desk.type("random 1048577", .russian)
        try await desk.type("random --raw --json 1")
        try await desk.type("random many")
        try await desk.type("random")
        try desk.screen.expect("random")
    }

    @Test("journal: nothing yet, and the last signature")
    func journal() async throws {
        let desk = try Desk()
        desk.screen.mask(pattern: "\"journal\" : \"[0-9a-f]+\"", as: "\"journal\" : \"00\"")
        desk.screen.mask(pattern: "[0-9a-f]{128}", as: String(repeating: "0", count: 128))
        try await desk.type("journal")
        try await desk.type("journal --json")
        try await desk.type("key generate --pin-source env:PIN --label mine", isShown: false)
        try desk.write("text\n", "text")
        try await desk.type("sign --pin-source env:PIN ~/text", isShown: false)
        try await desk.type("journal")
        try await desk.type("journal", .russian)
        try await desk.type("journal --json")
        try desk.screen.expect("journal")
    }

    @Test("licence: four places, each of which can be written and emptied")
    func licence() async throws {
        let desk = try Desk()
        let digits = String(repeating: "0123456789abcdef", count: 9)
        try await desk.type("licence")
        try await desk.type("licence", .russian)
        try await desk.type("licence 2 --set \(digits) --pin-source env:PIN")
        try await desk.type("licence --json")
        try await desk.type("licence 2 --set none --pin-source env:PIN")
        try await desk.type("licence 5")
        try await desk.type("licence --set none")
        try await desk.type("licence 1 --set 0011", .russian)
        try await desk.type("licence 1 --set none --pin-source env:WRONG")
        try desk.screen.expect("licence")
    }
}
