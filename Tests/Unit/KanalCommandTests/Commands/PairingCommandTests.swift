// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import SecureChannel
import Testing
import Token

@Suite("Pairings, and the guided first start")
struct PairingCommandTests {
    @Test("kanal: from a new token to one that works")
    func guide() async throws {
        let machine = try TestMachine([.bt])
        try await machine.type("")
        try await machine.type("", answers: ["1BCD-EFGH-JKLM-NPQ2", "nonsense", EmulatedReader.password])
        try await machine.type("")
        try await machine.type("--json")
        try await machine.type("", .russian)
        let russian = try TestMachine([.bt])
        try await russian.type("", answers: ["1BCD-EFGH-JKLM-NPQ2", EmulatedReader.password], .russian)
        try machine.screen.expect("guide")
        try russian.screen.expect("guide-russian")
    }

    @Test("kanal: what is missing where there is no token")
    func missing() async throws {
        let (none, empty) = (try TestMachine([]), try TestMachine([nil, nil]))
        try await none.type("")
        try await none.type("", .russian)
        try none.screen.expect("guide-no-reader")
        try await empty.type("")
        try await empty.type("--json", .russian)
        empty.policy.wirelessReaders = [WildcardPattern("Virtual PCD*")]
        try await empty.type("")
        try empty.screen.expect("guide-no-token")
    }

