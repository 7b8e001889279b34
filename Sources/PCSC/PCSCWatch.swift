// SPDX-License-Identifier: Apache-2.0
import APDU
import CPCSC
import HostProcess

/// Waits for changes of readers (`SCardGetStatusChange`).
@safe
final class PCSCWatch: ReaderWatch {
    /// The name that stands for the list of readers itself.
    private static let readerList = "\\\\?PnP?\\Notification"

    private let lease: PCSCContexts.Lease
    private var context: PCSCContext { lease.context }
    private var names = CStrings([])
    private var states: [SCARD_READERSTATE] = unsafe []

    init(lease: PCSCContexts.Lease) { self.lease = lease }

    func note() throws(LinkError) {
        unsafe states = []
        names = CStrings(try context.readerNames() + [Self.readerList])
        unsafe states = unsafe PCSCContext.unknownStates(of: names)
        // Nothing is known yet of the readers, so that their states come at once.
        try wait(atMost: .zero)
        for index in unsafe states.indices {
            unsafe states[index].dwCurrentState = states[index].dwEventState & ~DWORD(SCARD_STATE_CHANGED)
        }
    }

    func wait(atMost limit: Duration) throws(LinkError) {
        let parts = limit.components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        let code = unsafe states.withUnsafeMutableBufferPointer { buffer in
            context.call(.long) { context in
                unsafe self.context.pcsc.SCardGetStatusChange(
                    context, DWORD(clamping: milliseconds), buffer.baseAddress, DWORD(buffer.count))
            }
        }
        // A reader that went before the wait began is a change as well.
        if code != SCARD_E_TIMEOUT, code != SCARD_E_UNKNOWN_READER { try check(code) }
    }
}
