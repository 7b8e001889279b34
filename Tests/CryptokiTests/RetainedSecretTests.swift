import Foundation
import Secrets
import Testing

@Suite("A retained PIN (18)")
struct RetainedSecretTests {
    @Test("it lies in memory of its own that no core dump and no forked child gets, and is gone with it")
    func pages() throws {
        let text = "retained \(UUID().uuidString)"
        do {
            let secret = try Self.retained(text)
            #expect(try Self.isKept(text))
            #expect([UInt8](copying: secret.copy()) == Array(text.utf8))
        }
        #expect(try !Self.isKept(text))
    }

    @Test("any length is kept", arguments: [0, 1, 249, 4095, 4096, 5000])
    func lengths(_ count: Int) throws {
        let text = String(repeating: "x", count: count)
        #expect([UInt8](copying: try Self.retained(text).copy()) == Array(text.utf8))
    }

    private struct NoMemory: Error {}

    private static func retained(_ text: String) throws -> RetainedSecret {
        guard let secret = RetainedSecret(copying: .of(text)) else { throw NoMemory() }
        return secret
    }

    /// Whether the text is in memory that is marked neither to be dumped nor to be given to a child.
    private static func isKept(_ text: String) throws -> Bool {
        let memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem"))
        var range: Range<UInt64>?
        for line in try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8).split(separator: "\n") {
            let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
            if bounds.count == 2 { range = bounds[0]..<bounds[1] }
            guard line.hasPrefix("VmFlags:"), line.contains(" dd"), line.contains(" wf"), let range else { continue }
            try memory.seek(toOffset: range.lowerBound)
            // Another test may have given its pages back in the meantime.
            guard let bytes = try? memory.read(upToCount: range.count) else { continue }
            if bytes.range(of: Data(text.utf8)) != nil { return true }
        }
        return false
    }
}
