// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalCommand
import KanalKit
import TestSupport
import Testing

@Suite("Key containers, as commands show and use them")
struct ContainerCommandTests {
    @Test("sign: the password of a container comes from a source or the terminal; a wrong one is a wrong password")
    func password() async throws {
        let desk = try Desk([.lite])
        try desk.storeContainer("256-password")
        desk.variables["CONTAINER"] = "123456"
        try desk.write("content", "letter")
        let sign = "sign --pin-source env:PIN ~/letter"
        try await desk.type("\(sign) --container-password-source env:CONTAINER")
        try await desk.type("\(sign) --container-password-source env:CONTAINER --cms")
        try await desk.type("\(sign) --container-password-source - -o -", input: Array("123456\n".utf8), isShown: false)
        let wrong = try await desk.type("\(sign) --container-password-source env:WRONG")
        #expect(wrong.status == .wrongPIN)
        try await desk.type("\(sign) --container-password-source env:WRONG --cms", .russian)
        try await desk.type("\(sign) --container-password-source env:NOWHERE")
        try await desk.type(sign)
        try await desk.type(sign, .russian)
        try await desk.type(sign, answers: ["wrong", "123456"])
        try await desk.type("\(sign) --cms", answers: ["wrong", "123456"], .russian)
        try await desk.type(sign, answers: ["1", "2", "3"])
        try await desk.type(sign, answers: [])
        // Nothing was counted.
        let info = try await desk.type("info --json", isShown: false).output
        #expect(String(decoding: info, as: UTF8.self).split(separator: "\"triesLeft\" : 10").count == 3)
        try desk.screen.expect("container-password")
    }
}

extension Desk {
    /// Puts a container of the vectors on the first token.
    func storeContainer(
        _ id: String, in directory: UInt16 = 0x0A00, change: (inout [UInt8: [UInt8]]) -> Void = { _ in }
    ) throws {
        let vectors = try JSON(vectors: "containers.json")
        let all = vectors.containers.list + vectors.refused.list
        let vector = try #require(all.first { $0.id.text == id })
        var files: [UInt8: [UInt8]] = [:]
        for (index, name) in ["masks", "primary", "header", "masks2", "primary2", "name"].enumerated()
        where !vector.files["\(name).key"].bytes.isEmpty {
            files[UInt8(index + 1)] = vector.files["\(name).key"].bytes
        }
        change(&files)
        try reader.storeContainer(files, in: directory)
    }
}
