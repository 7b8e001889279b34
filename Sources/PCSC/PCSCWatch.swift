// SPDX-License-Identifier: Apache-2.0
import APDU
import CPCSC
import Glibc

/// Waits for changes of readers (`SCardGetStatusChange`).
@safe
final class PCSCWatch: ReaderWatch {
    /// The name that stands for the list of readers itself.
    private static let readerList = "\\\\?PnP?\\Notification"

    private let lease: PCSCContexts.Lease
    private var context: PCSCContext { lease.context }
    private var states: [SCARD_READERSTATE] = unsafe []

    init(lease: PCSCContexts.Lease) { self.lease = lease }

    deinit { forget() }

    func note() throws(LinkError) {
        forget()
        for name in try context.readerNames() + [Self.readerList] {
            var state = unsafe SCARD_READERSTATE()
            unsafe state.szReader = unsafe UnsafePointer(strdup(name))
            unsafe state.dwCurrentState = DWORD(SCARD_STATE_UNAWARE)
            unsafe states.append(state)
        }
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
                unsafe SCardGetStatusChange(
                    context, DWORD(clamping: milliseconds), buffer.baseAddress, DWORD(buffer.count))
            }
        }
        // A reader that went before the wait began is a change as well.
        if code != SCARD_E_TIMEOUT, code != SCARD_E_UNKNOWN_READER { try check(code) }
    }

    private func forget() {
        for index in unsafe states.indices { unsafe free(UnsafeMutablePointer(mutating: states[index].szReader)) }
        unsafe states = []
    }
}
