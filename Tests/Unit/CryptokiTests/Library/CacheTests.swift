// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

/// A token with objects, also a private one, and a directory for its cache.
private struct Scene {
    let folder: Folder
    let token: FullToken
    let identity: String
    /// The user's pairings.
    private let pairings = Folder()

    static let secret = Array("what only User sees".utf8)
    private var isProtected: Bool { identity == "bt" }
    var path: String { folder.path + "/cache" }

    init(_ identity: String = "bt", in folder: Folder = Folder()) throws {
        self.identity = identity
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        token = try FullToken(identity, pairs: 2)
        _ = try token.other.create(
            token.otherSession,
            [
                (CKA_CLASS, CKO_DATA.bytes), (CKA_TOKEN, [1]), (CKA_PRIVATE, [1]), (CKA_LABEL, Self.secret),
                (CKA_VALUE, Self.secret),
            ])
    }

    /// The cost and the result of a new process's first search.
    ///
    /// - Parameter cache: The path of its cache; nil without one.
    func process(cache: String?, login: Bool = false) throws -> (commands: Int, objects: [Attributes]) {
        let application = Application(token.reader, store: pairings) { settings in
            settings.policy.cachesObjects = cache != nil
            settings.cache = cache
        }
        if isProtected { try application.activate() }
        let session = try application.open()
        if login { try application.logIn(session) }
        var handles: [CK_OBJECT_HANDLE] = []
        let commands = try token.cost { handles = try application.find(session) }
        return (commands, try handles.map { try application.attributes(session, of: $0) })
    }

    /// Expects a process to find the same as one without a cache.
    ///
    /// - Parameter isKnown: Whether it finds all of it in the cache.
    func expect(isKnown: Bool, at path: String? = nil, _ location: SourceLocation = #_sourceLocation) throws {
        let found = try process(cache: path ?? self.path)
        let plain = try process(cache: nil)
        #expect(found.objects == plain.objects, sourceLocation: location)
        #expect(found.commands == (isKnown ? 1 : plain.commands), sourceLocation: location)
    }

