import APDU
import Foundation
import TestSupport

/// The openssl program, which knows nothing of the card.
enum OpenSSL {
    /// Runs a command of openssl in a directory of its own, with these files. `@name` stands for the path of a file.
    /// Gives what it printed, or nil if it failed.
    static func run(_ arguments: [String], files: [String: [UInt8]]) throws -> [UInt8]? {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, content) in files { try Data(content).write(to: directory.appending(path: name)) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.currentDirectoryURL = directory
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? [UInt8](printed) : nil
    }

    /// A public key of RSA in DER (RFC 5280 and RFC 8017), from little-endian numbers.
    static func rsaPublicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let key = [UInt8].object(0x30, integer(modulus.reversed()) + integer(exponent.reversed()))
        return publicKey("300d06092a864886f70d0101010500", key)
    }

    /// A public key of ECDSA on P-256 in DER (RFC 5480), from X ‖ Y, both little-endian.
    static func p256PublicKey(_ point: [UInt8]) -> [UInt8] {
        publicKey(
            "301306072a8648ce3d020106082a8648ce3d030107",
            [0x04] + point.prefix(32).reversed() + point.suffix(32).reversed())
    }

    /// A signature of ECDSA in DER (RFC 3279, 2.2.3), from r ‖ s, both little-endian.
    static func signature(_ bytes: [UInt8]) -> [UInt8] {
        .object(0x30, integer(bytes.prefix(32).reversed()) + integer(bytes.suffix(32).reversed()))
    }

    private static func publicKey(_ algorithm: String, _ key: [UInt8]) -> [UInt8] {
        .object(0x30, [UInt8](hex: algorithm) + [UInt8].object(0x03, [0x00] + key))
    }

    private static func integer(_ bigEndian: [UInt8]) -> [UInt8] {
        let digits = bigEndian.drop { $0 == 0 }
        return .object(0x02, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits))
    }
}
