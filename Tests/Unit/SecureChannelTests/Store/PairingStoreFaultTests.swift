// SPDX-License-Identifier: Apache-2.0
import CSystem
import Foundation
import Secrets
import SecureChannel
import Storage
import TestSupport
import Testing

/// Something that changes a store which holds the record `old`.
enum StoreChange: String, CaseIterable, Sendable {
    case new, update, repair, remove, use
}

@Suite("A pairing store whose process dies, or whose disk is full, at any step of any change")
struct PairingStoreFaultTests {
    /// A place with a record, and the result of the change.
    private struct Case {
        let place: StorePlace
        let old: PairingRecord
        let change: StoreChange

        init(_ kind: StorePlace.Kind, _ change: StoreChange) throws {
            place = try StorePlace(kind)
            self.change = change
            old = try place.record(created: 10)
            try place.open().save(old)
        }

        func run() throws {
            let store = try place.open()
            switch change {
            case .new: try store.save(place.record(token: 1, created: 20))
            case .update: try store.save(place.updated(old))
            case .repair: try store.save(place.record(created: 20, index: 2))
            case .remove: try store.remove(old)
            case .use: store.markUsed(old, label: "used", at: 100)
            }
        }

        /// The contents that the store may have afterwards.
        func outcomes() throws -> [[PairingRecord]] {
            switch change {
            case .new: try [[old], [place.record(token: 1, created: 20), old]]
            case .update: try [[old], [place.updated(old)]]
            case .repair:
                // A synchronised store keeps the new pairing before it forgets the old one.
                try [[old], [place.record(created: 20, index: 2)], [place.record(created: 20, index: 2), old]]
            case .remove: [[old], []]
            case .use: [[old]]
            }
        }

        /// The temporary files that are left.
        var leftovers: [String] { place.files.keys.filter { $0.contains("/.new-") } }
    }

    @Test(
        "The store holds the old or the new state, and works on, wherever the process dies",
        arguments: StorePlace.Kind.allCases, StoreChange.allCases)
    func death(_ kind: StorePlace.Kind, _ change: StoreChange) throws {
        for step in 0... {
            let example = try Case(kind, change)
            fail_change(Int32(step), EIO, true)
            try? example.run()
            guard end_failing() else {
                #expect(step >= (change == .remove ? 2 : 5), "every change has so many steps")
                #expect(try example.place.open().records().map(\.record) == example.outcomes()[change == .use ? 0 : 1])
                break
            }
            let found = try example.place.open().records().map(\.record)
            #expect(try example.outcomes().contains(found), "step \(step)")
            try example.run()
            #expect(example.leftovers == [])
            let after = try example.place.open().records().map(\.record)
            #expect(try after == example.outcomes()[change == .use ? 0 : 1], "step \(step)")
        }
    }

    @Test(
        "The old state stays where the disk is full at any step, and the change succeeds when there is room",
        arguments: StorePlace.Kind.allCases, StoreChange.allCases)
    func full(_ kind: StorePlace.Kind, _ change: StoreChange) throws {
        for step in 0... {
            let example = try Case(kind, change)
            fail_change(Int32(step), ENOSPC, false)
            var failure: (any Error)?
            do { try example.run() } catch { failure = error }
            guard end_failing() else { break }
            if let failure = failure as? ChannelError { #expect(failure == .storage(.full)) }
            if let failure = failure as? StorageError { #expect(failure == .full) }
            let found = try example.place.open().records().map(\.record)
            #expect(try example.outcomes().contains(found), "step \(step)")
            #expect(example.leftovers == [])
            try example.run()
            let after = try example.place.open().records().map(\.record)
            #expect(try after == example.outcomes()[change == .use ? 0 : 1], "step \(step)")
        }
    }

    @Test("A host key is whole or not there, wherever the process dies", arguments: StorePlace.Kind.allCases)
    func hostKey(_ kind: StorePlace.Kind) throws {
        let host = try Host()
        for step in 0... {
            let place = try StorePlace(kind, key: false)
            /// Makes a key, and fails at the token.
            func activate() throws {
                let card = ScriptedCard()
                host.expectSlot(card)
                card.answer("6983")
                let store = try place.open()
                #expect(throws: (any Error).self) { try host.activate(over: card, random: SystemRandom(), in: store) }
            }
            fail_change(Int32(step), EIO, true)
            try? activate()
            let isReached = end_failing()
            let key = FileManager.default.contents(atPath: place.own + "/host.01")
            #expect(key == nil || key?.count == 32)
            try activate()
            let now = try #require(FileManager.default.contents(atPath: place.own + "/host.01"))
            #expect(key == nil || key == now)
            #expect(now.count == 32)
            guard isReached else { break }
        }
    }
}
