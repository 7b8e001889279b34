import Foundation
import GOST
import Secrets
import TestSupport
import Testing

/// The program `openssl` with the gost engine, in a folder of its own.
final class Engine {
    private static let library = "/usr/lib/x86_64-linux-gnu/engines-3/gost.so"
    static var isInstalled: Bool { FileManager.default.fileExists(atPath: library) }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let settings = """
            openssl_conf = all
            [all]
            engines = list
            [list]
            gost = gost
            [gost]
            engine_id = gost
            dynamic_path = \(Self.library)
            default_algorithms = ALL
            """
        try write(Array(settings.utf8), "openssl.cnf")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    /// Writes a private key as PKCS #8 has it.
    func write(_ key: borrowing PrivateKey, of algorithm: PublicKeyAlgorithm, _ name: String) throws {
        let key = try PrivateKey(curve: key.curve, scalar: key.scalar.copy())
        let info = try PrivateKeyInfo(algorithm: algorithm, key: key)
        try write(info.der().array, name)
    }

    /// Writes a public key as X.509 has it.
    func write(_ key: PublicKey, of algorithm: PublicKeyAlgorithm, _ name: String) throws {
        try write(SubjectPublicKeyInfo(algorithm: algorithm, key: key).der, name)
    }

    func read(_ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appending(path: name)))
    }

    /// Reads a private key as PKCS #8 has it.
    func readPrivateKey(_ name: String) throws -> PrivateKey {
        let der = try read(name)
        let info = try PrivateKeyInfo(der: der.span)
        return try PrivateKey(curve: info.key.curve, scalar: info.key.scalar.copy())
    }

    /// Reads a public key as X.509 has it.
    func readPublicKey(_ name: String) throws -> PublicKey {
        let der = try read(name)
        return try SubjectPublicKeyInfo(der: der.span).key
    }

    /// Runs `openssl` with these words, and expects success.
    ///
    /// - Parameter sBox: The parameter set that ciphers of GOST 28147-89 take unless they bring their own.
    func run(_ words: String, sBox: SBox? = nil) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = words.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.environment = ["OPENSSL_CONF": folder.appending(path: "openssl.cnf").path]
        process.environment?["CRYPT_PARAMS"] = sBox?.name
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "openssl \(words): \(String(decoding: text, as: UTF8.self))")
    }
}

extension PublicKeyAlgorithm {
    /// The algorithm of the parameter set's own standard.
    init(of curve: Curve) {
        switch curve.coordinateSize {
        case 64: self = .gostR34102012512
        case _ where curve.name.hasPrefix("id-tc26"): self = .gostR34102012256
        default: self = .gostR34102001
        }
    }

    /// The hash code of a message with the hash function that goes with the algorithm.
    func hash(_ message: [UInt8]) -> [UInt8] {
        switch self {
        case .gostR34102001: GOSTR341194.hash(message)
        case .gostR34102012256: Streebog256.hash(message)
        case .gostR34102012512: Streebog512.hash(message)
        }
    }
}
