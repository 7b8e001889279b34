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

    @Test("A result takes over modes but not the rights of its owner, and its name until then cannot be foreseen")
    func modes() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "old".write(toFile: folder + "/a", atomically: true, encoding: .utf8)
        for (before, after) in [(0o6755, 0o755), (0o600, 0o600), (0o1640, 0o640)] {
            unsafe chmod(folder + "/a", mode_t(before))
            let file = try ResultFile(folder + "/a")
            let part = try #require(names.first { $0 != "a" })
            #expect(part.hasPrefix("a.") && part.hasSuffix(".part") && !part.contains("\(getpid())"))
            var status = stat()
            unsafe stat(folder + "/" + part, &status)
            #expect(status.st_mode & 0o7777 == 0o600)
            try file.finish()
            unsafe stat(folder + "/a", &status)
            #expect(Int(status.st_mode & 0o7777) == after)
        }
        let long = String(repeating: "n", count: 255)
        try ResultFile(folder + "/" + long).finish()
        #expect(names == ["a", long])
    }

    @Test("A file that was read is not replaced, by whatever name")
    func input() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "read".write(toFile: folder + "/a", atomically: true, encoding: .utf8)
        let input = try InputFile(folder + "/a")
        try FileManager.default.linkItem(atPath: folder + "/a", toPath: folder + "/hard")
        try FileManager.default.createSymbolicLink(atPath: folder + "/soft", withDestinationPath: "a")
        for name in ["/a", "/hard", "/soft", "/./a"] {
            #expect(throws: ResultRefusal.input(folder + name)) { try ResultFile(folder + name) }
        }
        #expect(try input.all(limit: 10) == Array("read".utf8) && names == ["a", "hard", "soft"])
    }

    @Test("Each name of a file is a text of its own, whatever its bytes are")
    func fileNames() throws {
        var names: [[UInt8]] = [
            [], Array("файл.txt".utf8), [0xE4, 0xEE], [0xD1], [0xD1, 0x84, 0xD1], [0xF4, 0x8F, 0xBA, 0x80],
            [0xF4, 0x8F, 0xBB, 0xBF, 0x80], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xF0, 0x9F, 0x94, 0x91, 0xFF],
        ]
        let random = Seeded("names of files")
        for _ in 0..<2000 { names.append(try random.bytes(Int(try random.bytes(1)[0] % 12)).map { $0 == 0 ? 1 : $0 }) }
        for name in names { #expect(FileName.bytes(of: FileName.text(of: name)) == name, "\(name)") }
        #expect(Set(names.map(FileName.text)).count == Set(names).count)
        #expect(FileName.text(of: Array("файл".utf8)) == "файл")
        #expect(FileName.text(of: [0x61, 0xE4, 0x62]).shownName == "a\\xe4b")
        #expect(FileName.text(of: [0x1B, 0xE4]).printable == "\\u{1b}\\xe4")
    }

    @Test("What cannot be written is told by the file's name")
    func refused() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: SystemError(ENOENT, folder + "/none/a")) { try ResultFile(folder + "/none/a") }
        #expect(throws: SystemError(EISDIR, folder)) { try ResultFile(folder) }
        #expect(throws: SystemError(EISDIR, folder + "/")) { try ResultFile(folder + "/") }
        #expect(throws: SystemError(ENOENT, folder + "/a/")) { try ResultFile(folder + "/a/") }
        #expect(throws: SystemError(ENOENT, "")) { try ResultFile("") }
        try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: "loop")
        #expect(throws: SystemError(ELOOP, folder + "/loop")) { try ResultFile(folder + "/loop") }
        let full = try ResultFile("/dev/full")
        #expect(throws: SystemError(ENOSPC, "/dev/full")) { try full.write([1]) }
        #expect(SystemError(ENOSPC, "a\u{1B}b").description == "a\\u{1b}b: No space left on device")
    }

    @Test("A long result has all its bytes in their order, however they come, and one that is discarded leaves nothing")
    func long() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sizes = [1, 70_000, 300_000, 0, 5, 1 << 20, 200_000, 100_000, 3 << 20, 2]
        var expected: [UInt8] = []
        let (kept, dropped) = (try ResultFile(folder + "/a"), try ResultFile(folder + "/b"))
        for round in 0..<4 {
            for (number, size) in sizes.enumerated() {
                let piece = [UInt8](repeating: UInt8(16 * round + number), count: size)
                expected += piece
                try kept.write(piece)
                try dropped.write(piece)
            }
        }
        dropped.discard()
        #expect(names.count == 1 && names != ["a"])
        try kept.finish()
        #expect(names == ["a"] && FileManager.default.contents(atPath: folder + "/a") == Data(expected))
    }

    @Test("What cannot be written in the background is told with the next bytes, and at the end")
    func background() throws {
        for (size, count) in [(1, 1), (1 << 20, 1)] + Array(repeating: (1 << 18, 100), count: 100) {
            let descriptor = unsafe open("/dev/full", O_WRONLY)
            defer { close(descriptor) }
            let writer = BackgroundWriter(descriptor: descriptor)
            let piece = [UInt8](repeating: 1, count: size)
            let code = { (body: () throws -> Void) -> Int32? in
                do { try body() } catch { return (error as? SystemError)?.code }
                return nil
            }
            let atWrite = code { for _ in 0..<count { try writer.write(piece) } }
            #expect(atWrite == ENOSPC || (atWrite == nil && count == 1))
            #expect(code { try writer.finish() } == ENOSPC)
        }
    }

    @Test("That a file cannot be read or written is found before the work, and nothing is touched")
    func checked() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "read".write(toFile: folder + "/a", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(atPath: folder + "/soft", withDestinationPath: "a")
        #expect(throws: SystemError(ENOENT, folder + "/none")) { try InputFile.check(folder + "/none") }
        #expect(throws: SystemError(EISDIR, folder)) { try InputFile.check(folder) }
        for name in ["-", "/dev/null", folder + "/soft"] { try InputFile.check(name) }
        #expect(throws: SystemError(ENOTDIR, "/dev/null/a")) { try ResultFile.check("/dev/null/a", replaces: true) }
        #expect(throws: SystemError(ENOENT, "")) { try ResultFile.check("", replaces: true) }
        for path in [folder + "/none/a", folder + "/new/"] {
            #expect(throws: ResultRefusal.folderMissing(path)) { try ResultFile.check(path, replaces: true) }
        }
        #expect(throws: ResultRefusal.folder(folder)) { try ResultFile.check(folder, replaces: true) }
        #expect(throws: ResultRefusal.exists(folder + "/soft")) {
            try ResultFile.check(folder + "/soft", replaces: false)
        }
        #expect(throws: ResultRefusal.input(folder + "/soft")) {
            try ResultFile.check(folder + "/soft", replaces: true, inputs: ["-", folder + "/none", folder + "/a"])
        }
        for path in ["/dev/null", folder + "/new"] { try ResultFile.check(path, replaces: false) }
        try ResultFile.check(folder + "/soft", replaces: true)
        #expect(names == ["a", "soft"])
        // Root may write everywhere.
        guard geteuid() != 0 else { return }
        unsafe chmod(folder, 0o500)
        unsafe chmod(folder + "/a", 0)
        #expect(throws: SystemError(EACCES, folder + "/new")) { try ResultFile.check(folder + "/new", replaces: true) }
        #expect(throws: SystemError(EACCES, folder + "/a")) { try InputFile.check(folder + "/a") }
        unsafe chmod(folder, 0o700)
    }

    @Test("A secret is the first line of a file, a descriptor or a variable")
    func sources() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/pin"
        for (content, secret) in [("1234\nrest", "1234"), ("1234\r\n", "1234"), ("ü ", "ü ")] {
            try content.write(toFile: path, atomically: true, encoding: .utf8)
            for text in [
                "file:" + path, "FILE:" + path, "file://" + path, "file://LOCALHOST" + path, "file:///%2F" + path, path,
            ] {
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
        #expect(throws: SecretSource.Failure.empty(Phrase(verbatim: path))) { _ = try SecretSource.file(path).read() }
        for content in ["\n", "\r\n", "", "\nrest"] {
            try content.write(toFile: path, atomically: true, encoding: .utf8)
            let read = try SecretSource.file(path).read(canBeEmpty: true)
            #expect([UInt8](copying: read) == [])
        }
        try String(repeating: "1", count: 5000).write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: SecretSource.Failure.tooLong(Phrase(verbatim: path))) { _ = try SecretSource.file(path).read() }
        #expect(throws: SecretSource.Failure.notSet("KANAL_NONE")) {
            _ = try SecretSource.variable("KANAL_NONE").read()
        }
        #expect(throws: SecretSource.Failure.system(SystemError(ENOENT, folder + "/x"))) {
            _ = try SecretSource.file(folder + "/x").read()
        }
        #expect(SecretSource("-") == .descriptor(0))
        for text in [
            "", "1234", "fd:", "fd:-1", "fd:x", "env:", "env:A=B", "file:", "-:", "file://host/pin", "file://pin",
            "file:///%0", "file:///%00",
        ] {
            #expect(SecretSource(text) == nil, "\(text)")
        }
    }
}
