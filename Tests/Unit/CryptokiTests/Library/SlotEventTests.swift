// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Foundation
import Locking
import Testing
import Tokens

@Suite("C_WaitForSlotEvent", .serialized)
struct SlotEventTests {
    private static func event(_ application: Application) throws -> CK_SLOT_ID {
        try application.library.waitForSlotEvent(waits: false)
    }

    @Test("each removal and each insertion is told once, also if the card is back by the time somebody asks")
    func polling() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        #expect(throws: CKError.noEvent) { try Self.event(application) }
        reader.removeCard()
        #expect(try Self.event(application) == 0)
        #expect(throws: CKError.noEvent) { try Self.event(application) }
        reader.insertCard()
        #expect(try Self.event(application) == 0)
        reader.removeCard()
        reader.insertCard()
        #expect(try Self.event(application) == 0)
        #expect(throws: CKError.noEvent) { try Self.event(application) }
    }

    @Test("R7: slots are listed without a command to the card, and whether one is new is seen at once")
    func slots() throws {
        let reader = try EmulatedReader(.usb)
        let library = Application(reader, store: Folder()).library
        for _ in 0..<3 {
            #expect(try library.slots(tokenPresent: true, isQuery: true) == [0])
            #expect(try library.slot(0).isOccupied)
        }
        reader.removeCard()
        #expect(try library.slots(tokenPresent: true, isQuery: true) == [])
        reader.insertCard()
        // The list after a count has the counted elements.
        #expect(try library.slots(tokenPresent: true, isQuery: false) == [])
        #expect(try library.slots(tokenPresent: true, isQuery: false) == [0])
        #expect(reader.commands == 0 && reader.transactions == 0)
    }

    @Test("what a look at the slots sees is an event all the same")
    func looks() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        #expect(throws: CKError.noEvent) { try Self.event(application) }
        reader.removeCard()
        _ = try application.library.slots(tokenPresent: false, isQuery: false)
        #expect(try Self.event(application) == 0)
    }

    @Test("R8: any number of blocked calls end with an event or with the library", arguments: [true, false])
    func blocking(_ isEvent: Bool) async throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        _ = try application.library.slots(tokenPresent: false, isQuery: false)
        let results = Lock<[CKError?]>([])
        let group = DispatchGroup()
        for _ in 0..<(isEvent ? 1 : 3) {
            group.enter()
            Thread.detachNewThread {
                let result: CKError?
                do throws(CKError) {
                    _ = try application.library.waitForSlotEvent(waits: true)
                    result = nil
                } catch {
                    result = error
                }
                results.withLock { $0.append(result) }
                group.leave()
            }
        }
        // The waiting calls hold no lock that a session needs.
        _ = try application.open()
        if isEvent { reader.removeCard() } else { application.library.finalize() }
        await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
        #expect(results.withLock { $0 } == (isEvent ? [nil] : Array(repeating: .notInitialised, count: 3)))
    }
}
