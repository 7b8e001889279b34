// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Key containers in folders", .serialized)
struct FolderCommandTests {
    /// Puts the files of a vector into a folder of the user's.
    private static func store(_ name: String, in folder: String, _ machine: TestMachine) throws {
        let vectors = try JSON(vectors: "containers.json")
        let vector = try #require((vectors.containers.list + vectors.refused.list).first { $0.id.text == name })
        let path = machine.path(folder)
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for file in ["masks", "primary", "header", "masks2", "primary2", "name"].map({ $0 + ".key" }) {
            let content = vector.files[file].bytes
            guard !content.isEmpty else { continue }
            try Data(content).write(to: URL(filePath: "\(path)/\(file)"))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(path)/\(file)")
        }
    }

    @Test("--container: a key is listed and signs, with its password or without one; nothing is changed")
    func container() async throws {
        let machine = try TestMachine()
        try machine.write("A contract.\n", "text")
        machine.variables["PASSWORD"] = "123456"
        try Self.store("two-plain", in: "all/two.000", machine)
        try await machine.type("info --container ~/all")
        try await machine.type("list --container ~/all/two.000/")
        try await machine.type("list --json --container ~/all/two.000")
        try await machine.type("sign --overwrite --container ~/all ~/text")
        let keys = try JSON(vectors: "containers.json").containers.list.first { $0.id.text == "two-plain" }?.keys
        let id = try #require(keys?[0].Q.bytes.prefix(8)).map {
            String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        try await machine.type("sign --overwrite --container ~/all --key \(id.joined()) ~/text")
        try await machine.type("label --container ~/all new", .russian)
        try Self.store("256-password", in: "all/password.000", machine)
        try await machine.type("sign --overwrite --container ~/all ~/text")
        try await machine.type("list --container ~/all/password.000")
        try await machine.type("sign --overwrite --container ~/all/password.000 ~/text", answers: ["no", "123456"])
        try await machine.type("sign --overwrite --container ~/all/password.000 --pin-source env:WRONG ~/text")
        let sign = "sign --overwrite --container ~/all/password.000 ~/text"
        try await machine.type("\(sign) --container-password-source env:WRONG")
        try await machine.type("\(sign) --container-password-source env:WRONG --json", .russian)
        try await machine.type("\(sign) --container-password-source env:PASSWORD")
        try await machine.type(sign, .russian)
        try await machine.type(sign, answers: ["no", "no", "no"], .russian)
        try await machine.type("list --container ~/all/password.000 --pin-source env:WRONG")
        try await machine.type("verify --container ~/all/password.000 --pin-source env:PASSWORD ~/text")
        try machine.screen.expect("folders")
    }

    @Test("--container: a folder that is refused, and why")
    func refused() async throws {
        let machine = try TestMachine()
        try await machine.type("list --container ~/none")
        try Self.store("256-plain", in: "open", machine)
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: machine.path("open/masks.key"))
        try await machine.type("list --container ~/open")
        try await machine.type("list --container ~/open", .russian)
        try FileManager.default.createSymbolicLink(
            atPath: machine.path("link"), withDestinationPath: machine.path("open"))
        try await machine.type("list --container ~/link")
        let refused = try JSON(vectors: "containers.json").refused.list
        let damaged = try #require(refused.first { $0.reason.text == "header-code" }?.id.text)
        try Self.store(damaged, in: "damaged", machine)
        try await machine.type("list --container ~/damaged")
        try await machine.type("list --container ~/damaged", .russian)
        try machine.screen.expect("folders-refused")
    }
}