    /// The names of the files of tokens.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".cache") }.sorted()
    }

    var file: String {
        get throws { path + "/" + (try #require(try names().first)) }
    }

    var content: [UInt8] {
        get throws { Array(try Data(contentsOf: URL(filePath: file))) }
    }

    func write(_ bytes: some Sequence<UInt8>) throws {
        let handle = try #require(try FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }

    func mode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}

@Suite("What is kept of tokens on the disk", .serialized)
struct CacheTests {
    @Test("a token with a channel that was seen before is searched by one command")
    func known() throws {
        let scene = try Scene()
        try scene.expect(isKnown: false)
        try scene.expect(isKnown: true)
        // Values come there when they were read; private objects do not.
        let (commands, objects) = try scene.process(cache: scene.path, login: true)
        #expect(try objects == scene.process(cache: nil, login: true).objects)
        #expect(objects.count == 7 && commands > 1)
        try scene.expect(isKnown: true)
    }

    @Test("a card that shows the serial number and the counter of a token without a channel does not show for it later")
    func poison() throws {
        let scene = try Scene("usb"), impostor = try Scene("usb", in: scene.folder)
        _ = try scene.token.other.create(scene.token.otherSession, FullToken.certificate(8))
        _ = try impostor.token.other.create(impostor.token.otherSession, FullToken.certificate(9))
        let own = try scene.process(cache: nil).objects
        #expect(try impostor.process(cache: scene.path).objects != own)
        #expect(try scene.process(cache: scene.path).objects == own)
        #expect(!FileManager.default.fileExists(atPath: scene.path))
    }

    @Test("nothing is kept unless it is wanted")
    func off() throws {
        let scene = try Scene()
        let application = Application(scene.token.reader, store: Folder()) { $0.cache = scene.path }
        try application.activate()
        _ = try application.find(application.open())
        #expect(!FileManager.default.fileExists(atPath: scene.path))
    }

    @Test("the files are the user's alone, and nothing private is in them")
    func privacy() throws {
        let scene = try Scene()
        for login in [false, true, true] { _ = try scene.process(cache: scene.path, login: login) }
        let manager = FileManager.default
        #expect(try manager.attributesOfItem(atPath: scene.path)[.posixPermissions] as? Int == 0o700)
        for name in try manager.contentsOfDirectory(atPath: scene.path) {
            let attributes = try manager.attributesOfItem(atPath: scene.path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let digits = try #require(try scene.names().first).prefix(32)
        let cache = try #require(try SealedCache(path: scene.path, create: false, random: SystemRandom()))
        let content = try #require(cache.content(of: [UInt8](hex: String(digits))))
        func contains(_ bytes: [UInt8]) -> Bool { content.indices.contains { content[$0...].starts(with: bytes) } }
        #expect(contains(FullToken.subject))
        #expect(!contains(Scene.secret))
        // No record of a private key.
        #expect(!contains([0x50, 0x72, 0x01, 0x00]))
        #expect(try !scene.content.indices.contains { try scene.content[$0...].starts(with: FullToken.subject) })
    }

    @Test("a file that is cut, changed, empty, too long or torn counts as none, and is replaced")
    func damage() throws {
        let scene = try Scene()
        try scene.expect(isKnown: false)
        let whole = try scene.content
        var damaged: [[UInt8]] = [0, 1, 20, 60, whole.count / 2, whole.count - 1].map { Array(whole.prefix($0)) }
        for place in [0, 18, 19, 30, 60, 100, whole.count - 1] {
            var changed = whole
            changed[place] ^= 1
            damaged.append(changed)
        }
        damaged += [whole + [0], [UInt8](repeating: 0, count: whole.count), whole.reversed()]
        damaged.append([UInt8](repeating: 0x41, count: (1 << 20) + 4096))
        for content in damaged {
            try scene.write(content)
            try scene.expect(isKnown: false)
            try scene.expect(isKnown: true)
        }
    }

    @Test("an old file is found out by the token's counter")
    func old() throws {
        let scene = try Scene()
        try scene.expect(isKnown: false)
        let before = try scene.content
        _ = try scene.token.other.create(scene.token.otherSession, FullToken.certificate(9))
        #expect(try scene.process(cache: scene.path).objects == scene.process(cache: nil).objects)
        try scene.expect(isKnown: true)
        try scene.write(before)
        let (commands, objects) = try scene.process(cache: scene.path)
        let plain = try scene.process(cache: nil)
        #expect(objects == plain.objects)
        // In a channel the counter costs a round trip of its own; otherwise it comes with the first files.
        #expect(commands == plain.commands + 1)
        try scene.expect(isKnown: true)
    }

    @Test("the file of another token, and one under another user's key, count as none")
    func others() throws {
        let scene = try Scene()
        try scene.expect(isKnown: false)
        let cache = try #require(try SealedCache(path: scene.path, create: false, random: SystemRandom()))
        let other = [UInt8](repeating: 3, count: 16)
        try cache.keep([1, 2, 3], as: other)
        #expect(cache.content(of: other) == [1, 2, 3])
        let file = try scene.file
        let foreign = scene.path + "/" + other.hex + ".cache"
        try Data(scene.content).write(to: URL(filePath: foreign))
        try scene.mode(0o600, of: foreign)
        #expect(cache.content(of: other) == nil)
        try FileManager.default.removeItem(atPath: foreign)
        // Another key, and invalid ones.
        let content = try Data(contentsOf: URL(filePath: file))
        for size in [32, 31, 0] {
            #expect(
                FileManager.default.createFile(
                    atPath: scene.path + "/key", contents: Data(repeating: 7, count: size),
                    attributes: [.posixPermissions: 0o600]))
            #expect(
                FileManager.default.createFile(atPath: file, contents: content, attributes: [.posixPermissions: 0o600]))
            try scene.expect(isKnown: false)
            try scene.expect(isKnown: true)
        }
    }

    @Test("a file or directory that others can reach, or that a link leads to, is not used")
    func access() throws {
        let scene = try Scene()
        try scene.expect(isKnown: false)
        for mode in [0o640, 0o602, 0o666] {
            try scene.mode(mode, of: scene.file)
            try scene.expect(isKnown: false)
            try scene.expect(isKnown: true)
        }
        for mode in [0o750, 0o702, 0o777] {
            try scene.mode(mode, of: scene.path)
            try scene.expect(isKnown: false)
            try scene.mode(0o700, of: scene.path)
            try scene.expect(isKnown: true)
        }
        let file = try scene.file
        try FileManager.default.moveItem(atPath: file, toPath: file + ".real")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: file + ".real")
        try scene.expect(isKnown: false)
        let link = scene.folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scene.path)
        try scene.expect(isKnown: false, at: link)
    }

    @Test("where nothing can be written everything is read from the token")
    func unwritable() throws {
        let scene = try Scene()
        let file = scene.folder.path + "/file"
        #expect(FileManager.default.createFile(atPath: file, contents: Data()))
        for path in [file, file + "/cache", "/proc/kanal/cache", "/dev/full"] {
            for _ in 0..<2 { try scene.expect(isKnown: false, at: path) }
        }
    }

    @Test("processes that write at once leave one of their files")
    func writers() async throws {
        let scene = try Scene()
        let content = try scene.process(cache: nil).objects
        let identity = [UInt8](repeating: 3, count: 16)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 as Range<UInt8> {
                let path = scene.path
                group.addTask {
                    for _ in 0..<4 {
                        let cache = try? SealedCache(path: path, create: true, random: SystemRandom())
                        try? cache?.keep([UInt8](repeating: number, count: 5000), as: identity)
                    }
                }
            }
        }
        let cache = try #require(try SealedCache(path: scene.path, create: false, random: SystemRandom()))
        let kept = try #require(cache.content(of: identity))
        #expect(kept.count == 5000 && Set(kept).count == 1)
        #expect(try scene.process(cache: scene.path).objects == content)
        try scene.expect(isKnown: true)
    }

    @Test("what is kept reads as it was written, and nothing else does")
    func encoding() throws {
        let entry: [UInt8] = [0, 2, 0x10, 0x00, 0x10, 0x01, 0, 3, 1, 2, 3]
        let closed: [UInt8] = [2, 1, 0x12, 0x34, 0, 0]
        let template: [UInt8] = [4, 1, 0x12, 0x34, 0, 1, 9]
        let whole = [0, 0, 0, 7] + entry + closed + template
        let files = try #require(KnownFiles(parsing: whole))
        #expect(KnownFiles(parsing: files.encoded) == files)
        #expect(files.encoded.count == whole.count)
        #expect(KnownFiles(parsing: Array(whole.prefix(4))) != nil)
        let ends = [4, 15, 21, 28]
        for count in 0..<whole.count where !ends.contains(count) {
            #expect(KnownFiles(parsing: Array(whole.prefix(count))) == nil)
        }
        #expect(KnownFiles(parsing: whole + [5, 0, 0, 0]) == nil)
        let many = (0..<5000).flatMap { [3, 1, UInt8($0 >> 8), UInt8($0 & 0xFF), 0, 0] as [UInt8] }
        #expect(KnownFiles(parsing: [0, 0, 0, 7] + many) == nil)
    }
}
