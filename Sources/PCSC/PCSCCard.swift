// SPDX-License-Identifier: Apache-2.0

import APDU
import CPCSC
import Locking
import Secrets

/// The card in a reader, shared with other processes (`SCardConnect`).
@safe
final class PCSCCard: CardLink {
    private let lease: PCSCContexts.Lease
    private var context: PCSCContext { lease.context }
    private var pcsc: pcsc_functions { context.pcsc }
    private var handle: SCARDHANDLE = 0
    private var protocolInUse: DWORD = 0
    private let reader: String
    /// Whether the card was reset since the last transaction.
    private var wasReset = false
    /// Whether a transaction goes on.
    private var hasTransaction = false
    private(set) var atr: [UInt8] = []
    /// The greatest length of an APDU: the reader's, over T=1; short ones otherwise, and for the rest of the
    /// connection once an extended one has failed.
    private(set) lazy var maximumLength = greatestLength()

    private static let protocols = DWORD(SCARD_PROTOCOL_T0) | DWORD(SCARD_PROTOCOL_T1)
    /// The interval at which a call looks whether another process still keeps the card.
    private static let pollInterval = Duration.milliseconds(20)

    private let mode: DWORD
    /// The time for which a call waits for another process's transaction.
    private var patience: Duration
    private let clocks = Clocks.system

    /// - Parameters:
    ///   - mode: Whether other processes can be connected too (`SCARD_SHARE_SHARED`).
    ///   - patience: The time for which calls wait for another process's transaction.
    init(
        reader: String, lease: PCSCContexts.Lease, mode: DWORD = DWORD(SCARD_SHARE_SHARED), patience: Duration
    ) throws(LinkError) {
        self.lease = lease
        self.mode = mode
        self.reader = reader
        self.patience = patience
        let code = connect(mode, Self.protocols)
        switch code {
        case SCARD_W_UNPOWERED_CARD: try connectToUnpowered()
        case SCARD_F_INTERNAL_ERROR: throw .connectionsUsedUp
        default: try check(code)
        }
        guard let atr = try context.state(of: reader).state.atr else { throw .mute }
        self.atr = atr
    }

    deinit { disconnect() }

    private func connect(_ mode: DWORD, _ protocols: DWORD) -> LONG {
        context.call(.long) {
            unsafe pcsc.SCardConnect(context.handle, reader, mode, protocols, &handle, &protocolInUse)
        }
    }

    /// Connects to a card whose power another process has cut, which only a reset restores. A connection to its reader is
    /// enough for that.
    private func connectToUnpowered() throws(LinkError) {
        guard mode == DWORD(SCARD_SHARE_SHARED) else { throw .sharingViolation }
        try check(connect(DWORD(SCARD_SHARE_DIRECT), 0))
        // Another process may be about to do the same.
        wasReset = true
        _ = try beginTransaction()
        defer { endTransaction() }
        try reconnect(DWORD(SCARD_LEAVE_CARD))
    }

    func limitWaits(to limit: Duration) { patience = min(patience, limit) }

    func canDisconnect(within limit: Duration) -> Bool {
        let end = clocks.awake.now + limit
        let inquiry = ReaderInquiry(reader)
        guard inquiry.canConnect(within: limit) == .ready else { return false }
        return inquiry.driverAnswers(within: end - clocks.awake.now) == .ready
    }

    func disconnect() { disconnect(DWORD(SCARD_LEAVE_CARD)) }

    /// - Parameter disposition: The action on the card.
    func disconnect(_ disposition: DWORD) {
        guard handle != 0 else { return }
        _ = context.call(.brief) { pcsc.SCardDisconnect(handle, disposition) }
        handle = 0
    }

    func abandon() {
        guard handle != 0 else { return }
        handle = 0
        // The context's release would wait as well.
        unsafe _ = Unmanaged.passRetained(lease)
    }

    /// Resets the card.
    func reset() throws(LinkError) { try reconnect(DWORD(SCARD_RESET_CARD)) }

    private func reconnect(_ initialisation: DWORD) throws(LinkError) {
        try check(
            context.call(.long) {
                unsafe pcsc.SCardReconnect(handle, mode, Self.protocols, initialisation, &protocolInUse)
            })
    }