    @Test("kanal: the next step to a Bluetooth token, where BlueZ tells it")
    func bluetooth() async throws {
        let machine = try TestMachine([nil])
        machine.policy.wirelessReaders = [WildcardPattern("Virtual PCD*")]
        machine.variables["PATH"] = machine.path("")
        /// Puts a bluetoothctl there, with these answers to `show`, `devices` and `info`.
        func answer(_ show: String, _ devices: String = "", _ info: String = "") throws {
            let answers = [("show", show), ("devices", devices), ("info", info)]
            let cases = answers.map { "\($0)) printf '\($1)' ;;" }
            try machine.write("#!/bin/sh\ncase $1 in\n\(cases.joined(separator: "\n"))\nesac\n", "bluetoothctl")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: machine.path("bluetoothctl"))
        }
        let on = "Controller 00:01:02:03:04:05 (public)\\n\\tPowered: yes\\n"
        let token = "Device 00:11:22:33:44:66 Headphones\\nDevice 00:11:22:33:44:55 Rutoken\\033[2J ECP BT\\n"
        try answer("No default controller available\\n")
        try await machine.type("")
        try answer(on, "Device 00:11:22:33:44:66 Headphones\\nDevice ; Rutoken\\n")
        try await machine.type("")
        try answer(on, token, "\\tPaired: no\\n\\tConnected: yes\\n")
        try await machine.type("")
        try answer(on, token, "\\tPaired: yes\\n\\tConnected: no\\n")
        try await machine.type("")
        try await machine.type("", .russian)
        // Beside a wired reader, too; but not if Bluetooth is missing.
        machine.policy.wirelessReaders = []
        try await machine.type("")
        try answer("No default controller available\\n")
        try await machine.type("")
        machine.policy.wirelessReaders = [WildcardPattern("Virtual PCD*")]
        try answer(on, token, "\\tPaired: yes\\n\\tConnected: yes\\n")
        try await machine.type("")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: machine.path("bluetoothctl"))
        try await machine.type("")
        try machine.screen.expect("guide-bluetooth")
    }

    @Test("pair: with a password from a source, and from a person")
    func pair() async throws {
        let machine = try TestMachine([.bt])
        try await machine.type("random 8")
        try await machine.type("list --pin-source file:~/none", .russian)
        try await machine.type("pair")
        try await machine.type("pair --password-source env:OTHER")
        try await machine.type("pair --password-source env:PIN")
        try await machine.type("pair", answers: ["1BCD-EFGH-JKLM-NPQ2", EmulatedReader.password])
        try await machine.type("pair --password-source env:PASSWORD --json")
        try await machine.type("pair --password-source env:PASSWORD", .russian)
        try await machine.type("pair --password-source authenticator")
        try machine.screen.expect("pair")
        let plain = try TestMachine()
        try await plain.type("pair --password-source env:PASSWORD")
        try await plain.type("pair", .russian)
        try plain.screen.expect("pair-plain")
    }

    @Test("A channel that no password opens: each command says why, with a status of its own")
    func unusable() async throws {
        let machine = try TestMachine([.bt(.classic)])
        machine.policy.minimumProfile = .modern
        let commands = ["", "pair --password-source env:PASSWORD", "list --public", "random 8"]
        for command in commands { try await machine.type(command) }
        try await machine.type("pair --password-source env:PASSWORD", .russian)
        let plain = try TestMachine()
        plain.policy.requireSM = true
        for command in commands {
            #expect(try await plain.type(command, isShown: false).status == .noChannel, "\(command)")
        }
        try machine.screen.expect("unusable")
    }

    @Test("pair: a password that has no tries left")
    func locked() async throws {
        let machine = try TestMachine([.bt])
        for _ in 0..<6 { try await machine.type("pair --password-source env:OTHER") }
        try await machine.type("pair --password-source env:PASSWORD", .russian)
        try await machine.type("")
        try machine.screen.expect("pair-locked")
    }

    @Test("pairings: listed on both sides, removed on this one, revoked on the token's")
    func pairings() async throws {
        let machine = try TestMachine([.bt])
        machine.screen.maskTimes()
        try await machine.type("pairings")
        try await machine.type("pairings list", .russian)
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        try await machine.type("pairings list")
        try await machine.type("pairings list --json")
        try await machine.type("pairings list", .russian)
        try await machine.type("pairings hosts")
        try await machine.type("pairings hosts --json")
        try await machine.type("pairings hosts", .russian)
        try await machine.type("pairings revoke bob")
        try await machine.type("pairings revoke 1")
        try await machine.type("pairings revoke 1", answers: ["no"])
        try await machine.type("pairings revoke 'ann@desk kanal'", answers: ["yes"])
        try await machine.type("random 1")
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        try await machine.type("pairings revoke 1 --yes", .russian)
        try machine.screen.expect("pairings")
    }

    @Test("pairings remove: with consent, and not for a token that this user is not paired with")
    func remove() async throws {
        let machine = try TestMachine([.bt])
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        try await machine.type("pairings remove 0e123456")
        try await machine.type("pairings remove 0e123456", answers: [])
        try await machine.type("pairings remove 0e123456", answers: ["yes"], .russian)
        try await machine.type("pairings remove 0e123456 --yes")
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        try await machine.type("pairings remove 0e123456 --yes --json")
        try machine.screen.expect("pairings-remove")
    }

    @Test("pairings password: a new activation password, by the security officer")
    func password() async throws {
        let machine = try TestMachine([.bt])
        machine.screen.mask(pattern: "[0-9A-Z]([0-9A-Z]{3})(-[0-9A-Z]{4}){3}", as: "(password)")
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        try await machine.type("pairings password --pin-source env:OFFICER")
        try await machine.type("pairings password --pin-source env:OFFICER --capitals --json")
        try await machine.type("pairings password --pin-source env:OFFICER --number 1")
        try await machine.type("pairings password --pin-source env:OFFICER --number 1 --yes", .russian)
        try await machine.type("pairings password --pin-source env:PIN")
        try await machine.type("pairings password --number 7")
        try machine.screen.expect("pairings-password")
    }

    @Test("A host that was revoked on another machine, and is told so")
    func revoked() async throws {
        let machine = try TestMachine([.bt])
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        let other = try TestMachine(sharing: machine)
        try await other.type("pair --password-source env:PASSWORD", isShown: false)
        try await other.type("pairings hosts")
        try await other.type("pairings revoke 'ann@desk kanal' --pin-source env:OFFICER --yes --json")
        try other.screen.expect("pairings-revoke-other")
        machine.reader.removeCard()
        machine.reader.insertCard()
        try await machine.type("readers")
        try await machine.type("random 1")
        try await machine.type("random 1", .russian)
        try await machine.type("info --json")
        try await machine.type("info")
        try await machine.type("", answers: [EmulatedReader.password])
        try machine.screen.expect("revoked")
    }

    @Test("pairings key and join: a second machine opens the channel without an activation")
    func key() async throws {
        let machine = try TestMachine([.bt])
        let pattern = "[A-Z2-7]{4}(-[A-Z2-7]{4}){15}"
        machine.screen.mask(pattern: pattern, as: Array(repeating: "ABCD", count: 16).joined(separator: "-"))
        try await machine.type("pairings key")
        try await machine.type("pairings join", .russian)
        machine.synchronised = machine.path("replicated")
        try await machine.type("pairings key")
        try await machine.type("pairings key", .russian)
        try await machine.type("pairings key --make --json")
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        let (_, key) = try await machine.type("pairings key")
        #expect(try String(decoding: key, as: UTF8.self).wholeMatch(of: Regex(pattern + "\n")) != nil)
        try machine.screen.expect("pairings-key")

        let other = try TestMachine(sharing: machine)
        other.screen.maskTimes()
        other.synchronised = machine.synchronised
        other.variables["KEY"] = String(decoding: key.dropLast(), as: UTF8.self)
        try await other.type("random 1")
        try await other.type("pairings join --key-source env:PIN")
        try await other.type("pairings join")
        try await other.type("pairings join", answers: [String(decoding: key, as: UTF8.self).lowercased()])
        try await other.type("pairings join --key-source env:KEY --json")
        try await other.type("pairings join --key-source env:KEY", .russian)
        try await other.type("pairings list")
        let (status, _) = try await other.type("random 8", isShown: false)
        #expect(status == .done)
        try other.screen.expect("pairings-join")
    }

    @Test("pairings join: not in place of a key that pairings are under")
    func otherKey() async throws {
        let first = try TestMachine([.bt])
        first.synchronised = first.path("replicated")
        try await first.type("pair --password-source env:PASSWORD", isShown: false)
        let second = try TestMachine(sharing: first)
        second.synchronised = second.path("replicated")
        try await second.type("pair --password-source env:PASSWORD", isShown: false)
        let (_, key) = try await first.type("pairings key", isShown: false)
        try await second.type("pairings join --key-source -", input: key)
        try await second.type("pairings join --key-source -", input: key, .russian)
        try await second.type("pairings remove 0e123456 --yes")
        try await second.type("pairings join --key-source -", input: key)
        try second.screen.expect("pairings-join-other")
    }
}
