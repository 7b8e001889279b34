// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import GOST
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("The bytes of sealed files, and a store of secrets whose process dies")
struct SecretStoreTests {
    /// A store in a folder of its own, with the secret "ann".
    private final class Example {
        let folder = "/tmp/kanal-secrets-\(UUID().uuidString)"
        let isOwn: Bool
        static let name = SecretStore.Name(service: "server", account: "ann")

        init(isOwn: Bool = false) throws {
            self.isOwn = isOwn
            let store = try open()
            try store.makeKey()
            try store.add(.of("old"), Example.name)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func open() throws -> SecretStore {
            let local = folder + "/local"
            let place =
                isOwn ? SecretStore.Place.machine(local: local) : .synchronised(folder + "/shared", local: local)
            return try #require(try SecretStore.open(place, group: "mail", create: true, random: SystemRandom()))
        }

        func value() throws -> String? {
            let store = try open()
            do throws(SecretStore.Failure) {
                return String(decoding: [UInt8](copying: try store.read(Example.name)), as: UTF8.self)
            } catch .notFound {
                return nil
            }
        }

        func content(_ name: String) throws -> [UInt8] {
            try Array(Data(contentsOf: URL(filePath: folder + "/" + name)))
        }

        /// The bytes of the one file in the replicated directory, and its name.
        func file() throws -> (name: String, bytes: [UInt8]) {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/shared")
            let name = try #require(names.first { !$0.hasPrefix(".") })
            return (name, try content("shared/" + name))
        }
    }

    /// The content of a sealed file, opened step by step as the page of the stores says.
    private func content(
        _ file: [UInt8], magic: String, label: String, key: borrowing Secret, context: [UInt8] = []
    ) throws -> (identity: [UInt8], content: [UInt8]) {
        let start = Array(magic.utf8) + [1]
        #expect(file.starts(with: start))
        let header = Array(file.prefix(start.count + 48)), seed = Array(header.dropFirst(start.count))
        let label = Array(label.utf8), authenticated = header + context
        let derived = KDF.derive(key: key.bytes, label: label.span, seed: seed.span)
        let cipher = try MGM(.kuznyechik, key: derived.bytes)
        let sealed = Array(file.dropFirst(header.count)), nonce = [UInt8](repeating: 0, count: 16)
        let content = try cipher.open(sealed.span, nonce: nonce.span, authenticating: authenticated.span)
        return (Array(seed.prefix(16)), [UInt8](copying: content))
    }

    @Test("A pairing's file is what it always was")
    func pairing() throws {
        let place = try StorePlace(.synchronised)
        let record = try place.record()
        try place.open().save(record)
        let path = try place.recordFile()
        let file = try Array(Data(contentsOf: URL(filePath: path)))
        let key = try Array(Data(contentsOf: URL(filePath: place.own + "/key")))
        let hostKey = try Array(Data(contentsOf: URL(filePath: place.own + "/host.01")))
        let opened = try content(file, magic: "Kanal sealed pairing", label: "Kanal pairing", key: Secret(copying: key))
        // A store that does not seal keeps a record as a plain file.
        let plain = try StorePlace(.own)
        try plain.open().save(record)
        let encoded = try Array(Data(contentsOf: URL(filePath: plain.recordFile())))
        var fields: [UInt8] = [0x80, 1, 1, 0x81, 4, 0, 0, 0, 1, 0x82, 0]
        fields += encoded.count < 0x80 ? [0x83, UInt8(encoded.count)] : [0x83, 0x81, UInt8(encoded.count)]
        #expect(opened.content == hostKey + fields + encoded)
        #expect(path.hasSuffix("/" + opened.identity.hex + ".pairing"))
    }

    @Test("A secret's file and the text of its key are what the page of the stores says")
    func secret() throws {
        let example = try Example(), store = try example.open()
        let (name, file) = try example.file()
        let key = try Secret(copying: example.content("local/key")), group = Array("mail".utf8)
        func derived(_ key: borrowing Secret, _ label: String, _ seed: [UInt8]) -> Secret {
            let label = Array(label.utf8)
            return KDF.derive(key: key.bytes, label: label.span, seed: seed.span)
        }
        let groupKey = derived(key, "Kanal access group", group)
        let opened = try content(
            file, magic: "Kanal sealed secret", label: "Kanal secret", key: groupKey, context: group)
        let identity = [UInt8](
            copying: derived(groupKey, "Kanal secret name", [0, 6] + Array("serverann".utf8)).extracting(0..<16))
        #expect(opened.identity == identity)
        #expect(try name == identity.hex + "." + example.content("local/machine").hex + ".secret")
        let number: [UInt8] = [4, 0, 0, 0]
        var fields: [UInt8] = [0x80, 1, 1]
        fields += [0x81] + number + [1]
        fields += [0x82] + number + [1]
        fields += [0x83, 6] + Array("server".utf8)
        fields += [0x84, 3] + Array("ann".utf8)
        fields += [0x85] + number + [3]
        let value = [0, UInt8(fields.count)] + fields + Array("old".utf8)
        #expect(opened.content == value + [UInt8](repeating: 0, count: 256 - value.count))

        let text = String(decoding: [UInt8](copying: try store.exportKey()), as: UTF8.self)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var bits = ""
        for character in text where character != "-" {
            let digits = String(try #require(alphabet.firstIndex(of: character)), radix: 2)
            bits += String(repeating: "0", count: 5 - digits.count) + digits
        }
        let bytes = stride(from: 0, to: bits.count, by: 8).compactMap { UInt8(bits.dropFirst($0).prefix(8), radix: 2) }
        let check = derived(key, "Kanal shared key", group).extracting(0..<8)
        #expect(bytes == [UInt8](copying: key) + [UInt8](copying: check))
    }

    @Test("The store has the old or the new value, and works on, wherever the process dies", arguments: [false, true])
    func death(isOwn: Bool) throws {
        let changes: [(SecretStore) throws -> Void] = [
            { try $0.update(.of("new"), Example.name) }, { try $0.delete(Example.name) },
            { try $0.add(.of("other"), SecretStore.Name(service: "server", account: "bob")) },
        ]
        for (number, change) in changes.enumerated() {
            let after = ["new", nil, "old"][number]
            for step in 0... {
                let example = try Example(isOwn: isOwn)
                fail_change(Int32(step), EIO, true)
                try? change(example.open())
                let isOver = !end_failing()
                let found = try example.value()
                #expect(found == after || !isOver && found == "old", "change \(number), step \(step)")
                if isOver { break }
                try? change(example.open())
                #expect(try example.value() == after, "change \(number), step \(step)")
                #expect(try example.open().unreadable().isEmpty)
            }
        }
    }

    @Test("A full disk ends a change with an error, and what was there is there", arguments: [false, true])
    func full(isOwn: Bool) throws {
        for step in 0... {
            let example = try Example(isOwn: isOwn)
            fail_change(Int32(step), ENOSPC, false)
            let outcome = Result { try example.open().update(.of("new"), Example.name) }
            guard end_failing() else {
                #expect(step >= 5)
                break
            }
            // A failure after the secret's own file is repaired by the next look at it.
            let isDone = (try? outcome.get()) != nil
            #expect(try isDone ? example.value() == "new" : ["old", "new"].contains(example.value()), "step \(step)")
        }
    }
}
