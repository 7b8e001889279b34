// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalKit
import TestSupport
import Testing

@Suite("Key containers in folders, in Swift")
struct ContainerFolderTests {
    private static let message = Array("message".utf8)

    /// A folder with containers of the vectors.
    private static func folder(_ names: [String]) throws -> Folder {
        let folder = Folder()
        let vectors = try JSON(vectors: "containers.json").containers.list
        for name in names {
            let vector = try #require(vectors.first { $0.id.text == name })
            let path = "\(folder.path)/\(name)"
            let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: attributes)
            for file in ["masks", "primary", "header", "masks2", "primary2", "name"].map({ $0 + ".key" }) {
                let content = vector.files[file].bytes
                guard !content.isEmpty else { continue }
                try Data(content).write(to: URL(filePath: "\(path)/\(file)"))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(path)/\(file)")
            }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        return folder
    }

    @Test("Without a password a key signs without a PIN, and a PIN is refused; what would change the container, too")
    func open() async throws {
        let folder = try Self.folder(["256-plain"])
        let token = try await TokenManager(containers: [folder.path]).find()
        let information = token.information
        #expect(information.isFolder && !information.needsLogin && information.pinTriesLeft == nil)
        #expect(information.serialText.count == 16 && information.reader == "Folder \(folder.path)/256-plain")
        let details = try await token.details()
        #expect(details.userPIN == nil && details.build == nil)
        try await token.perform { session in
            let key = try #require(try session.keyPairs().first)
            #expect(!key.needsPassword)
            let signature = try session.sign(Self.message.span, with: key)
            #expect(try session.verify(signature, of: Self.message.span, with: key))
            #expect(throws: KanalError.self) { try session.delete(key) }
            let isLabelRefused = Self.isReadOnly { () throws(KanalError) in try session.setLabel("new") }
            let isKeyRefused = Self.isReadOnly { () throws(KanalError) in
                _ = try session.generateKeyPair(.gost256, id: [1], label: "new")
            }
            #expect(isLabelRefused && isKeyRefused)
        }
        await #expect {
            try await token.perform(pin: PIN("12345678")) { _ in }
        } throws: { error in
            guard case .refused("CKR_PIN_INCORRECT", _)? = error as? KanalError else { return false }
            return true
        }
    }

    private static func isReadOnly(_ body: () throws(KanalError) -> Void) -> Bool {
        do throws(KanalError) { try body() } catch {
            guard case .refused("CKR_TOKEN_WRITE_PROTECTED", _) = error else { return false }
            return true
        }
        return false
    }

    @Test("A container's password is its PIN: wrong ones are not counted")
    func password() async throws {
        let folder = try Self.folder(["256-password", "cyrillic-name"])
        let manager = try TokenManager(containers: [folder.path])
        let tokens = try await manager.allTokens()
        #expect(tokens.count == 2)
        let token = try #require(tokens.first { $0.information.needsLogin })
        for _ in 0..<12 {
            await #expect(throws: KanalError.pinIncorrect(triesLeft: nil)) {
                try await token.perform(pin: PIN("no")) { _ in }
            }
        }
        try await token.perform { session in
            let keys = try session.keyPairs()
            #expect(keys.isEmpty)
        }
        try await token.perform(pin: PIN("123456")) { session in
            let key = try #require(try session.keyPairs().first)
            #expect(!key.needsPassword)
            let signature = try session.sign(Self.message.span, with: key)
            #expect(try session.verify(signature, of: Self.message.span, with: key))
        }
        await token.forgetPIN()
        try await token.perform { session in
            let keys = try session.keyPairs()
            #expect(keys.isEmpty)
        }
    }

    @Test("A folder without containers, or that others reach, is refused by name")
    func refused() throws {
        let folder = try Self.folder(["256-plain"])
        for path in [folder.path + "/none", "/nowhere"] {
            #expect {
                try TokenManager(containers: [path])
            } throws: { error in
                "\(error)".hasPrefix("there is no key container in \(path)")
            }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        #expect {
            try TokenManager(containers: [folder.path])
        } throws: { error in
            "\(error)".contains("chmod -R go=") && "\(error)".contains(folder.path)
        }
    }
}
