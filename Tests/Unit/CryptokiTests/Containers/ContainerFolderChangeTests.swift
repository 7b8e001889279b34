// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Containers
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Locking
import Secrets
import Storage
import TestSupport
import Testing
import Token
import Tokens

@Suite("Folders with containers that are refused, or change", .serialized)
struct ContainerFolderChangeTests {
    private static let name = ContainerScene.plain

    @Test("a folder is only read: sessions for writing and formatting are refused, and session objects are allowed")
    func readOnly() throws {
        let scene = try ContainerFolderScene([Self.name, "256-password"])
        let library = scene.application.library
        #expect(try scene.slots() == [0, 1])
        #expect(throws: CKError(CKR_TOKEN_WRITE_PROTECTED)) { try scene.application.open() }
        #expect(throws: CKError(CKR_TOKEN_WRITE_PROTECTED)) {
            let format = TokenFormat(
                securityOfficer: .init(value: .of("87654321"), minimumLength: 8, tries: 5),
                user: .init(value: .of("12345678"), minimumLength: 7, tries: 3), changePolicy: 2, label: [0x41],
                isRepair: false)
            try library.initToken(in: 0, pin: .of("87654321"), format: format, mode: 0)
        }
        let session = try scene.open(1)
        #expect(throws: CKError.sessionReadOnly) {
            try library.withSession(session) { session throws(CKError) in
                try session.setPIN(old: Secret(count: 0), new: Secret(copying: Array("new".utf8)))
            }
        }
        #expect(throws: CKError(CKR_TOKEN_WRITE_PROTECTED)) {
            try library.withSession(session) { session throws(CKError) in
                try session.setLicence(1, to: [UInt8](repeating: 0, count: 72))
            }
        }
        let key = try #require(try scene.find(CKO_PRIVATE_KEY, in: session).first)
        #expect(throws: CKError.self) {
            try library.withSession(session) { session throws(CKError) in try session.destroyObject(key) }
        }
        let state = try library.slot(0)
        #expect(state.isFolder && state.hasToken && state.reader == "Folder \(scene.root)/256-password")
        #expect(try !library.mechanisms(of: 0).isEmpty)
        #expect(try !library.mechanisms(of: 0).contains(CKM_GOSTR3410_KEY_PAIR_GEN))
    }

    @Test("folders come behind the readers, and are there when the readers' service is not")
    func besides() throws {
        let reader = try EmulatedReader(.lite)
        let scene = try ContainerFolderScene([Self.name], besides: reader)
        #expect(try scene.slots() == [0, 1])
        #expect(try scene.application.library.slot(0).reader == EmulatedReader.name)
        let session = try scene.open(1)
        let key = try #require(try scene.find(CKO_PRIVATE_KEY, in: session).first)
        #expect(try ContainerScene.isValid(try scene.sign(key, in: session)))

        let alone = try ContainerFolderScene([Self.name], besides: ServiceThatIsOff())
        #expect(try alone.slots() == [0])
        let other = try alone.open()
        let same = try #require(try alone.find(CKO_PRIVATE_KEY, in: other).first)
        #expect(try ContainerScene.isValid(try alone.sign(same, in: other)))
        let none = try ContainerFolderScene([], besides: ServiceThatIsOff())
        #expect(throws: CKError.self) { try none.slots() }
    }

    @Test(
        "a folder or file that others can reach, or that is a link, or too long, is refused with its reason",
        arguments: [0o750, 0o705, 0o720, 0o702])
    func modes(_ mode: Int) throws {
        let scene = try ContainerFolderScene([Self.name, "256-tc26-a"])
        let folder = "\(scene.root)/\(Self.name)"
        #expect(try scene.slots() == [0, 1])
        try ContainerFolderScene.setMode(mode, folder)
        #expect(try scene.slots().count == 1)
        #expect(scene.refusals.withLock { $0 } == [folder: .denied(.accessibleToOthers)])
        try ContainerFolderScene.setMode(0o700, folder)
        #expect(try scene.slots() == [0, 1])
        for file in ContainerFile.allCases {
            let path = "\(folder)/\(file.fileName)"
            try ContainerFolderScene.setMode(mode & 0o66 | 0o600, path)
            #expect(try scene.slots().count == (mode & 0o66 == 0 ? 2 : 1), "\(file)")
            try ContainerFolderScene.setMode(0o600, path)
            try FileManager.default.moveItem(atPath: path, toPath: scene.root + "/moved")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scene.root + "/moved")
            #expect(try scene.slots().count == 1, "\(file)")
            #expect(scene.refusals.withLock { $0[folder] } == .denied(.otherKind))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: scene.root + "/moved", toPath: path)
        }
        let masks = try #require(try ContainerScene.files(Self.name)[1])
        let filling = [UInt8](repeating: 0xFF, count: 65_536 - masks.count)
        try scene.write(masks + filling, to: .masks, in: Self.name)
        #expect(try scene.slots().count == 2)
        try scene.write(masks + filling + [0xFF], to: .masks, in: Self.name)
        #expect(try scene.slots().count == 1)
        #expect(scene.refusals.withLock { $0[folder] } == .tooLarge)
    }

    @Test("a link to a container is refused, and the named folder, too, if others can write to it")
    func links() throws {
        let scene = try ContainerFolderScene([Self.name])
        let link = scene.root + "/link"
        try Data().write(to: URL(fileURLWithPath: scene.root + "/a file"))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(scene.root)/\(Self.name)")
        #expect(try scene.slots().count == 1)
        #expect(scene.refusals.withLock { $0 } == [link: .denied(.otherKind)])
        try ContainerFolderScene.setMode(0o722, scene.root)
        #expect(try scene.slots().isEmpty)
        #expect(scene.refusals.withLock { $0[scene.root] } == .denied(.accessibleToOthers))
    }

    @Test("a file that is opened to others during a session is not read, and the next use works once it is closed")
    func later() throws {
        let scene = try ContainerFolderScene([Self.name])
        let session = try scene.open()
        let key = try #require(try scene.find(CKO_PRIVATE_KEY, in: session).first)
        let path = "\(scene.root)/\(Self.name)/primary.key"
        try ContainerFolderScene.setMode(0o604, path)
        #expect(throws: CKError(CKR_DEVICE_ERROR)) { try scene.sign(key, in: session) }
        try ContainerFolderScene.setMode(0o600, path)
        #expect(try ContainerScene.isValid(try scene.sign(key, in: session)))
    }

    @Test("a container that vanishes between two uses is an error, and once it is back the next use works")
    func vanishing() throws {
        let scene = try ContainerFolderScene(["no-reserve"])
        let session = try scene.open()
        let key = try #require(try scene.find(CKO_PRIVATE_KEY, in: session).first)
        for file in [ContainerFile.masks, .primary] {
            let path = "\(scene.root)/no-reserve/\(file.fileName)"
            try FileManager.default.moveItem(atPath: path, toPath: scene.root + "/moved")
            #expect(throws: CKError(CKR_DEVICE_ERROR)) { try scene.sign(key, in: session) }
            try FileManager.default.moveItem(atPath: scene.root + "/moved", toPath: path)
            #expect(try ContainerScene.isValid(try scene.sign(key, in: session), by: "no-reserve"))
        }
        let (folder, away) = (scene.root + "/no-reserve", scene.root + "-away")
        try FileManager.default.moveItem(atPath: folder, toPath: away)
        #expect(throws: CKError.self) { try scene.sign(key, in: session) }
        #expect(try scene.slots().isEmpty)
        try FileManager.default.moveItem(atPath: away, toPath: folder)
        #expect(try scene.slots() == [0])
        let again = try scene.open()
        let found = try #require(try scene.find(CKO_PRIVATE_KEY, in: again).first)
        #expect(try ContainerScene.isValid(try scene.sign(found, in: again), by: "no-reserve"))
    }

    @Test("a thousand signatures go on while masks and keys are rewritten between them")
    func rotation() throws {
        let scene = try ContainerFolderScene([Self.name])
        let files = try ContainerScene.files(Self.name)
        let session = try scene.open()
        let key = try #require(try scene.find(CKO_PRIVATE_KEY, in: session).first)
        for round in 0..<1000 {
            // Each second time the other program was interrupted after its first file.
            let number = UInt8(round % 4 < 2 ? 3 : 0)
            try scene.write(#require(files[2 + number]), to: .primary, in: Self.name)
            if round % 2 == 0 { try scene.write(#require(files[1 + number]), to: .masks, in: Self.name) }
            #expect(try ContainerScene.isValid(try scene.sign(key, in: session)))
        }
    }

    @Test("another key in the place of one that was found is not used for it")
    func replaced() throws {
        let scene = try ContainerFolderScene(["no-certificate"])
        let session = try scene.open()
        let key = try #require(try scene.find(CKO_PRIVATE_KEY, in: session).first)
        try scene.store(ContainerScene.files(Self.name), in: "no-certificate")
        #expect(throws: CKError.keyHandleInvalid) { try scene.sign(key, in: session) }
        let found = try #require(try scene.find(CKO_PRIVATE_KEY, in: session).first)
        #expect(try ContainerScene.isValid(try scene.sign(found, in: session)))
    }

    @Test("a container that is refused signs nothing, and one beside it does")
    func refused() throws {
        for vector in try JSON(vectors: "containers.json").refused.list {
            let scene = try ContainerFolderScene([Self.name])
            var files: [UInt8: [UInt8]] = [:]
            for file in ContainerFile.allCases where !vector.files[file.fileName].bytes.isEmpty {
                files[file.rawValue] = vector.files[file.fileName].bytes
            }
            try scene.store(files, in: "X")
            var valid = 0
            for slot in try scene.slots() {
                guard let session = try? scene.open(slot) else { continue }
                let password = vector.password.text ?? ""
                if slot > 0, !password.isEmpty { try? scene.application.logIn(session, password) }
                for key in try scene.find(CKO_PRIVATE_KEY, in: session) {
                    guard let signature = try? scene.sign(key, in: session) else { continue }
                    if try ContainerScene.isValid(signature) { valid += 1 }
                }
            }
            #expect(valid == 1, "\(vector.id.text ?? "")")
        }
    }
}

/// A service that is not running.
private final class ServiceThatIsOff: ReaderService {
    func readers() throws(LinkError) -> [ReaderState] { throw .noService }
    func connect(to reader: String) throws(LinkError) -> any CardLink { throw .noService }
    var obstacle: LinkError? { .noService }
}
