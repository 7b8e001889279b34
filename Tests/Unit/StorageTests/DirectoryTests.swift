// SPDX-License-Identifier: Apache-2.0
import Foundation
import Secrets
import Storage
import TestSupport
import Testing

@Suite("A private directory of files that are replaced as a whole or not at all")
struct DirectoryTests {
    let root = "/tmp/kanal-storage-\(UUID().uuidString)"

    private func withDirectory(_ body: (Directory) throws -> Void) throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try body(Directory(path: root + "/a/b", create: true))
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test("Missing directories are made, every one of them closed to others")
    func parents() throws {
        try withDirectory { directory in
            #expect(try mode(root) == 0o700)
            #expect(try mode(root + "/a") == 0o700)
            #expect(try mode(directory.path) == 0o700)
            let tokens = try directory.subdirectory("tokens")
            #expect(try mode(tokens.path) == 0o700)
            #expect(tokens.path == directory.path + "/tokens")
        }
    }

    @Test("A missing directory that is not to be made is not found")
    func missing() {
        #expect(throws: StorageError.notFound) { try Directory(path: root, create: false) }
        #expect(!FileManager.default.fileExists(atPath: root))
    }

    @Test("What was written is read, replaced, listed and removed; files are closed to others")
    func roundTrip() throws {
        try withDirectory { directory in
            #expect(try directory.read("state", limit: 10) == nil)
            try directory.write("state", [1, 2, 3].span)
            try directory.write("empty", Secret(count: 0).bytes)
            #expect(try directory.read("state", limit: 3) == [1, 2, 3])
            #expect(try directory.read("empty", limit: 0) == [])
            #expect(try mode(directory.path + "/state") == 0o600)
            try directory.write("state", [4].span)
            let secret = try directory.readSecret("state", limit: 3) ?? Secret(count: 0)
            let isEqual = constantTimeEqual(secret.bytes, [4].span)
            #expect(isEqual)
            _ = try directory.subdirectory("sub")
            #expect(try directory.names() == ["empty", "state", "sub"])
            try directory.remove("state")
            try directory.remove("state")
            #expect(try directory.names() == ["empty", "sub"])
        }
    }

    @Test("A file beyond the limit is refused, not cut")
    func limit() throws {
        try withDirectory { directory in
            try directory.write("state", [1, 2, 3].span)
            #expect(throws: StorageError.tooLarge) { try directory.read("state", limit: 2) }
        }
    }

    @Test("Large contents arrive whole")
    func large() throws {
        try withDirectory { directory in
            let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try directory.write("state", content.span)
            #expect(try directory.read("state", limit: content.count) == content)
        }
    }

    @Test(
        "A name cannot leave the directory or reach its own files", arguments: ["", ".", "..", ".lock", "a/b", "a\0b"])
    func names(_ name: String) throws {
        try withDirectory { directory in
            #expect(throws: StorageError.invalidName) { try directory.read(name, limit: 1) }
            #expect(throws: StorageError.invalidName) { try directory.write(name, [1].span) }
            #expect(throws: StorageError.invalidName) { try directory.remove(name) }
            #expect(throws: StorageError.invalidName) { try directory.subdirectory(name) }
        }
    }

    @Test("A file or directory that others can reach is refused (N58)", arguments: [0o640, 0o604, 0o620, 0o601])
    func accessibleToOthers(_ bits: Int) throws {
        try withDirectory { directory in
            try directory.write("state", [1].span)
            try setMode(bits, directory.path + "/state")
            let denied = StorageError.denied(.accessibleToOthers)
            #expect(throws: denied) { try directory.read("state", limit: 1) }
            try setMode(bits | 0o100, directory.path)
            #expect(throws: denied) { try directory.names() }
            #expect(throws: denied) { try directory.write("other", [1].span) }
            #expect(throws: denied) { try directory.withLock {} }
            #expect(throws: denied) { try Directory(path: directory.path, create: true) }
            try setMode(0o700, directory.path)
        }
    }

    @Test("What belongs to another user is refused", .needsRoot)
    func otherOwner() throws {
        try withDirectory { directory in
            try directory.write("state", [1].span)
            #expect(unsafe chown(directory.path + "/state", 12_345, 12_345) == 0)
            #expect(throws: StorageError.denied(.otherOwner)) { try directory.read("state", limit: 1) }
            #expect(unsafe chown(directory.path, 12_345, 12_345) == 0)
            #expect(throws: StorageError.denied(.otherOwner)) { try directory.names() }
        }
    }

    @Test("Symbolic links are not followed; a write replaces the link, not its target")
    func links() throws {
        try withDirectory { directory in
            let other = try Directory(path: root + "/other", create: true)
            try other.write("target", [7].span)
            let files = FileManager.default
            try files.createSymbolicLink(atPath: directory.path + "/state", withDestinationPath: other.path + "/target")
            try files.createSymbolicLink(atPath: root + "/link", withDestinationPath: other.path)
            let denied = StorageError.denied(.otherKind)
            #expect(throws: denied) { try directory.read("state", limit: 1) }
            #expect(throws: denied) { try Directory(path: root + "/link", create: true) }
            try directory.write("state", [8].span)
            #expect(try other.read("target", limit: 1) == [7])
            #expect(try directory.read("state", limit: 1) == [8])
            try files.createSymbolicLink(atPath: directory.path + "/.lock", withDestinationPath: other.path + "/target")
            #expect(throws: denied) { try directory.withLock {} }
        }
    }

    @Test("A directory or a pipe in place of a file is refused, without waiting for a writer")
    func kinds() throws {
        try withDirectory { directory in
            _ = try directory.subdirectory("state")
            #expect(unsafe mkfifo(directory.path + "/pipe", 0o600) == 0)
            #expect(throws: StorageError.denied(.otherKind)) { try directory.read("state", limit: 100_000) }
            #expect(throws: StorageError.denied(.otherKind)) { try directory.read("pipe", limit: 100_000) }
        }
    }

    @Test("The lock keeps others out, ends with its holder, and passes the caller's error on")
    func lock() throws {
        struct Busy: Error, Equatable {}
        try withDirectory { directory in
            let second = try Directory(path: directory.path, create: false)
            try directory.withLock { () throws(StorageError) in
                #expect(throws: StorageError.locked) { try second.withLock(waiting: false) {} }
                #expect(throws: Busy()) {
                    try second.withLock(waiting: false, failure: { _ in Busy() }) { () throws(Busy) in }
                }
                try directory.write("state", [1].span)
            }
            #expect(throws: StorageError.full) {
                try second.withLock { () throws(StorageError) in throw .full }
            }
            #expect(try second.withLock(waiting: false) { 5 } == 5)
        }
    }

    @Test("Under the lock no increment of a counter gets lost")
    func counter() async throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        let directory = try Directory(path: root, create: true)
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        try directory.withLock { () throws(StorageError) in
                            let count = try directory.read("count", limit: 1)?.first ?? 0
                            try directory.write("count", [count + 1].span)
                        }
                    }
                }
            }
        }
        #expect(try directory.read("count", limit: 1) == [100])
    }
}
