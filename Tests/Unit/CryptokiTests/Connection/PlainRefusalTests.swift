// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import SecureChannel
import Secrets
import Testing
import Token

@Suite("What keeps a token from being spoken to in plain (GSC/1, 4)")
struct PlainRefusalTests {
    /// A token on a wire that has a channel and does not ask for it.
    private static func lenient(_ identity: Identity) -> Identity {
        var identity = identity
        var offer = ChannelOffer()
        offer.policy = 0
        offer.isWireless = false
        identity.channel = offer
        return identity
    }

    /// Damage to a record's file.
    enum Damage: CaseIterable, Sendable { case cutShort, empty, changed, laterVersion, tooLong }

    private func spoil(_ file: String, _ damage: Damage) throws {
        var bytes = [UInt8](try #require(FileManager.default.contents(atPath: file)))
        switch damage {
        case .cutShort: bytes = Array(bytes.prefix(bytes.count / 2))
        case .empty: bytes = []
        case .changed: bytes[bytes.count - 1] ^= 1
        // The last byte of each format's beginning is its version.
        case .laterVersion: bytes[bytes.starts(with: Array("Kanal sealed".utf8)) ? 20 : 13] = 2
        case .tooLong: bytes += [UInt8](repeating: 0, count: 5000)
        }
        // In place, so that mode and owner stay.
        let handle = try #require(FileHandle(forWritingAtPath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(bytes))
    }

    @Test(
        "While there is a file of a record nothing goes out in plain, whatever has become of the file",
        arguments: ["own", "group", "synchronised"], Damage.allCases)
    func damagedRecord(_ kind: String, _ damage: Damage) throws {
        let folder = Folder()
        let place = folder.path + "/place"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        #expect(unsafe chmod(place, kind == "group" ? 0o2770 : 0o700) == 0)
        let location: PairingStore.Location =
            switch kind {
            case "own": .directory(place)
            case "group": .group(place)
            default: .synchronised(folder.path + "/shared", local: place)
            }
        let reader = try EmulatedReader(Self.lenient(.usb), passwords: [Application.password])
        let strict = Application(reader, store: folder) {
            $0.pairings = location
            $0.policy.requireSM = true
        }
        try strict.activate()
        let records = kind == "synchronised" ? folder.path + "/shared" : place + "/tokens"
        let names = try FileManager.default.contentsOfDirectory(atPath: records).filter { !$0.hasPrefix(".") }
        #expect(names.count == 1)
        try spoil(records + "/" + (try #require(names.first)), damage)

        for offersChannel in [true, false] {
            reader.onResponse { _, instruction, response throws(LinkError) in
                instruction == 0xCA && !offersChannel ? Response(StatusWord(0x6A88)) : response
            }
            let application = Application(reader, store: folder) { $0.pairings = location }
            #expect(throws: CKError.functionNotSupported) { try application.open() }
            #expect(reader.count(of: 0x20) == 0)
        }
        reader.onResponse(nil)
        // The user activates the token again, and no more.
        try strict.activate()
        _ = try Application(reader, store: folder) { $0.pairings = location }.open()
    }

    @Test(
        "A token that was used here stays closed when its files are deleted from the replica, or an older state comes back",
        arguments: [false, true])
    func deletedRecord(_ isRestored: Bool) throws {
        let folder = Folder()
        let shared = folder.path + "/shared"
        let location = PairingStore.Location.synchronised(shared, local: folder.path + "/local")
        let reader = try EmulatedReader(Self.lenient(.usb), passwords: [Application.password])
        let strict = Application(reader, store: folder) {
            $0.pairings = location
            $0.policy.requireSM = true
        }
        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: shared).filter { $0.hasSuffix(".pairing") }
        }
        func store() throws -> PairingStore {
            try #require(try PairingStore.open(location, create: false, random: SystemRandom()))
        }
        try strict.activate()
        var tombstones: [(String, Data?)] = []
        if isRestored {
            // Tombstones of an earlier pairing that the user has removed.
            #expect(try store().remove(serial: reader.card.serial))
            #expect(try !store().hasRecord(serial: reader.card.serial))
            tombstones = try files().map { ($0, FileManager.default.contents(atPath: shared + "/" + $0)) }
            try strict.activate()
        }
        for name in try files() { try FileManager.default.removeItem(atPath: shared + "/" + name) }
        for (name, content) in tombstones { try content?.write(to: URL(filePath: shared + "/" + name)) }

        for offersChannel in [true, false] {
            reader.onResponse { _, instruction, response throws(LinkError) in
                instruction == 0xCA && !offersChannel ? Response(StatusWord(0x6A88)) : response
            }
            let application = Application(reader, store: folder) { $0.pairings = location }
            #expect(throws: CKError.functionNotSupported) { try application.open() }
            #expect(reader.count(of: 0x20) == 0)
        }
        reader.onResponse(nil)
        // The user removes the token.
        #expect(try store().remove(serial: reader.card.serial))
        _ = try Application(reader, store: folder) { $0.pairings = location }.open()
    }

    @Test("A damaged record of one token is no matter for another", arguments: ["own", "synchronised"])
    func anotherToken(_ kind: String) throws {
        let folder = Folder()
        let location: PairingStore.Location =
            kind == "own"
            ? .directory(folder.path + "/own") : .synchronised(folder.path + "/own", local: folder.path + "/local")
        let reader = try EmulatedReader(Self.lenient(.usb), passwords: [Application.password])
        try Application(reader, store: folder) {
            $0.pairings = location
            $0.policy.requireSM = true
        }.activate()
        let records = folder.path + (kind == "own" ? "/own/tokens" : "/own")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: records).first)
        try spoil(records + "/" + name, .cutShort)
        let other = try EmulatedReader(.usb)
        let session = try Application(other, store: folder) { $0.pairings = location }.open()
        #expect(session != 0)
    }

    @Test("A contactless card is known by its answer to reset, whatever its reader is called")
    func contactlessAnswer() throws {
        let card = HostileCard(atr: [0x3B, 0x88, 0x80, 0x01] + "RtSC".utf8 + [0x77, 0x81, 0x83, 0x20, 0x6A])
        let application = card.application()
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        #expect(card.headers.allSatisfy { $0 == [0x80, 0xCA, 0x47, 0x00] })
        // By its contacts the same card answers otherwise.
        let contact = HostileCard(atr: [0x3B, 0x9C, 0x97, 0x80, 0x11, 0x40] + "RutokenECPsc".utf8 + [0xC0])
        _ = try contact.application().open()
    }

    @Test("A reader that says that it has no electrical contact with the card is wireless")
    func contactlessReader() throws {
        let card = HostileCard()
        card.isContactless = true
        let application = card.application()
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        card.isContactless = false
        _ = try card.application().open()
    }
}
