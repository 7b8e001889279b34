// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Foundation
import TestSupport
import Testing
import Token

@Suite("A card that wants a search to have no end")
struct SearchBudgetTests {
    /// OpenSC's list of directory files with `count` entries of one kind, each with a path of its own in 5000.
    private static func directories(_ kind: UInt8, _ count: Int) -> [UInt8] {
        (0..<count).flatMap { (number: Int) -> [UInt8] in
            let path: [UInt8] = [0x3F, 0x00, 0x50, 0x00, UInt8(0x60 + number >> 8), UInt8(number & 0xFF)]
            return [kind, 10, 0x30, 8, 0x04, 6] + path
        }
    }

    /// A directory file full of private keys without a value.
    private static func keys(_ size: Int) -> [UInt8] {
        let entry: [UInt8] = [
            0x30, 0x25, 0x30, 0x04, 0x0C, 0x02, 0x6B, 0x31, 0x30, 0x03, 0x04, 0x01, 0x01, 0xA1, 0x18, 0x30, 0x16, 0x30,
            0x10, 0x04, 0x0A, 0x3F, 0x00, 0x10, 0x00, 0x10, 0x00, 0x60, 0x02, 0x00, 0x01, 0x05, 0x00, 0x05, 0x00, 0x02,
            0x02, 0x08, 0x00,
        ]
        return (0..<size / entry.count).flatMap { _ in entry }
    }

    /// A record of a data object with many empty items.
    private static func record(_ size: Int) -> [UInt8] {
        Array("Dt".utf8) + [1, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: size / 4 * 4)
    }

    private static func index(_ magic: String, _ count: Int) -> [UInt8] {
        let files = (0..<count).map { $0 + 1 }
        let entries: [[UInt8]] = files.map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8 & 0x7F)] }
        return Array(magic.utf8) + [1, 0, 0, 1] + entries.joined()
    }

    enum Attack: CaseIterable, Sendable {
        /// OpenSC's files: many that are long, many small ones, many objects in few bytes.
        case directories, loop, objects
        /// The vendor's index and this project's.
        case index, records, annotations
        /// Files given away byte by byte.
        case trickle
    }

    private func content(_ attack: Attack) -> @Sendable ([UInt16]) -> [UInt8]? {
        { path in
            switch (attack, path) {
            case (.directories, [0x5000, 0x5031]): Self.directories(0xA0, 2700)
            case (.directories, _) where path.first == 0x5000: [UInt8](repeating: 0x30, count: 65_535)
            case (.loop, _) where path.first == 0x5000: Self.directories(0xA1, 2700)
            case (.objects, [0x5000, 0x5031]): Self.directories(0xA1, 30)
            case (.objects, _) where path.first == 0x5000: Self.keys(32_000)
            case (.index, [0x1000, 0x1001, 0x8000]): Self.index("RP", 32_000)
            case (.index, _) where path.starts(with: [0x1000, 0x1001]): Array("Pk".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]
            case (.records, [0x1000, 0x1001, 0x7E00]): Self.index("OS", 16_000)
            case (.records, _) where path.starts(with: [0x1000, 0x1001]) && path != [0x1000, 0x1001, 0x8000]:
                Self.record(32_000)
            case (.annotations, [0x1000, 0x1001, 0x7E00]): Self.index("OS", 120)
            case (.annotations, _) where path.starts(with: [0x1000, 0x1001]) && path != [0x1000, 0x1001, 0x8000]:
                Self.record(65_000)
            case (.trickle, [0x1000, 0x1001, 0x8000]): Self.index("RP", 32_000)
            default: nil
            }
        }
    }

    @Test("gets an end of it, and an error that tells what was too much", arguments: Attack.allCases)
    func attacks(_ attack: Attack) throws {
        let card = HostileCard()
        let journal = Journal()
        let application = card.application { $0.log = journal.logger }
        let session = try application.open()
        card.give(pieces: attack == .trickle ? 1 : 256, content(attack))
        let before = card.headers.count
        let start = ContinuousClock.now
        #expect(throws: CKError.deviceError) { try application.find(session) }
        #expect(card.headers.count - before <= 9000)
        #expect(card.sent <= 2 << 20)
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(journal.messages.contains { $0.contains("the token has more") })
        // The next search of the same card has the same end, and the session goes on.
        #expect(throws: CKError.deviceError) { try application.find(session) }
        card.give { _ in nil }
        _ = try application.find(session)
    }
}
