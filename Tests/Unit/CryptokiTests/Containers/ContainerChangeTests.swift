// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing

@Suite("Containers that another program changes", .serialized)
struct ContainerChangeTests {
    private static let name = ContainerScene.plain

    @Test("a thousand signatures go on while masks and keys are rewritten between them, and while one of both is")
    func rotation() throws {
        let scene = try ContainerScene([Self.name])
        let key = try scene.privateKey()
        let id = try scene.attributes(key)[CKA_UNIQUE_ID]
        for round in 0..<1000 {
            #expect(try scene.reader.card.rotateContainer(in: 0x0A00, isPulled: round % 4 == 2))
            let signature = try scene.sign(key, ContainerScene.digest)
            #expect(try ContainerScene.isValid(signature))
        }
        #expect(try scene.attributes(try scene.privateKey())[CKA_UNIQUE_ID] == id)
    }

    @Test("a file that is rewritten between two commands of a use gives the right signature or none", arguments: 1...9)
    func between(_ position: Int) throws {
        let scene = try ContainerScene([Self.name])
        let files = try ContainerScene.files(Self.name)
        let key = try scene.privateKey()
        _ = try scene.sign(key, ContainerScene.digest)
        let reader = scene.reader
        for number in [UInt8(1), 2] {
            let content = try #require(files[number + 3])
            reader.onResponse { count, _, response throws(LinkError) in
                // It selects the file, so that the next command reads another than it wants.
                if count == position { try? reader.card.rewrite(number, content) }
                return response
            }
            if let signature = try? scene.sign(key, ContainerScene.digest) {
                #expect(try ContainerScene.isValid(signature))
            }
            reader.onResponse(nil)
            #expect(try ContainerScene.isValid(try scene.sign(key, ContainerScene.digest)))
            try reader.card.rewriteContainer(number, #require(files[number]))
        }
    }

    @Test("with both pairs damaged a signature fails, and with the main pair whole again it succeeds")
    func bothPairs() throws {
        let scene = try ContainerScene([Self.name])
        let files = try ContainerScene.files(Self.name)
        let key = try scene.privateKey()
        let zeros = [UInt8](repeating: 0, count: 36)
        for number in [UInt8(2), 5] { try scene.reader.card.rewriteContainer(number, zeros) }
        #expect(throws: CKError(CKR_DEVICE_ERROR)) { try scene.sign(key, ContainerScene.digest) }
        try scene.reader.card.rewriteContainer(2, #require(files[2]))
        #expect(try ContainerScene.isValid(try scene.sign(key, ContainerScene.digest)))
    }

    @Test("a damaged bit of a key's file leads to the reserve, and never to another key")
    func damage() throws {
        let scene = try ContainerScene([Self.name])
        let files = try ContainerScene.files(Self.name)
        let key = try scene.privateKey()
        for number in [UInt8(1), 2] {
            let whole = try #require(files[number])
            for position in stride(from: 0, to: whole.count, by: 5) {
                var damaged = whole
                damaged[position] ^= 0x10
                try scene.reader.card.rewriteContainer(number, damaged)
                #expect(try ContainerScene.isValid(try scene.sign(key, ContainerScene.digest)), "\(number) \(position)")
            }
            try scene.reader.card.rewriteContainer(number, whole)
        }
    }

    @Test(
        "a container whose files go between two reads loses its key, and the search its objects", arguments: [1, 2, 3])
    func vanishing(_ number: UInt8) throws {
        let scene = try ContainerScene(["no-reserve"])
        let key = try scene.privateKey()
        _ = try scene.sign(key, ContainerScene.digest)
        try scene.reader.card.deleteContainer(number)
        #expect(throws: number == 3 ? CKError.keyHandleInvalid : CKError(CKR_DEVICE_ERROR)) {
            try scene.sign(key, ContainerScene.digest)
        }
        #expect(try scene.find(CKO_PRIVATE_KEY).isEmpty == (number == 3))
    }

    @Test("another key in the place of one that was found is not used for it")
    func replaced() throws {
        let scene = try ContainerScene(["no-certificate"])
        let key = try scene.privateKey()
        let other = try ContainerScene.files("256-signature")
        for number in try ContainerScene.files("no-certificate").keys { try scene.reader.card.deleteContainer(number) }
        try scene.reader.card.addFiles(other)
        #expect(throws: CKError.keyHandleInvalid) { try scene.sign(key, ContainerScene.digest) }
        let found = try scene.privateKey()
        #expect(found != key)
        let signature = try scene.sign(found, ContainerScene.digest, password: "1")
        #expect(try ContainerScene.isValid(signature, by: "256-signature"))
    }

    @Test("200 containers, with holes in their numbering, are all there, and the last one signs")
    func many() throws {
        let scene = try ContainerScene([])
        var files = try ContainerScene.files("no-certificate")
        (files[4], files[5]) = (nil, nil)
        // 3F00 is the root directory.
        let directories = (0..<201).map { 0x0A00 + UInt16($0) << 8 }.filter { $0 != 0x3F00 }
        for directory in directories { try scene.reader.card.storeContainer(files, in: directory, .exact) }
        for number in [UInt16(0), 7, 8, 150] {
            for file in files.keys { try scene.reader.card.deleteContainer(file, in: 0x0A00 + number << 8) }
        }
        let keys = try scene.application.library.withSession(scene.session) { session throws(CKError) in
            try session.findObjectsInit(Attributes(template: [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)]))
            return try session.findObjects(limit: 1000)
        }
        #expect(keys.count == 196)
        let last = try #require(keys.last)
        #expect(try ContainerScene.isValid(scene.sign(last, ContainerScene.digest), by: "no-certificate"))
    }

    @Test("a container that is refused shows no key, or a key that cannot be used, and others beside it stay")
    func refused() throws {
        let refused = try JSON(vectors: "containers.json").refused.list
        for vector in refused {
            let scene = try ContainerScene([Self.name], first: 0x0C00)
            let names = ["masks", "primary", "header", "masks2", "primary2", "name"]
            var files: [UInt8: [UInt8]] = [:]
            for (index, name) in names.enumerated() where !vector.files["\(name).key"].bytes.isEmpty {
                files[UInt8(index + 1)] = vector.files["\(name).key"].bytes
            }
            try scene.reader.card.storeContainer(files)
            var valid = 0
            for key in try scene.find(CKO_PRIVATE_KEY) {
                let needsPassword = try scene.attributes(key).bool(CKA_ALWAYS_AUTHENTICATE) == true
                guard let signature = try? scene.sign(key, ContainerScene.digest, password: needsPassword ? "no" : "")
                else { continue }
                if try ContainerScene.isValid(signature) { valid += 1 }
            }
            #expect(valid >= 1, "\(vector.id.text ?? "")")
        }
    }
}
