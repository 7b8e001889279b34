// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import Storage
import Testing

@Suite("Directories of a group, and files of others in one's own")
struct AccessTests {
    let root = "/tmp/kanal-access-\(UUID().uuidString)"

    private func make(_ mode: mode_t) throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        #expect(unsafe chmod(root, mode) == 0)
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: root + "/" + name)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test("A directory of a group is never made")
    func missing() {
        #expect(throws: StorageError.notFound) { try Directory(path: root, create: true, access: .group) }
        #expect(!FileManager.default.fileExists(atPath: root))
    }

    @Test("In a directory of a group, files, the lock and subdirectories are open to the group and closed to others")
    func modes() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try make(0o2770)
        let mask = umask(0o077)
        defer { umask(mask) }
        let directory = try Directory(path: root, create: false, access: .group)
        try directory.write("state", [1].span)
        try directory.withLock {}
        let inner = try directory.subdirectory("inner")
        try inner.write("state", [2].span)
        #expect(try mode("state") == 0o660)
        #expect(try mode(".lock") == 0o660)
        #expect(try mode("inner") == 0o2770)
        #expect(try mode("inner/state") == 0o660)
        #expect(try directory.names() == ["inner", "state"])
    }

    @Test("A replicated directory is the user's alone, and the modes of its files do not count")
    func replicated() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try make(0o700)
        let directory = try Directory(path: root, create: false, access: .replicated)
        try directory.write("state", [1].span)
        #expect(unsafe chmod(root + "/state", 0o666) == 0)
        #expect(try directory.read("state", limit: 1) == [1])
        #expect(unsafe chmod(root, 0o750) == 0)
        #expect(throws: StorageError.denied(.accessibleToOthers)) { try directory.read("state", limit: 1) }
    }

    @Test("A subdirectory or lock of a group that a dying process left half-made is made by the next one")
    func halfMade() throws {
        for step in 0... {
            defer { try? FileManager.default.removeItem(atPath: root) }
            try make(0o2770)
            let directory = try Directory(path: root, create: false, access: .group)
            fail_change(Int32(step), EIO, true)
            _ = try? directory.subdirectory("inner")
            guard end_failing() else { break }
            let next = try Directory(path: root, create: false, access: .group)
            try next.subdirectory("inner").write("state", [1].span)
            #expect(try mode("inner") == 0o2770)
            #expect(try FileManager.default.contentsOfDirectory(atPath: root).sorted() == [".lock", "inner"])
        }
    }
}
