// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalCommand
import Testing

// The parser keeps the shell of its last script for the whole process.
@Suite("The command line itself", .serialized)
struct HelpTests {
    /// A command as the parser describes it.
    private struct Description: Decodable {
        let commandName: String
        let subcommands: [Description]?

        /// The names of the command and all below it, each with those above.
        func paths(below path: String = "") -> [String] {
            [path]
                + (subcommands ?? []).filter { $0.commandName != "help" }.flatMap { below in
                    below.paths(below: path.isEmpty ? below.commandName : "\(path) \(below.commandName)")
                }
        }

        /// Those that have none below them.
        func leaves() -> [String] {
            let all = paths()
            return all.filter { leaf in !all.contains { $0.hasPrefix(leaf + " ") } && !leaf.isEmpty }
        }
    }

    private static func description(_ machine: TestMachine) async throws -> Description {
        struct Dump: Decodable { let command: Description }
        let output = try await machine.type("--experimental-dump-help", isShown: false).output
        return try JSONDecoder().decode(Dump.self, from: Data(output)).command
    }

    @Test("The help of every command, in English and in Russian", arguments: [Screen.Language.english, .russian])
    func help(_ language: Screen.Language) async throws {
        let machine = try TestMachine([])
        try await machine.type("--help", language)
        for path in try await Self.description(machine).paths() where !path.isEmpty {
            try await machine.type("help \(path)", language)
        }
        try machine.screen.expect(language == .english ? "help" : "help-russian")
        let name = language == .english ? "help.txt" : "help-russian.txt"
        let lines = try #require(try Screen.all()[name]).split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("  ") && $0.count > 80 } == [])
        #expect(language == .english || !lines.contains { $0.contains("default: ") })
    }

    @Test("Every subcommand has a screen of a test")
    func complete() async throws {
        let lines = Set(
            try Screen.all().filter { !$0.key.hasPrefix("help") }.values.flatMap { $0.split(separator: "\n") }
                .compactMap { line in
                    line.hasPrefix("$ ") ? line.firstRange(of: "kanal ").map { line[$0.upperBound...] } : nil
                })
        for leaf in try await Self.description(TestMachine([])).leaves() {
            #expect(lines.contains { $0 == leaf || $0.hasPrefix(leaf + " ") }, "kanal \(leaf)")
        }
    }

    @Test("Errors of the command line, and the version")
    func errors() async throws {
        let machine = try TestMachine([])
        for line in [
            "--version", "--no-such-option", "infos", "info a b", "random", "random x", "info --json=yes",
            "label --token",
            "key generate --kind x", "authorize",
        ] {
            try await machine.type(line)
            try await machine.type(line, .russian)
        }
        machine.screen.mask(pattern: "\\n[0-9]+\\.[0-9]+\\.[0-9]+\\n", as: "\n(version)\n")
        try machine.screen.expect("errors")
    }

    @Test("A subcommand or an option that is spelled wrong is refused with the nearest one, behind options with none")
    func misspelled() async throws {
        let machine = try TestMachine([])
        for line in [
            "lst", "sgn --cms file", "colour", "key genrate --kind x", "pin chnage -t x", "pairings lst", "--json cret",
            "list --publc", "cert request --subjct CN=Ann", "--publc list", "--token x list", "list x y z", "hepl",
            "sign --nosj x",
        ] {
            try await machine.type(line)
            try await machine.type(line, .russian)
        }
        machine.screen.mask(pattern: "! (Usage|Вызов): .*\\n!.*\\n", as: "")
        try machine.screen.expect("misspelled")
    }

    @Test("A secret in the command line is refused with the option for its place, and is not shown")
    func secrets() async throws {
        let machine = try TestMachine([])
        for line in [
            "list --pin 1234", "sign --pin=1234 x", "pin change --new-pin 1234 --json", "list -pin 1234",
            "key import --password 1234 x", "pairings join --key 1234",
            "cert request --container-password 1234",
        ] {
            try await machine.type(line)
            try await machine.type(line, .russian)
        }
        machine.screen.mask(pattern: "! (Usage|Вызов): .*\\n!.*\\n", as: "")
        try machine.screen.expect("secrets-typed")
        let shown = try #require(try Screen.all()["secrets-typed.txt"])
        #expect(shown.split(separator: "\n").allSatisfy { $0.hasPrefix("$") || !$0.contains("1234") })
    }

    @Test("completion: a script for each shell, with every command; another shell is an error")
    func completion() async throws {
        let machine = try TestMachine([])
        let names = try await Self.description(machine).leaves().compactMap { $0.split(separator: " ").last }
        for shell in ["bash", "zsh", "fish"] {
            let (status, output) = try await machine.type("completion \(shell)", isShown: false)
            let script = String(decoding: output, as: UTF8.self)
            #expect(status == .done && names.allSatisfy { script.contains($0) }, "\(shell)")
        }
        try await machine.type("completion csh")
        try await machine.type("completion csh", .russian)
        try await machine.type("completion")
        try machine.screen.expect("completion")
    }

    @Test("Shells complete the forms of sources, variables and files, kinds of keys, and hosts of shares")
    func words() async throws {
        let machine = try TestMachine([])
        for shell in ["bash", "zsh", "fish"] {
            let script = String(
                decoding: try await machine.type("completion \(shell)", isShown: false).output, as: UTF8.self)
            for kind in ["gost512", "rsa2048", "signature", "admin"] {
                #expect(script.contains(kind), "\(shell) \(kind)")
            }
            #expect(script.contains("kanal_whole_words") == (shell == "bash"))
            #expect(script.contains("open_completions -S '' --") == (shell == "zsh"))
        }
        try machine.write("12345678", "pin")
        try machine.write("12345678", "Pin\u{1b}")
        try FileManager.default.createDirectory(atPath: machine.path("pins"), withIntermediateDirectories: false)
        try FileManager.default.createDirectory(atPath: machine.path(".ssh"), withIntermediateDirectories: false)
        try machine.write(
            "Host server *.example !other\n  HostName 10.0.0.1\nhost lab\nHost server '$(id)'\n", ".ssh/config")
        machine.variables["HOME"] = machine.path("")
        func words(_ command: String, _ option: String, _ word: String) async throws -> [String] {
            let cursor = word.replacing("~/", with: machine.path("")).count
            let line = "---completion \(command) -- \(option) 3 \(cursor) kanal \(command) \(option) \(word)"
            let output = try await machine.type(line, isShown: false).output
            return String(decoding: output, as: UTF8.self).split(separator: "\n").map {
                String($0).replacing(machine.path(""), with: "~/")
            }
        }
        let forms = ["file:", "env:", "fd:", "-"]
        #expect(try await words("list", "--pin-source", "f") == forms + ["authenticator"])
        #expect(try await words("pair", "--password-source", "f") == forms)
        #expect(try await words("list", "--pin-source", "env:P").contains("env:PIN"))
        #expect(try await words("list", "--pin-source", "file:~/p") == ["file:~/pin", "file:~/pins/"])
        #expect(try await words("list", "--pin-source", "~/p") == ["~/pin", "~/pins/"])
        #expect(try await words("list", "--pin-source", "~/none/").isEmpty)
        #expect(try await words("share", "--host", "1").first == "127.0.0.1")
        let tunnels = ["server", "lab"].map { "ssh \($0) kanal share --far-end" }
        #expect(try await words("share", "--tunnel", "s") == tunnels)
    }
}
