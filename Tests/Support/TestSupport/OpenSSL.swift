// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing

/// The program `openssl`, an independent implementation, in a folder of its own.
package final class OpenSSL: Sendable {
    private static let program = "/usr/bin/openssl"
    #if arch(arm64)
        private static let engine = "/usr/lib/aarch64-linux-gnu/engines-3/gost.so"
    #else
        private static let engine = "/usr/lib/x86_64-linux-gnu/engines-3/gost.so"
    #endif
    private static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }
    /// Whether it has the gost engine.
    package static var hasGOST: Bool { isThere && FileManager.default.fileExists(atPath: engine) }

    /// The argument of `-newkey` for a key that is made at once, where its kind does not matter: one of RSA takes a while.
    package static let p256 = "ec -pkeyopt ec_paramgen_curve:prime256v1"

    private let folder: URL

    /// Skips the test without the program.
    package init() throws {
        try Self.require()
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = """
            openssl_conf = all
            [req]
            distinguished_name = none
            [none]
            [all]
            engines = list
            [list]
            gost = gost
            [gost]
            engine_id = gost
            dynamic_path = \(Self.engine)
            default_algorithms = ALL
            """
        try write(Array((Self.hasGOST ? settings : "").utf8), "openssl.cnf")
    }

    private static func require() throws {
        guard !isThere else { return }
        #if compiler(>=6.3)
            try Test.cancel("the program openssl is missing (package openssl)")
        #else
            throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: program])
        #endif
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    package func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    package func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: name)))
    }

    /// Runs `openssl` with these words, expects success, and returns its output.
    @discardableResult
    package func run(_ words: String, environment: [String: String] = [:]) throws -> String {
        let (status, output, errors) = try status(words, environment)
        #expect(status == 0, "openssl \(words): \(errors)")
        return String(decoding: output, as: UTF8.self)
    }

    /// Whether `openssl` with these words succeeds.
    package func succeeds(_ words: String) throws -> Bool { try status(words).status == 0 }

    /// Returns the output of `openssl` with these words; nil if it fails.
    package func output(_ words: String) throws -> [UInt8]? {
        let (status, output, _) = try status(words)
        return status == 0 ? output : nil
    }

    private func status(
        _ words: String, _ environment: [String: String] = [:]
    ) throws -> (status: Int32, output: [UInt8], errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: Self.program)
        process.arguments = words.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.environment = environment.merging(["OPENSSL_CONF": folder.appending(path: "openssl.cnf").path]) { $1 }
        let errors = folder.appending(path: "errors")
        try write([], "errors")
        process.standardError = try FileHandle(forWritingTo: errors)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, [UInt8](printed), String(decoding: try read("errors"), as: UTF8.self))
    }
}

/// RSA by the openssl program.
package enum RSANumbers {
    /// A key takes long to make, and no test needs one of its own: there is one of each size.
    private static let keys = Mutex<[Int: [UInt8]]>([:])

    /// The numbers of a private key in the file key.pem: n, e, d, p, q, d modulo p − 1, d modulo q − 1, the inverse of q modulo p.
    package static func privateKey(bits: Int, by openssl: OpenSSL) throws -> [[UInt8]] {
        try write(bits: bits, by: openssl)
        let text = try openssl.run("asn1parse -in key.pem").split(separator: "\n").dropFirst()
        return text.filter { $0.contains("INTEGER") }.dropFirst().map { line in
            [UInt8](hex: String(line.split(separator: ":").last ?? ""))
        }
    }

    /// Writes a private key into the file key.pem.
    package static func write(bits: Int, by openssl: OpenSSL) throws {
        try keys.withLock { keys in
            if let key = keys[bits] { return try openssl.write(key, "key.pem") }
            try openssl.run("genrsa -traditional -out key.pem \(bits)")
            keys[bits] = try openssl.read("key.pem")
        }
    }
}
