// SPDX-License-Identifier: Apache-2.0
import GOST
import KanalKit
import TestSupport
import Testing

@Suite("Files that are wrong on purpose end in bounded time")
struct BadFileTests {
    /// The beginning of an element whose length is not definite.
    private static func open(_ tag: UInt8, _ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in [tag, 0x80] }
    }

    private static let oid: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// A megabyte or so each: nested to any depth, without ends, with lengths beyond the file, in a million empty pieces.
    private static let shapes: [(name: String, bytes: [UInt8])] = {
        let depth = 500_000
        let nested = open(0x30, depth) + [UInt8](repeating: 0, count: 2 * depth)
        let head: [UInt8] = [0x30, 0x80] + oid + [0xA0, 0x80, 0x30, 0x80, 0x02, 0x01, 0x01, 0x31, 0x00, 0x30, 0x80]
        let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
        let empty = (0..<1_000_000).flatMap { _ -> [UInt8] in [0x04, 0x00] }
        let pieces: [UInt8] = head + data + [0xA0, 0x80, 0x24, 0x80] + empty
        return [
            ("nested", nested), ("nested, without ends", open(0x30, depth)), ("nested sets", open(0x31, depth)),
            ("nested in a message", head + open(0xA0, depth)), ("nested pieces", head + data + open(0x24, depth)),
            ("a million empty pieces", pieces), ("and their ends", pieces + [UInt8](repeating: 0, count: 12)),
            ("longer than any file", [0x30, 0x88] + [UInt8](repeating: 0x7F, count: 8) + open(0x30, 10)),
            ("a length of 2^63", [0x30, 0x88, 0x80] + [UInt8](repeating: 0, count: 7)),
            ("a length of 127 bytes", [0x30, 0xFF] + [UInt8](repeating: 0xFF, count: 127)),
            ("beyond the file", [0x30, 0x84, 0x10, 0, 0, 0] + [UInt8](repeating: 0x30, count: 1 << 20)),
            ("ends alone", [UInt8](repeating: 0, count: 1 << 20)), ("nothing", []),
        ]
    }()

    @Test("Messages, bundles, certificates and keys of all kinds are refused within two seconds", arguments: shapes)
    func refused(name: String, bytes: [UInt8]) throws {
        let clock = ContinuousClock()
        let time = clock.measure {
            #expect(throws: KanalError.self) { _ = try MessageVerifier(trusting: []).verify(bytes, content: nil) }
            #expect(throws: KanalError.self) { _ = try MessageVerifier(trusting: []).verify(bytes, content: [1]) }
            #expect(CertificateBundle.certificates(in: bytes)?.isEmpty != false)
            #expect(throws: KanalError.self) { _ = try CertificateSummary(of: bytes) }
            #expect(throws: KanalError.self) { _ = try KeyFile(bytes, password: PIN("12345678")) }
        }
        #expect(time < .seconds(2), "\(name)")
    }

    @Test("Keys, certificates and bundles with their end missing are refused, at each byte")
    func truncatedFiles() throws {
        for kind in ["key", "certificate", "certificates"] {
            for file in OtherProgramFile.all(kind) {
                let bytes = try file.bytes()
                // A file without a length would be worked on before its end is missed.
                guard bytes.count > 1, bytes[1] != 0x80 else { continue }
                for count in bytes.indices {
                    let part = Array(bytes.prefix(count))
                    let isRead =
                        switch kind {
                        case "key": (try? KeyFile(part, password: PIN(file.with))) != nil
                        case "certificate": (try? CertificateSummary(of: part)) != nil
                        default: CertificateBundle.certificates(in: part) != nil
                        }
                    #expect(!isRead, "\(file), \(count)")
                }
            }
        }
    }

    @Test("A message with its end missing is refused, at each byte", arguments: OtherProgramFile.all("message"))
    func truncated(file: OtherProgramFile) throws {
        let message = try file.bytes()
        guard message.first == 0x30 else { return }
        let verifier = MessageVerifier(trusting: [try OtherProgramFile.bytes(file.with)])
        let content = file.name.hasSuffix(".p7s") ? try OtherProgramFile.bytes("content") : nil
        for count in message.indices {
            #expect((try? verifier.verify(Array(message.prefix(count)), content: content)) == nil, "\(count)")
        }
    }
}