    /// Whether the card has been in its reader since the connection was made.
    var isThere: Bool {
        let (code, state) = status()
        return code == SCARD_W_RESET_CARD
            || code == SCARD_S_SUCCESS && state & (DWORD(SCARD_PRESENT) | DWORD(SCARD_POWERED)) != 0
    }

    /// The card's state. Another process's transaction is waited for.
    private func status() -> (code: LONG, state: DWORD) {
        var state: DWORD = 0
        let code = context.call(.brief) { unsafe pcsc.SCardStatus(handle, nil, nil, &state, nil, nil, nil) }
        return (code, state)
    }

    func beginTransaction() throws(LinkError) -> Bool {
        // Each turn that reconnects may meet the next reset by another process.
        for _ in 0..<8 {
            try waitForOthers()
            let code = context.call(.long) { pcsc.SCardBeginTransaction(handle) }
            if code == SCARD_S_SUCCESS {
                hasTransaction = true
                guard wasReset else { return false }
                try givePower()
                wasReset = false
                return true
            }
            guard code == SCARD_W_RESET_CARD || code == SCARD_W_UNPOWERED_CARD else { throw LinkError(code) }
            wasReset = true
            try waitForOthers()
            try reconnect(DWORD(SCARD_LEAVE_CARD))
        }
        throw .reset
    }

    /// Resets a card whose power another process has taken, in a transaction: SCardReconnect alone leaves it without. A card
    /// with power is left, so that two processes never reset each other's card in turn.
    private func givePower() throws(LinkError) {
        let (code, state) = status()
        guard code == SCARD_S_SUCCESS, state & DWORD(SCARD_POWERED) == 0 else { return }
        do throws(LinkError) { try reset() } catch {
            endTransaction()
            throw error
        }
    }

    /// Waits until no other process keeps the card, which libpcsclite would do without an end. A process that connects in
    /// the moment behind this is still waited for by libpcsclite.
    private func waitForOthers() throws(LinkError) {
        // The question would end a transaction of this connection.
        guard !hasTransaction else { return }
        let end = clocks.awake.now + patience
        while isKept {
            guard clocks.awake.now < end else { throw .kept }
            clocks.pause(Self.pollInterval)
        }
    }

    /// Whether another process has a transaction. Two calls are not held up by it: the end of a transaction, which is
    /// refused as this connection has none, and, where a reset comes first in the answer, the question for an attribute.
    private var isKept: Bool {
        var code = context.call(.brief) { pcsc.SCardEndTransaction(handle, DWORD(SCARD_LEAVE_CARD)) }
        if code == SCARD_W_RESET_CARD {
            var count: DWORD = 0
            code = context.call(.brief) { unsafe pcsc.SCardGetAttrib(handle, DWORD(USBReader.place), nil, &count) }
        }
        return code == SCARD_E_SHARING_VIOLATION
    }

