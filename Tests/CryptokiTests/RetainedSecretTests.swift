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
            #expect(Self.isKept(text))
            #expect([UInt8](copying: secret.copy()) == Array(text.utf8))
        }
        #expect(!Self.isKept(text))
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
    private static func isKept(_ text: String) -> Bool {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        defer { close(memory) }
        var range: Range<Int>?
        for line in map().split(separator: "\n") {
            let bounds = line.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
            if bounds.count == 2 { range = bounds[0]..<bounds[1] }
            guard line.hasPrefix("VmFlags:"), line.contains(" dd"), line.contains(" wf"), let range else { continue }
            // Another test may have given its pages back in the meantime.
            var bytes = [UInt8](repeating: 0, count: range.count)
            guard unsafe pread(memory, &bytes, bytes.count, range.lowerBound) == bytes.count else { continue }
            if Data(bytes).range(of: Data(text.utf8)) != nil { return true }
        }
        return false
    }

    /// The kernel's description of this process's memory, which it gives page by page.
    private static func map() -> String {
        let file = unsafe open("/proc/self/smaps", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var (text, page) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = unsafe read(file, &page, page.count), count > 0 { text += page.prefix(count) }
        return String(decoding: text, as: UTF8.self)
    }
}
