// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// Runs the programs of the machine: compilers, `nm`, `readelf`, and compiled programs.
enum Tool {
    struct Outcome {
        let status: Int32
        let output: String
    }

    static let headers = Project.root.appending(path: "Include/CCryptoki").path
    static let programs = Project.tests.appending(path: "Programs/Module")

    /// The library of a release build: the file that `KANAL_MODULE` names, else the one that `make build` leaves.
    ///
    /// The debug library differs: it shares the Swift runtime and exports its symbols.
    static let library =
        ProcessInfo.processInfo.environment["KANAL_MODULE"].map { URL(filePath: $0) }
        ?? Project.root.appending(path: ".build/release/libkanal-pkcs11.so")

    static var libraryIsBuilt: Bool { FileManager.default.fileExists(atPath: library.path) }

    /// Runs `arguments` by way of `PATH`; gives the exit status, and both outputs as one text.
    static func run(_ arguments: String...) throws -> Outcome { try run(arguments) }

    static func run(_ arguments: [String]) throws -> Outcome {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }

    /// Compiles the program `name` with every warning as an error; calls `body` with the outcome and the executable.
    static func compile(
        _ name: String, with compiler: [String] = ["cc", "-std=c99"], _ options: [String] = [],
        body: (Outcome, URL) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kanal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let executable = folder.appending(path: "program")
        let strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-I\(headers)"]
        let source = programs.appending(path: name).path
        try body(run(compiler + strict + [source, "-o", executable.path] + options), executable)
    }
}
