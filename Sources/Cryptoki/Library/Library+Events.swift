// SPDX-License-Identifier: Apache-2.0
import APDU
package import CCryptoki
import Locking
import Token

extension Library {
    /// The longest wait before a look whether the library was ended.
    private static let waitLimit = Duration.milliseconds(250)

    /// The slot in which a token came or went since the last event, or since the first look at the readers. Any number
    /// of threads can wait, without holding a lock.
    ///
    /// - Parameter waits: Whether to wait for the next event if nothing has happened.
    /// - Throws: `CKR_NO_EVENT`; `CKR_CRYPTOKI_NOT_INITIALIZED` when another thread ends the library.
    package func waitForSlotEvent(waits: Bool) throws(CKError) -> CK_SLOT_ID {
        var watch: (any ReaderWatch)?
        while true {
            // Noted before the look, so that no change in between is missed.
            if waits, watch == nil { watch = readers.watch() }
            let isNoted = (try? watch?.note()) != nil
            if !isNoted { watch = nil }
            try refreshSlots()
            if let slot = takeEvent() { return slot }
            guard waits else { throw .noEvent }
            if isNoted, (try? watch?.wait(atMost: Self.waitLimit)) != nil { continue }
            watch = nil
            settings.clocks.pause(Self.waitLimit)
        }
    }
}
