// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Secrets
import Terminal
import TestSupport
import Testing
import Translation

@Suite("Files of results, and sources of secrets")
struct FileTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "terminal-\(UUID().uuidString)").path

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func content(_ name: String) -> String? {
        FileManager.default.contents(atPath: folder + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }

    @Test("A result is there when it is whole, and one that is not finished leaves nothing")
    func whole() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try ResultFile(folder + "/a")
        try file.write(Array("one".utf8))
        #expect(content("a") == nil)
        try file.finish()
        #expect(content("a") == "one" && names == ["a"])
        func drop() throws {
            let file = try ResultFile(folder + "/a")
            try file.write(Array("two".utf8))
        }
        try drop()
        #expect(content("a") == "one" && names == ["a"])
        unsafe chmod(folder + "/a", 0o640)
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/a")
        let third = try ResultFile(folder + "/link")
        try third.write(Array("three".utf8))
        try third.finish()
        #expect(content("a") == "three" && names == ["a", "link"])
        let mode = try FileManager.default.attributesOfItem(atPath: folder + "/a")[.posixPermissions] as? Int
        #expect(mode == 0o640)
        let fourth = try ResultFile(folder + "/a", isPrivate: true)
        try fourth.finish()
        let after = try FileManager.default.attributesOfItem(atPath: folder + "/a")[.posixPermissions] as? Int
        #expect(after == 0o600)
    }

    @Test("What cannot be written is told by the file's name")
    func refused() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: SystemError(ENOENT, folder + "/none/a")) { try ResultFile(folder + "/none/a") }
        let full = try ResultFile("/dev/full")
        #expect(throws: SystemError(ENOSPC, "/dev/full")) { try full.write([1]) }
        #expect(SystemError(ENOSPC, "a\u{1B}b").description == "a\\u{1b}b: No space left on device")
    }

    @Test("A secret is the first line of a file, a descriptor or a variable")
    func sources() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/pin"
        for (content, secret) in [("1234\nrest", "1234"), ("1234\r\n", "1234"), ("ü ", "ü ")] {
            try content.write(toFile: path, atomically: true, encoding: .utf8)
            for text in ["file:" + path, "file://" + path, path] {
                let source = try #require(SecretSource(text))
                let read = try source.read()
                #expect([UInt8](copying: read) == Array(secret.utf8))
            }
            let descriptor = unsafe open(path, O_RDONLY)
            defer { close(descriptor) }
            let source = try #require(SecretSource("fd:\(descriptor)"))
            let read = try source.read()
            #expect([UInt8](copying: read) == Array(secret.utf8))
        }
        try "\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: SecretSource.Failure.empty(path)) { _ = try SecretSource.file(path).read() }
        try String(repeating: "1", count: 5000).write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: SecretSource.Failure.tooLong(path)) { _ = try SecretSource.file(path).read() }
        #expect(throws: SecretSource.Failure.notSet("KANAL_NONE")) {
            _ = try SecretSource.variable("KANAL_NONE").read()
        }
        #expect(throws: SecretSource.Failure.system(SystemError(ENOENT, folder + "/x"))) {
            _ = try SecretSource.file(folder + "/x").read()
        }
        #expect(SecretSource("-") == .descriptor(0))
        for text in ["", "1234", "fd:", "fd:-1", "fd:x", "env:", "env:A=B", "file:", "-:"] {
            #expect(SecretSource(text) == nil, "\(text)")
        }
    }
}