    func endTransaction() {
        hasTransaction = false
        _ = context.call(.brief) { pcsc.SCardEndTransaction(handle, DWORD(SCARD_LEAVE_CARD)) }
    }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        if protocolInUse == DWORD(SCARD_PROTOCOL_T0) {
            return try ByteProtocol.transmit(command) { (tpdu: borrowing Secret) throws(LinkError) in
                try exchange(tpdu, replySize: 258)
            }
        }
        let encoded: Secret
        do { encoded = try command.encoded() } catch { throw .malformed }
        guard command.isExtended else { return try exchange(encoded, replySize: 258) }
        do throws(LinkError) {
            let response = try exchange(encoded, replySize: 65_538)
            if response.status == .wrongLength { maximumLength = Command.maximumShortLength }
            return response
        } catch {
            maximumLength = Command.maximumShortLength
            throw error
        }
    }

    private func exchange(_ encoded: borrowing Secret, replySize: Int) throws(LinkError) -> Response {
        var reply = [UInt8](repeating: 0, count: replySize)
        defer { reply.wipe() }
        var replyCount = DWORD(reply.count)
        var sendInfo = SCARD_IO_REQUEST(
            dwProtocol: protocolInUse, cbPciLength: DWORD(MemoryLayout<SCARD_IO_REQUEST>.size))
        guard context.enter(.long) else { throw LinkError(LONG(SCARD_E_SERVER_TOO_BUSY)) }
        let code = unsafe encoded.bytes.withUnsafeBufferPointer { bytes in
            unsafe reply.withUnsafeMutableBufferPointer { reply in
                unsafe pcsc.SCardTransmit(
                    handle, &sendInfo, bytes.baseAddress, DWORD(bytes.count), nil, reply.baseAddress, &replyCount)
            }
        }
        context.leave(.long)
        if code == SCARD_E_PROTO_MISMATCH { try agreeOnProtocol() }
        try check(code)
        return try ByteProtocol.response(in: reply.prefix(Int(clamping: replyCount)))
    }

    /// Has pcscd agree on a protocol with a card that has none, and reports a reset. pcscd forgets the protocol a moment
    /// behind the event of a reset, which may fall behind the reconnection for that event. It has not sent the command.
    private func agreeOnProtocol() throws(LinkError) -> Never {
        wasReset = true
        try reconnect(DWORD(SCARD_LEAVE_CARD))
        throw .reset
    }

    private func greatestLength() -> Int {
        guard protocolInUse == DWORD(SCARD_PROTOCOL_T1), let size = properties.maximumAPDUData, size > 256
        else { return Command.maximumShortLength }
        return min(size, 65_535)
    }

    /// The reader's features and their control codes.
    private lazy var features = (try? control(ReaderProperties.featureRequest)) ?? []
    private lazy var properties = ReaderProperties(
        parsing: ReaderProperties.controlCode(of: .properties, in: features).flatMap { try? control($0) } ?? [])

    private(set) lazy var pinPad: PINPad? = {
        let needed: [ReaderProperties.Feature] = [.verifyPIN, .modifyPIN]
        guard needed.allSatisfy({ ReaderProperties.controlCode(of: $0, in: features) != nil }) else { return nil }
        return PINPad(shortest: properties.shortestPIN, longest: properties.longestPIN)
    }()

    func transmit(_ entry: PINEntry) throws(LinkError) -> Response {
        guard let code = ReaderProperties.controlCode(of: entry.feature, in: features) else { throw .malformed }
        let answer = try control(code, entry.structure(hasDisplay: properties.hasDisplay))
        return try ByteProtocol.response(in: answer[...])
    }

    /// The answer of the reader's driver to a request.
    private func control(_ code: UInt, _ request: [UInt8] = []) throws(LinkError) -> [UInt8] {
        var answer = [UInt8](repeating: 0, count: 256)
        var count: DWORD = 0
        let result = unsafe request.withUnsafeBytes { request in
            unsafe answer.withUnsafeMutableBytes { buffer in
                context.call(.long) {
                    unsafe pcsc.SCardControl(
                        handle, DWORD(code), request.baseAddress, DWORD(request.count), buffer.baseAddress,
                        DWORD(buffer.count), &count)
                }
            }
        }
        try check(result)
        return Array(answer.prefix(Int(clamping: count)))
    }

    var isContactless: Bool { ReaderProperties.areContactless(attribute) }

    /// Whether reader and card are one device, with which this connection ends.
    private lazy var isOneWithReader: Bool = {
        guard let path = USBReader.descriptors(at: attribute(USBReader.place)) else { return false }
        return USBReader.isCard(USBReader.read(path))
    }()

    var insertions: Int? { isOneWithReader ? context.insertions(in: reader) : nil }

    /// An attribute of the reader (`SCardGetAttrib`); empty if its driver does not know it.
    private func attribute(_ identifier: UInt) -> [UInt8] {
        var answer = [UInt8](repeating: 0, count: 256)
        var count = DWORD(answer.count)
        let result = unsafe answer.withUnsafeMutableBufferPointer { buffer in
            context.call(.long) {
                unsafe pcsc.SCardGetAttrib(handle, DWORD(identifier), buffer.baseAddress, &count)
            }
        }
        return result == SCARD_S_SUCCESS ? Array(answer.prefix(Int(clamping: count))) : []
    }
}
