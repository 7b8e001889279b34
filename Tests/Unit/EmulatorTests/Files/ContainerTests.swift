// SPDX-License-Identifier: Apache-2.0
import Containers
import Emulator
import Foundation
import GOST
import Secrets
import Storage
import TestSupport
import Testing

@Suite("Containers on the emulated card")
struct ContainerTests {
    /// The containers whose files another program rewrites: none with a password.
    private static let rotated = [
        "256-plain", "2001-signature", "no-reserve", "512-b", "two-512", "two-plain", "card-one",
    ]

    private static func vector(_ name: String) throws -> JSON {
        try #require(try JSON(vectors: "containers.json").containers.list.first { $0.id.text == name })
    }

    /// Writes the files of a vector, and gives them to a body.
    private static func withFolder(_ name: String, _ body: (URL) throws -> Void) throws {
        let vector = try vector(name)
        let folder = URL.temporaryDirectory.appending(path: "kanal-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in ContainerFile.allCases where !vector.files[file.fileName].isNull {
            try Data(vector.files[file.fileName].bytes).write(to: folder.appending(path: file.fileName))
        }
        try body(folder)
    }

    private static func card(with name: String) throws -> EmulatedCard {
        let card = try EmulatedCard(.lite)
        try withFolder(name) { try card.store([ContainerFolder(path: $0.path)]) }
        return card
    }

    /// The first bytes of a file, read by User.
    private static func read(_ card: EmulatedCard, _ number: UInt8, asUser: Bool = true) -> String {
        if asUser { card.loginUser() }
        defer { card.send("80400000") }
        guard card.send("00A4080408100010030A000A0" + String(number) + "00").hasSuffix("9000") else { return "" }
        return card.send("00B0000000")
    }

    /// The keys in a pair of the card's files.
    private static func keys(_ card: EmulatedCard, _ pair: ContainerPair) throws -> [[UInt8]] {
        func file(_ file: ContainerFile) -> [UInt8] {
            var content: [UInt8] = []
            card.loginUser()
            card.send("00A4080408100010030A000A0" + String(file.rawValue) + "00")
            repeat {
                let offset = [UInt8(content.count >> 8), UInt8(content.count & 0xFF)].hex
                content += [UInt8](hex: card.send("00B0" + offset + "00")).dropLast(2)
            } while content.count % 256 == 0 && !content.isEmpty
            return content
        }
        let header = try ContainerHeader(file: file(.header).span)
        return try header.keys.map { key in
            let opened = try header.open(
                key.index, masks: Secret(copying: file(pair.masks)), primary: Secret(copying: file(pair.primary)),
                password: Secret(count: 0), of: pair)
            return [UInt8](copying: opened.scalar)
        }
    }

    @Test("a folder's files have a Lite's sizes and rights, and FF behind their contents")
    func arrangement() throws {
        let card = try Self.card(with: "256-plain")
        for (number, size) in [(1, 60), (2, 70), (3, 2523), (4, 60), (5, 70), (6, 300)] {
            let answer = card.send("00A4080408100010030A000A0\(number)00")
            #expect(answer.hasPrefix("62") && answer.contains("8002" + String(format: "%04x", size)))
            let access = number == 6 ? "4300020000000002" : "4302020000000002"
            #expect(answer.contains("860f" + access))
        }
        #expect(Self.read(card, 6, asUser: false).hasSuffix("9000"))
        #expect(Self.read(card, 1, asUser: false) == "6982")
        #expect(Self.read(card, 1).hasSuffix("ffffffff6282"))
        #expect(card.containerDirectories == [0x0A00])
    }

    @Test("without its main files, with a header that is none, or written by others, a folder is refused")
    func refusals() throws {
        for file in [ContainerFile.header, .masks, .primary] {
            try Self.withFolder("256-plain") { folder in
                try FileManager.default.removeItem(at: folder.appending(path: file.fileName))
                #expect(throws: EmulatorError.container(.missing(file))) { try ContainerFolder(path: folder.path) }
            }
        }
        try Self.withFolder("256-plain") { folder in
            try Data([1, 2, 3]).write(to: folder.appending(path: "header.key"))
            #expect(throws: EmulatorError.container(.damaged(.header, .encoding))) {
                try ContainerFolder(path: folder.path)
            }
        }
        try Self.withFolder("256-plain") { folder in
            let path = folder.appending(path: "masks.key").path
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
            #expect(throws: EmulatorError.self) { try ContainerFolder(path: folder.path) }
        }
    }

    @Test("masks and keys are rewritten, the keys stay, and a pull leaves the reserve", arguments: rotated)
    func rotation(_ name: String) throws {
        let card = try Self.card(with: name)
        let keys = try Self.vector(name).keys.list.map { Array($0.d.bytes.reversed()) }
        #expect(try Self.keys(card, .main) == keys)
        let hasReserve = Self.read(card, 4) != ""
        for round in 0..<12 {
            let before = [Self.read(card, 1), Self.read(card, 2), Self.read(card, 4), Self.read(card, 5)]
            let isPulled = round % 4 == 3
            #expect(try card.rotateContainer(in: 0x0A00, isPulled: isPulled) == (hasReserve || !isPulled))
            if isPulled, hasReserve {
                #expect(Self.read(card, 1) == before[0] && Self.read(card, 2) != before[1])
                #expect(throws: ContainerError.self) { try Self.keys(card, .main) }
            } else if !isPulled {
                #expect(Self.read(card, 1) != before[0] && Self.read(card, 2) != before[1])
                #expect(try Self.keys(card, .main) == keys)
            }
            #expect([Self.read(card, 4), Self.read(card, 5)] == Array(before[2...]))
            if hasReserve { #expect(try Self.keys(card, .reserve) == keys) }
        }
    }

    @Test("a container with a password is left as it is")
    func password() throws {
        let card = try Self.card(with: "256-signature")
        let before = Self.read(card, 2)
        #expect(try !card.rotateContainer(in: 0x0A00))
        #expect(Self.read(card, 2) == before)
    }
}
