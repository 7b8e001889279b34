import APDU
import Foundation
import TestSupport
import Token

/// The public RSA operation, by the openssl program, which knows nothing of the token.
enum RSANumbers {
    struct Failure: Error {}

    /// A block, raised to the public exponent.
    static func raise(_ block: [UInt8], _ key: TokenRSAKey) throws -> [UInt8] {
        guard let modulus = key.modulus, let exponent = key.publicExponent else { throw Failure() }
        let numbers = [UInt8].object(0x30, .object(0x02, [0] + modulus) + .object(0x02, exponent))
        let info = [UInt8].object(
            0x30, [UInt8](hex: "300d06092a864886f70d0101010500") + [UInt8].object(0x03, [0x00] + numbers))
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data(info).write(to: directory.appending(path: "key"))
        try Data(block).write(to: directory.appending(path: "block"))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.currentDirectoryURL = directory
        process.arguments = [
            "pkeyutl", "-encrypt", "-pubin", "-keyform", "DER", "-inkey", "key", "-in", "block", "-pkeyopt",
            "rsa_padding_mode:none",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
        return [UInt8](result)
    }
}
