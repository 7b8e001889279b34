// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite(
    "libkanal-pkcs11.so reads kanal.conf",
    .enabled(if: Tool.libraryIsBuilt, "the library of a release build: make build"))
struct ConfigurationFileTests {
    /// The log of a program named "program" with this file of its user.
    private func log(_ text: String, variable: Bool) throws -> String {
        let home = FileManager.default.temporaryDirectory.appending(path: "kanal-\(UUID().uuidString)")
        let folder = home.appending(path: variable ? "xdg/kanal" : ".config/kanal")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let file = folder.appending(path: "kanal.conf")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        try Tool.compile("initialise.c", ["-ldl"]) { outcome, program in
            #expect(outcome.status == 0, "\(outcome.output)")
            let environment = [
                "HOME=\(home.path)", "XDG_CONFIG_HOME=\(variable ? home.path + "/xdg" : "")",
                "KANAL_LOG=\(home.path)/log",
            ]
            let run = try Tool.run(["env"] + environment + [program.path, Tool.library.path])
            #expect(run.status == 0)
        }
        return try String(contentsOf: home.appending(path: "log"), encoding: .utf8)
    }

    @Test("in XDG_CONFIG_HOME, by default ~/.config, and tells the log what is wrong", arguments: [true, false])
    func places(_ variable: Bool) throws {
        let log = try log("\nminimum_profile = best\n", variable: variable)
        #expect(log.contains("/kanal/kanal.conf:2: minimum_profile: \"best\" is not allowed; allowed: classic, modern"))
        #expect(log.contains("kanal.conf has an error"))
    }

    @Test("and knows the program by the name of its executable")
    func program() throws {
        let own = try log("[program program]\nnonsense", variable: true)
        #expect(own.contains("kanal.conf has an error"))
        let other = try log("[program other]\nnonsense", variable: true)
        #expect(!other.contains("kanal.conf has an error"))
    }
}
