// SPDX-License-Identifier: Apache-2.0
import APDU
import CPCSC
import Glibc
import HostProcess
import Locking

/// A connection to the smart card service (`SCardEstablishContext`). One context serves one thread at a time.
@safe
final class PCSCContext: Sendable {
    /// libpcsclite's functions.
    let pcsc: pcsc_functions
    let handle: SCARDCONTEXT
    private let monitor = Monitor()

    /// - Throws: `LinkError/refused` if the service hangs up, as it does when it has as many contexts as it allows, and
    ///   on users whom polkit does not let use it; `LinkError/incompatible` if it is of another version than libpcsclite;
    ///   `LinkError/rootChanged` after chroot(2), where earlier contexts go on.
    init() throws(LinkError) {
        // Another library, or service, could be in the new one. libpcsclite 2 loads a part of itself with the first context.
        guard !RootDirectory.hasChanged else { throw .rootChanged }
        let pcsc = try ServiceLibrary.open()
        var handle: SCARDCONTEXT = 0
        let code = StandardDescriptors.avoid(otherwise: SCARD_E_NO_SERVICE) {
            ForkGate.call(.brief) { unsafe pcsc.SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &handle) }
        }
        // libpcsclite does not report that it got no socket.
        if code == SCARD_E_NO_SERVICE, StandardDescriptors.areUsedUp { throw .noDescriptors }
        if [SCARD_F_COMM_ERROR, SCARD_W_SECURITY_VIOLATION].contains(code) { throw .refused }
        if code == SCARD_E_NO_SERVICE, ServiceSocket.isListening { throw .refused }
        // The service's answer to a version of the protocol that it does not speak.
        if code == SCARD_E_SERVICE_STOPPED, ServiceSocket.isListening { throw .incompatible }
        try check(code)
        self.pcsc = pcsc
        self.handle = handle
    }

    deinit { _ = call(.brief) { pcsc.SCardReleaseContext(handle) } }

    /// Calls libpcsclite with the context, when no other thread does and no fork is under way. Another thread's call would
    /// wait inside of libpcsclite, with all other contexts of the process.
    ///
    /// - Returns: The code; `SCARD_E_SERVER_TOO_BUSY` in a child that cannot use libpcsclite.
    func call(_ length: ForkGate.Length, _ body: () -> LONG) -> LONG {
        guard enter(length) else { return LONG(SCARD_E_SERVER_TOO_BUSY) }
        defer { leave(length) }
        return body()
    }

    /// Begins a call of libpcsclite, as ``call(_:_:)`` does. It ends with ``leave(_:)``.
    ///
    /// - Returns: Whether libpcsclite can be called.
    func enter(_ length: ForkGate.Length) -> Bool {
        monitor.enter()
        if ForkGate.enter(length) { return true }
        monitor.leave()
        return false
    }

    func leave(_ length: ForkGate.Length) {
        ForkGate.leave(length)
        monitor.leave()
    }

    /// The states of the readers now.
    func readerStates() throws(LinkError) -> [ReaderState] {
        monitor.enter()
        defer { monitor.leave() }
        return try states(of: names())
    }

    /// The same, unless another thread uses the context at the moment: then nil.
    func readerStatesIfAvailable() throws(LinkError) -> [ReaderState]? {
        guard monitor.enterIfAvailable() else { return nil }
        defer { monitor.leave() }
        return try states(of: names())
    }

    /// The count of insertions and removals in a reader that has a card; nil if unknown.
    func insertions(in reader: String) -> Int? {
        monitor.enter()
        defer { monitor.leave() }
        let state = try? states(of: [reader]).first
        return state?.atr == nil ? nil : state?.events
    }

    /// The state of one reader now, and whether other connections to it share it. No program's transaction is waited for.
    func state(of reader: String) throws(LinkError) -> (state: ReaderState, isShared: Bool) {
        monitor.enter()
        defer { monitor.leave() }
        var isShared = false
        guard let state = try states(of: [reader], isShared: &isShared).first else { throw .noCard }
        return (state, isShared)
    }

    /// The names of all readers, in the service's order.
    func readerNames() throws(LinkError) -> [String] {
        monitor.enter()
        defer { monitor.leave() }
        return try names()
    }

    private func names() throws(LinkError) -> [String] {
        // Enough for as many readers as the service knows at a time. Only as much is read as the service has written.
        let size = Int(PCSCLITE_MAX_READERS_CONTEXTS) * (Int(MAX_READERNAME) + 1) + 1
        var code = LONG(SCARD_S_SUCCESS)
        let names = unsafe [CChar](unsafeUninitializedCapacity: size) { buffer, length in
            var count = DWORD(size)
            code = ForkGate.call(.brief) { unsafe pcsc.SCardListReaders(handle, nil, buffer.baseAddress, &count) }
            length = code == SCARD_S_SUCCESS ? min(Int(count), size) : 0
        }
        if code == SCARD_E_NO_READERS_AVAILABLE { return [] }
        try check(code)
        return names.split(separator: 0).map { name in
            String(decoding: name.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// States of unknown readers, valid as long as their names are kept.
    static func unknownStates(of names: CStrings) -> [SCARD_READERSTATE] {
        unsafe (0..<names.count).map { index in
            var state = unsafe SCARD_READERSTATE()
            unsafe state.szReader = UnsafePointer(names.pointer[index])
            unsafe state.dwCurrentState = DWORD(SCARD_STATE_UNAWARE)
            return unsafe state
        }
    }

    /// The states of the readers' slots now.
    private func states(of names: [String]) throws(LinkError) -> [ReaderState] {
        var isShared = false
        return try states(of: names, isShared: &isShared)
    }

    /// - Parameter isShared: Whether one of the readers has connections that share it.
    private func states(of names: [String], isShared: inout Bool) throws(LinkError) -> [ReaderState] {
        guard !names.isEmpty else { return [] }
        let cNames = CStrings(names)
        var states = unsafe Self.unknownStates(of: cNames)
        let code = unsafe states.withUnsafeMutableBufferPointer { buffer in
            ForkGate.call(.brief) {
                unsafe pcsc.SCardGetStatusChange(handle, 0, buffer.baseAddress, DWORD(buffer.count))
            }
        }
        try check(code)
        withExtendedLifetime(cNames) {}
        isShared = unsafe states.contains { unsafe $0.dwEventState & DWORD(SCARD_STATE_INUSE) != 0 }
        return unsafe zip(names, states).map { name, state in unsafe ReaderState(name: name, state: state) }
    }
}

extension ReaderState {
    fileprivate init(name: String, state: SCARD_READERSTATE) {
        let event = unsafe state.dwEventState
        let isPresent = event & DWORD(SCARD_STATE_PRESENT) != 0 && event & DWORD(SCARD_STATE_MUTE) == 0
        let length = unsafe min(Int(clamping: state.cbAtr), Int(MAX_ATR_SIZE))
        let atr = unsafe withUnsafeBytes(of: state.rgbAtr) { unsafe Array($0.prefix(length)) }
        self.init(name: name, atr: isPresent && length > 0 ? atr : nil, events: Int(event >> 16))
    }
}

/// Throws the error of a PC/SC return code.
func check(_ code: LONG) throws(LinkError) {
    guard code != SCARD_S_SUCCESS else { return }
    throw LinkError(code)
}

extension LinkError {
    /// - Parameter code: A PC/SC return code other than `SCARD_S_SUCCESS`.
    init(_ code: LONG) {
        self =
            switch code {
            case SCARD_E_NO_SERVICE, SCARD_E_SERVICE_STOPPED, SCARD_E_INVALID_HANDLE: .noService
            case SCARD_E_NO_SMARTCARD, SCARD_E_UNKNOWN_READER, SCARD_E_READER_UNAVAILABLE,
                SCARD_E_NO_READERS_AVAILABLE:
                .noCard
            case SCARD_W_UNRESPONSIVE_CARD, SCARD_W_UNPOWERED_CARD: .mute
            case SCARD_W_REMOVED_CARD: .removed(sent: false)
            case SCARD_W_RESET_CARD: .reset
            case SCARD_E_SHARING_VIOLATION: .sharingViolation
            case SCARD_E_SERVER_TOO_BUSY: .refused
            default: .transmission(code: UInt32(truncatingIfNeeded: code))
            }
    }
}
