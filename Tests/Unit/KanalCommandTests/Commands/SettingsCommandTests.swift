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
        let desk = try Desk([.usb])
        desk.settings = configuration("# A token over the air\nrequire_mm = on\n")
        for command in ["", "info", "list --public", "readers"] {
            try await desk.type(command)
            try await desk.type(command, .russian)
        }
        try await desk.type("info --json")
        desk.settings = configuration("consent = nevr\n")
        try await desk.type("list --public")
        try await desk.type("list --public", .russian)
        desk.settings = configuration("colour = red\n")
        try await desk.type("pairings")
        let wireless = try Desk([.bt])
        wireless.settings = configuration("require_mm = on\n")
        for command in ["pair --password-source env:PASSWORD", ""] {
            #expect(try await wireless.type(command, isShown: false).status == .failed)
        }
        try desk.screen.expect("settings")
    }

    @Test("Pairings that others can read: each command that needs them names the directory, and the remedy")
    func mode() async throws {
        let desk = try Desk([.bt])
        desk.settings = Configuration()
        try await desk.type("pair --password-source env:PASSWORD", isShown: false)
        let place = desk.pairings
        desk.screen.mask(place, as: "/PAIRINGS")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place)
        try await desk.type("random 8")
        try await desk.type("list --public", .russian)
        try await desk.type("")
        try desk.screen.expect("store-mode")
    }
}
