import Foundation

/// The program `openssl`, in a folder of its own.
public final class OpenSSL {
    private static let engine = "/usr/lib/x86_64-linux-gnu/engines-3/gost.so"
    /// Whether the program knows GOST.
    public static var hasGOST: Bool { FileManager.default.fileExists(atPath: engine) }

    private let folder: URL

    public init() throws {
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

    deinit { try? FileManager.default.removeItem(at: folder) }

    public func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    public func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: name)))
    }

    /// What the program said when it failed.
    public struct Failure: Error {
        let command, errors: String
    }

    /// Runs `openssl` with these words and gives what it prints.
    @discardableResult
    public func run(_ words: String) throws -> String {
        let (status, output, errors) = try status(words)
        guard status == 0 else { throw Failure(command: words, errors: errors) }
        return output
    }

    /// Whether `openssl` with these words succeeds.
    public func succeeds(_ words: String) throws -> Bool { try status(words).status == 0 }

    private func status(_ words: String) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = words.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.environment = ["OPENSSL_CONF": folder.appending(path: "openssl.cnf").path]
        let errors = folder.appending(path: "errors")
        try write([], "errors")
        process.standardError = try FileHandle(forWritingTo: errors)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            process.terminationStatus, String(decoding: text, as: UTF8.self),
            String(decoding: try read("errors"), as: UTF8.self)
        )
    }
}
