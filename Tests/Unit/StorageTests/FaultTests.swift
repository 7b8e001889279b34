// SPDX-License-Identifier: Apache-2.0
import Foundation
import Secrets
import Storage
import Testing

@Suite("Storage when processes die and disks are full")
struct FaultTests {
    let root = "/tmp/kanal-storage-\(UUID().uuidString)"

    private func entries() throws -> Set<String> { try Set(FileManager.default.contentsOfDirectory(atPath: root)) }

    @Test("A file that a killed process left half-written is not listed, and is gone after the next start")
    func leftover() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let directory = try Directory(path: root, create: true)
        try directory.write("state", [1].span)
        try Data([1, 2]).write(to: URL(filePath: root + "/.new-0123"))
        #expect(try directory.names() == ["state"])
        _ = try Directory(path: root, create: false)
        #expect(try entries() == ["state"])
    }

    @Test("A file that another process is writing is left alone")
    func busy() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        _ = try Directory(path: root, create: true)
        let file = unsafe open(root + "/.new-0123", O_RDWR | O_CREAT, 0o600)
        #expect(flock(file, LOCK_EX) == 0)
        _ = try Directory(path: root, create: false)
        #expect(try entries() == [".new-0123"])
        close(file)
        _ = try Directory(path: root, create: false)
        #expect(try entries() == [])
    }

    @Test("A full disk leaves the old content and no temporary file")
    func full() async throws {
        await #expect(processExitsWith: .success) {
            let root = "/tmp/kanal-storage-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: root) }
            let directory = try Directory(path: root, create: true)
            try directory.write("state", [1].span)
            signal(SIGXFSZ, SIG_IGN)
            var none = rlimit(rlim_cur: 4096, rlim_max: 4096)
            #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &none) == 0)
            let content = [UInt8](repeating: 2, count: 5000)
            #expect(throws: StorageError.full) { try directory.write("state", content.span) }
            #expect(try directory.read("state", limit: 10) == [1])
            #expect(try FileManager.default.contentsOfDirectory(atPath: root) == ["state"])
        }
    }

    @Test("A process killed while it writes leaves the old or the new content, never a mixture")
    func killed() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let directory = try Directory(path: root, create: true)
        try directory.write("state", [UInt8](repeating: 0, count: 100_000).span)
        unsafe setenv("KANAL_STORAGE_TEST", root, 1)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            let root = try #require(ProcessInfo.processInfo.environment["KANAL_STORAGE_TEST"])
            let directory = try Directory(path: root, create: false)
            Thread.detachNewThread {
                usleep(50_000)
                kill(getpid(), SIGKILL)
            }
            for round in 1...UInt8.max {
                try directory.write("state", [UInt8](repeating: round, count: 100_000).span)
            }
            while true { try directory.write("state", [UInt8](repeating: 0, count: 100_000).span) }
        }
        let content = try #require(try directory.read("state", limit: 100_000))
        #expect(content.count == 100_000)
        #expect(Set(content).count == 1)
        _ = try Directory(path: root, create: false)
        #expect(try entries() == ["state"])
    }
}
