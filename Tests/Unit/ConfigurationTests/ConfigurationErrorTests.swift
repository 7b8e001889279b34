// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import SecureChannel
import Storage
import Testing
import Token

@Suite("What is wrong in kanal.conf is said, and never lowers protection")
struct ConfigurationErrorTests {
    private func configuration(_ text: String, program: String = "program") -> Configuration {
        Configuration(system: nil, user: Array(text.utf8), program: program)
    }

    @Test(
        "An error that leaves protection or store open closes everything but lists",
        arguments: [
            "minimum_profile = best", "minimum_profile = Modern", "minimum_profile =", "require_sm = yes",
            "require_sm = on\nrequire_sm = off", "minimum_profle = modern", "require_sm", "= on", "[program]",
            "[programs x]",
            "[program x", "[]", "application = a/b", "application = .x", "application = ..",
            "application = \(String(repeating: "a", count: 65))", "group = a, b/c", "group = ,", "group = é",
            "synchronised = here", "synchronised = ~user/x", "application = a\ngroup = b",
            "group = a\nsynchronised = /b",
        ])
    func closing(_ text: String) {
        let configuration = configuration("reconnect_window = 3\n" + text)
        #expect(configuration.isClosed)
        #expect(configuration.policy.minimumProfile == .modern)
        #expect(configuration.policy.requireSM)
        #expect(configuration.policy.pinRetention == .none)
        #expect(configuration.location(data: "/d", home: "/h") == .unusable(.denied(.configuration)))
        #expect(configuration.remarks.contains { $0.isError })
        #expect(configuration.policy.reconnectWindow == 3)
    }

    @Test("An error elsewhere takes the default, or the stricter value; all other lines count")
    func open() {
        let configuration = configuration(
            """
            reconnect_window = 3601
            reconnect_window_wired = -1
            pin_retention = forever
            plain_login = both
            hide_keys = all
            cache = all
            minimum_profile = modern
            pin_pad = no
            """)
        #expect(!configuration.isClosed)
        #expect(configuration.policy.reconnectWindow == 20)
        #expect(configuration.policy.reconnectWindowWired == 0)
        #expect(configuration.policy.pinRetention == .none)
        #expect(configuration.policy.plainLogin == .reset)
        #expect(configuration.policy.hiddenKeys.isEmpty && !configuration.policy.cachesObjects)
        #expect(configuration.policy.minimumProfile == .modern)
        #expect(configuration.policy.usesPINPads)
        #expect(configuration.remarks.map(\.line) == [1, 2, 3, 4, 5, 6, 8])
    }

    @Test("A second line, or a wrong one of a program, does not leave a laxer value in force")
    func laxerBefore() {
        let second = configuration(
            """
            plain_bluetooth = on
            plain_login = sticky
            reconnect_window = 3600
            reconnect_window_wired = 3600
            plain_bluetooth = off
            plain_login = reset
            reconnect_window = 30
            reconnect_window_wired = 0
            """
        ).policy
        #expect(!second.plainBluetooth && second.plainLogin == .reset)
        #expect(second.reconnectWindow == 20 && second.reconnectWindowWired == 0)
        let wrong = configuration(
            "plain_bluetooth = on\nplain_login = sticky\n[program program]\nplain_bluetooth = of\nplain_login = rest"
        ).policy
        #expect(!wrong.plainBluetooth && wrong.plainLogin == .reset)
    }

    @Test("A message names file, line, key and value, and what is allowed")
    func messages() {
        let messages = configuration(
            "\n\nminimum_profile = best\ncolour = red\nreconnect_window = 1\nreconnect_window = 2"
        )
        .remarks.map(\.description)
        #expect(
            messages.contains(
                "~/.config/kanal/kanal.conf:3: minimum_profile: \"best\" is not allowed; allowed: classic, modern"))
        #expect(messages.contains("~/.config/kanal/kanal.conf:6: reconnect_window is also set in line 5"))
        #expect(
            messages.contains {
                $0.hasPrefix("~/.config/kanal/kanal.conf:4: unknown key \"colour\"; allowed are application, group,")
            })
    }

    @Test("A key that is spelled wrong: the message names the nearest")
    func nearest() {
        let remarks = configuration("require_mm = on\npin_retension = none").remarks.map(\.description)
        #expect(
            remarks == [
                "~/.config/kanal/kanal.conf:1: unknown key \"require_mm\"; did you mean require_sm?",
                "~/.config/kanal/kanal.conf:2: unknown key \"pin_retension\"; did you mean pin_retention?",
            ])
    }

    @Test("Of two stores in one place the message names the second's line")
    func twoStores() {
        let remark = configuration("\ngroup = a\n\napplication = b").remarks.first
        #expect(remark?.description == "~/.config/kanal/kanal.conf:4: application and group exclude each other")
    }

    @Test("An error in another program's section is no matter of this one")
    func otherProgram() {
        let text = "[program other]\nminimum_profile = best\nminimum_profle = modern\nnonsense"
        #expect(!configuration(text).isClosed)
        #expect(configuration(text, program: "other").isClosed)
        #expect(configuration(text).remarks.map(\.line) == [3, 4])
    }

    @Test("What is not text in UTF-8 is refused; no content makes a parser fail")
    func anything() {
        #expect(Configuration(system: nil, user: [0xFF, 0xFE], program: "p").isClosed)
        var random = SystemRandomNumberGenerator()
        let words = [
            "group", "=", " ", "\n", "#", "[", "]", "program", "p", ",", "require_sm", "on", "\0", "é", "\r\n",
        ]
        for _ in 0..<2000 {
            let text = (0..<20).map { _ in words.randomElement(using: &random) ?? "" }.joined()
            _ = Configuration(system: Array(text.utf8), user: Array(text.utf8.dropLast()), program: "p")
        }
    }

    @Test("A file that others can write, or that cannot be read, closes; one that is missing says nothing")
    func files() throws {
        let folder = "/tmp/kanal-conf-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/kanal.conf"
        func read() throws -> Configuration { try Configuration(reading: folder + "/none", user: path, program: "p") }
        #expect(try read() == Configuration())
        try Data("reconnect_window = 9".utf8).write(to: URL(filePath: path))
        for (mode, isClosed) in [(0o600, false), (0o644, false), (0o664, true), (0o646, true)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(try read().isClosed == isClosed)
            #expect(try read().policy.reconnectWindow == (isClosed ? 20 : 9))
        }
        #expect(try read().remarks.map(\.description) == ["\(path): cannot be read: group or others can change it"])
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: path)
        #expect(try Configuration(reading: folder + "/link", user: nil, program: "p").policy.reconnectWindow == 9)
        try Data(repeating: 0x0A, count: 70_000).write(to: URL(filePath: path))
        #expect(try read().isClosed)
        #expect(try Configuration(reading: folder, user: nil, program: "p").isClosed)
        if geteuid() == 0 {
            #expect(unsafe chown(path, 12_345, 12_345) == 0)
            #expect(try read().isClosed)
        }
    }
}
