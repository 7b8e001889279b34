// SPDX-License-Identifier: Apache-2.0
import Foundation
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

@Suite("The key of a synchronised store, on its way to another machine")
struct PairingKeyTests {
    private static func key(of place: StorePlace, create: Bool = true) throws -> PairingKey {
        try PairingKey(of: place.location, create: create, random: SystemRandom())
    }

    private static func text(of place: StorePlace) throws -> String {
        String(decoding: [UInt8](copying: try key(of: place).text()), as: UTF8.self)
    }

    private static func join(_ place: StorePlace, _ text: String) throws {
        try key(of: place).join(Secret(copying: Array(text.utf8)))
    }

    private static func content(_ place: StorePlace, _ name: String = "key") throws -> [UInt8] {
        try Array(Data(contentsOf: URL(filePath: place.own + "/" + name)))
    }

    @Test("Only a synchronised store has one", arguments: [StorePlace.Kind.own, .group])
    func otherStores(_ kind: StorePlace.Kind) throws {
        let place = try StorePlace(kind)
        #expect(throws: PairingKey.Failure.notSynchronised) { try Self.key(of: place) }
        #expect(throws: PairingKey.Failure.store(.storage(.denied(.configuration)))) {
            try PairingKey(of: .unusable(.denied(.configuration)), create: true, random: SystemRandom())
        }
    }

    @Test("It is made once, and is text of 79 characters that another machine takes in any case and spacing")
    func travel() throws {
        let first = try StorePlace(.synchronised), second = try StorePlace(.synchronised)
        #expect(throws: PairingKey.Failure.noKey) { try Self.text(of: first) }
        try Self.key(of: first).make()
        let text = try Self.text(of: first)
        try Self.key(of: first).make()
        #expect(try Self.text(of: first) == text && text.utf8.count == 79)
        let typed = " " + text.lowercased().replacing("-", with: "  ") + "\n"
        try Self.join(second, typed)
        #expect(try Self.content(second) == Self.content(first) && Self.text(of: second) == text)
        try Self.join(second, text)
        #expect(try Self.content(second) == Self.content(first))
    }

    @Test("A mistyped one, and the key of an access group, are refused, and the present one stays")
    func malformed() throws {
        let place = try StorePlace(.synchronised), other = try StorePlace(.synchronised)
        try Self.key(of: place).make()
        let former = try Self.content(place)
        try Self.key(of: other).make()
        let text = try Self.text(of: other)
        let store = try #require(
            try SecretStore.open(
                .synchronised(other.shared, local: other.own), group: "g", create: true, random: SystemRandom()))
        let ofGroup = String(decoding: [UInt8](copying: try store.exportKey()), as: UTF8.self)
        let changed = (text.hasPrefix("A") ? "B" : "A") + text.dropFirst()
        for wrong in ["", "-", changed, String(text.dropLast()), text + "A", text + text, ofGroup, "é" + text] {
            #expect(throws: PairingKey.Failure.keyMalformed, "\(wrong)") { try Self.join(place, wrong) }
        }
        #expect(try Self.content(place) == former)
    }

    @Test("A key that pairings are under is not replaced; one without pairings is, and kept beside")
    func replaced() throws {
        let first = try StorePlace(.synchronised), second = try StorePlace(.synchronised)
        try Self.key(of: first).make()
        let record = try second.record()
        try second.open().save(record)
        let text = try Self.text(of: first), former = try Self.content(second)
        #expect(throws: PairingKey.Failure.otherKey) { try Self.join(second, text) }
        #expect(try Self.content(second) == former)
        try second.open().remove(record)
        try Self.join(second, text)
        #expect(try Self.content(second) == Self.content(first))
        #expect(try Self.content(second, "key.unusable") == former)
    }

    @Test("A damaged key is told, neither made again nor shown, and replaced by another machine's")
    func damaged() throws {
        let first = try StorePlace(.synchronised), second = try StorePlace(.synchronised)
        try Self.key(of: first).make()
        try Directory(path: second.own, create: true).write("key", [1, 2, 3].span)
        _ = try Directory(path: second.shared, create: true)
        #expect(throws: PairingKey.Failure.keyDamaged) { try Self.text(of: second) }
        #expect(throws: PairingKey.Failure.keyDamaged) { try Self.key(of: second).make() }
        try Self.join(second, Self.text(of: first))
        #expect(try Self.content(second) == Self.content(first))
        #expect(try Self.content(second, "key.unusable") == [1, 2, 3])
    }

    @Test("Before anything is made there is no key, and a directory that is gone is not made again")
    func missing() throws {
        let place = try StorePlace(.synchronised)
        #expect(throws: PairingKey.Failure.noKey) { try Self.key(of: place, create: false) }
        try Self.key(of: place).make()
        try FileManager.default.removeItem(atPath: place.shared)
        #expect(throws: PairingKey.Failure.store(.storage(.notFound))) { try Self.key(of: place) }
    }
}
