// SPDX-License-Identifier: Apache-2.0
// messages: signs files of any length with a key of the token, and verifies them without it.
//
//     messages request PIN gost256|gost512|rsa|p256 FILE     makes a key pair, and a request for its certificate
//     messages import PIN CERTIFICATE                        puts the certificate onto the token
//     messages sign inside|pieces|beside PIN FILE MESSAGE    signs a file, the message with its content or beside it
//     messages verify ROOT MESSAGE CONTENT                   writes the content of a message to a file
//     messages compare ROOT MESSAGE CONTENT                  verifies a message with the content beside it
//
// Progress goes to standard output in steps of a tenth, and last the memory used.
import Glibc
import KanalKit

let words = CommandLine.arguments
guard words.count > 4 || words.count == 4 && words[1] == "import" else {
    print("messages request|import|sign|verify|compare …")
    exit(2)
}
let id: [UInt8] = [0x4D]
// Lives as long as the process: releasing it while the process ends would meet libraries that have ended.
let manager = try TokenManager()
do {
    switch words[1] {
    case "request":
        let kinds: [String: KeyKind] = [
            "gost256": .gost256, "gost512": .gost512, "rsa": .rsa(bits: 2048), "p256": .p256,
        ]
        guard let kind = kinds[words[3]] else { throw Failure("no such kind of key: \(words[3])") }
        let request = try await manager.find().perform(pin: PIN(words[2])) { session in
            for pair in try session.keyPairs() where pair.id == id { try session.delete(pair) }
            for certificate in try session.certificates() where certificate.id == id { try session.delete(certificate) }
            let pair = try session.generateKeyPair(kind, id: id, label: "messages")
            return try session.certificationRequest(for: pair, subject: [RequestField("CN", "Signer")])
        }
        try File(writing: words[4]).write(request)
    case "import":
        let value = try File(reading: words[3]).all()
        _ = try await manager.find().perform(pin: PIN(words[2])) { session in
            _ = try session.importCertificate(value, id: id, label: "messages")
        }
    case "sign":
        let token = try await manager.find()
        let certificates = try await token.perform(pin: PIN(words[3])) { session in
            _ = try session.keyPairs()
            return try session.certificates()
        }
        guard let certificate = certificates.first(where: { $0.id == id }) else {
            throw Failure("there is no certificate")
        }
        let (file, message) = (try File(reading: words[4]), try File(writing: words[5]))
        try await token.signMessage(
            of: file.source(isCounted: words[2] != "pieces"), by: certificate, isDetached: words[2] == "beside",
            output: message.write)
    case "verify", "compare":
        let verifier = MessageVerifier(trusting: [try File(reading: words[2]).all()])
        let message = try File(reading: words[3])
        let signers: [MessageSigner]
        if words[1] == "verify" {
            signers = try await verifier.verify(message.source(), output: File(writing: words[4]).write)
        } else {
            signers = try await verifier.verify(message.all(), content: File(reading: words[4]).source())
        }
        print("signers: \(signers.count)")
    default: throw Failure("no such work: \(words[1])")
    }
} catch {
    print("failed: \(error)")
    exit(1)
}
var usage = rusage()
getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
print("memory: \(usage.ru_maxrss / 1024) MiB")

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A file, closed with the process.
final class File: Sendable {
    private let descriptor: Int32

    init(reading name: String) throws {
        descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure("\(name) cannot be read") }
    }

    init(writing name: String) throws {
        descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure("\(name) cannot be written") }
    }

    /// The next bytes; nil at the end.
    func read(_ count: Int = 1 << 20) throws -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = max(0, Glibc.read(descriptor, buffer.baseAddress, count))
        }
        return bytes.isEmpty ? nil : bytes
    }

    func all() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try read() { bytes += piece }
        return bytes
    }

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure("the file cannot be written") }
            rest = rest.dropFirst(count)
        }
    }

    /// The file in pieces.
    ///
    /// - Parameter isCounted: Whether its length is known in advance.
    func source(isCounted: Bool = true) -> ByteSource {
        var status = stat()
        fstat(descriptor, &status)
        let length = Int(status.st_size)
        return ByteSource(length: isCounted ? length : nil) { done, total in
            guard let total, total > 0 else { return }
            let (tenths, before) = (10 * done / total, 10 * max(0, done - 1 << 20) / total)
            if tenths > before { print("done: \(10 * tenths) %") }
        } next: { [self] in
            try read()
        }
    }
}
