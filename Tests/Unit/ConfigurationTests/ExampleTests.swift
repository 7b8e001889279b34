// SPDX-License-Identifier: Apache-2.0
import Configuration
import Foundation
import TestSupport
import Testing
import Token
import Translation

@Suite("The example of kanal.conf")
struct ExampleTests {
    private let text: String

    init() throws {
        let path = Project.root.appending(path: "Packaging/kanal.conf")
        text = try String(contentsOf: path, encoding: .utf8)
    }

    private func configuration(_ text: String) -> Configuration {
        Configuration(system: Array(text.utf8), user: nil, program: "p")
    }

    /// The settings that the example shows in comments: `#key = value`, without a space behind the sign.
    private var shown: [String] {
        text.prefix(upTo: text.range(of: "#[program NAME]")?.lowerBound ?? text.endIndex).split(separator: "\n")
            .compactMap { line in
                let setting = line.dropFirst()
                return line.hasPrefix("#") && setting.first?.isLetter == true ? String(setting) : nil
            }
    }

    @Test("As it is installed it says nothing")
    func silent() { #expect(configuration(text) == Configuration()) }

    @Test("Each default that it shows is the real one, and it shows every key")
    func defaults() {
        for line in shown {
            #expect(configuration(line) == Configuration(), "\(line)")
        }
        let keys = shown.map { $0.split(separator: " ")[0] }
        #expect(
            Set(keys) == [
                "application", "group", "synchronised", "secrets", "minimum_profile", "require_sm", "wireless_readers",
                "plain_bluetooth",
                "pin_retention", "pin_keyring", "reconnect_window", "reconnect_window_wired", "busy_window",
                "plain_login", "pin_pad",
                "hide_keys", "hide_gost_keys", "cache", "containers", "authenticator", "authenticator_timeout",
                "activation",
                "consent", "syslog",
            ])
        #expect(configuration("x = 1").remarks.first?.text.description.split(separator: ",").count == keys.count)
    }

    @Test("It shows each program that keys are hidden from")
    func programs() throws {
        let sections = try #require(text.range(of: "#[program NAME]\n")).upperBound
        var shown: [String: KeyFamilies] = [:], names: [String] = []
        for line in text[sections...].split(separator: "\n") where line.hasPrefix("#") {
            if let name = line.wholeMatch(of: /#\[program (.*)\]/)?.1 { names.append(String(name)) }
            guard let value = line.wholeMatch(of: /#hide_keys = (.*)/)?.1 else { continue }
            for name in names { shown[name] = configuration("hide_keys = \(value)").policy.hiddenKeys }
            names = []
        }
        #expect(shown == ProgramDefaults.hiddenKeys)
    }

    @Test("It has a section to copy")
    func section() {
        #expect(text.contains("\n#[program NAME]\n"))
        #expect(configuration("[program p]\nreconnect_window = 1").policy.reconnectWindow == 1)
    }
}
