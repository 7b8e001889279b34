// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("What users of other modules complain about")
struct RequirementTests {
    /// Runs a program with the built library; it must succeed without a word.
    private func run(_ program: String, _ arguments: String...) throws {
        try Tool.compile(program, with: ["cc", "-std=gnu99"], ["-ldl", "-lpthread"]) { outcome, executable in
            try #require(outcome.status == 0, "\(outcome.output)")
            for argument in arguments {
                let run = try Tool.run(executable.path, Tool.library.path, argument)
                #expect(run.status == 0 && run.output.isEmpty, "\(argument): \(run.status) \(run.output)")
            }
        }
    }

    @Test(
        "R1, R2: a process ends well, whatever has ended in it before the library, and forks after it was closed",
        .enabled(if: Tool.libraryIsBuilt, "the library of a release build: make build"))
    func ends() throws {
        try run("ends.c", "never", "atexit", "destructor", "twice", "openssl", "unload", "threads")
    }

    @Test(
        "R3, R14: without an authenticator the library starts neither thread nor process, and says nothing",
        .enabled(if: Tool.libraryIsBuilt, "the library of a release build: make build"))
    func alone() throws {
        try run("ends.c", "alone")
    }

    /// A requirement's number comes before the colon in the name of a test, or of a check of bats.
    @Test("each of the 23 requirements has a test that is named after it")
    func names() throws {
        let names = try #require(FileManager.default.enumerator(atPath: Project.tests.path)).compactMap {
            $0 as? String
        }
        .filter { $0.hasSuffix("Tests.swift") || $0.hasSuffix(".bats") }
        .flatMap { try String(contentsOf: Project.tests.appending(path: $0), encoding: .utf8).split(separator: "\n") }
        .filter { $0.contains("@Test") || $0.hasPrefix("@test") || $0.hasPrefix("        \"") }
        let numbers = names.flatMap { name in
            let prefix = name.split(separator: "\"", maxSplits: 1).last.map(String.init) ?? ""
            return prefix.matches(of: /\bR([0-9]+)(?=[,:])/).compactMap { Int($0.1) }
        }
        #expect(Set(numbers) == Set(1...23))
    }
}
