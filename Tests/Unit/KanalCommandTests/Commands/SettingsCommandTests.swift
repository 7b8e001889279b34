// SPDX-License-Identifier: Apache-2.0
import Configuration
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import Testing

@Suite("Settings and stores that are wrong")
struct SettingsCommandTests {
    private func configuration(_ text: String) -> Configuration {
        Configuration(system: nil, user: Array(text.utf8), program: "kanal")
    }

    @Test("A wrong line of kanal.conf: each command names it, and the key that was meant")
    func line() async throws {
        let machine = try TestMachine([.usb])
        machine.settings = configuration("# A token over the air\nrequire_mm = on\n")
        for command in ["", "info", "list --public", "readers"] {
            try await machine.type(command)
            try await machine.type(command, .russian)
        }
        try await machine.type("info --json")
        machine.settings = configuration("consent = nevr\n")
        try await machine.type("list --public")
        try await machine.type("list --public", .russian)
        machine.settings = configuration("colour = red\n")
        try await machine.type("pairings")
        let wireless = try TestMachine([.bt])
        wireless.settings = configuration("require_mm = on\n")
        for command in ["pair --password-source env:PASSWORD", ""] {
            #expect(try await wireless.type(command, isShown: false).status == .failed)
        }
        try machine.screen.expect("settings")
    }

    @Test("Pairings that others can read: each command that needs them names the directory, and the remedy")
    func mode() async throws {
        let machine = try TestMachine([.bt])
        machine.settings = Configuration()
        try await machine.type("pair --password-source env:PASSWORD", isShown: false)
        let place = machine.pairings
        machine.screen.mask(place, as: "/PAIRINGS")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
        try await machine.type("random 8")
        try await machine.type("list --public", .russian)
        try await machine.type("")
        try machine.screen.expect("store-mode")
    }
}
