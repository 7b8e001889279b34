import APDU
package import CCryptoki
import Locking
import Token

extension Library {
    /// The longest wait without a look at whether the library is still wanted.
    private static let waitLimit = Duration.milliseconds(250)

    /// The slot in which a token came or went since the last time, or since the readers were first looked at. Any
    /// number of threads can wait; none of them holds a lock meanwhile.
    ///
    /// - Parameter waits: Whether to wait for an event if there was none.
    /// - Throws: `CKR_NO_EVENT`; `CKR_CRYPTOKI_NOT_INITIALIZED` when another thread ends the library.
    package func waitForSlotEvent(waits: Bool) throws(CKError) -> CK_SLOT_ID {
        var watch: (any ReaderWatch)?
        while true {
            // Noted before the look, so that nothing can change in between unseen.
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
