// SPDX-License-Identifier: Apache-2.0

package import APDU
import CPCSC
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
    private(set) var atr: [UInt8] = []
    /// The greatest length of an APDU: as the reader says, over T=1; short ones otherwise, and for the rest of the
    /// connection once an extended one has failed.
    private(set) lazy var maximumLength = greatestLength()

    private static let protocols = DWORD(SCARD_PROTOCOL_T0) | DWORD(SCARD_PROTOCOL_T1)

    private let mode: DWORD

    /// - Parameter mode: Whether other processes can be connected too (`SCARD_SHARE_SHARED`).
    init(
        reader: String, lease: PCSCContexts.Lease, mode: DWORD = DWORD(SCARD_SHARE_SHARED)
    ) throws(LinkError) {
        self.lease = lease
        self.mode = mode
        self.reader = reader
        try check(
            context.call(.long) {
                unsafe pcsc.SCardConnect(context.handle, reader, mode, Self.protocols, &handle, &protocolInUse)
            })
        atr = try answerToReset()
    }

    deinit { disconnect() }

    func disconnect() { disconnect(DWORD(SCARD_LEAVE_CARD)) }

    /// - Parameter disposition: The action on the card.
    func disconnect(_ disposition: DWORD) {
        guard handle != 0 else { return }
        _ = context.call(.brief) { pcsc.SCardDisconnect(handle, disposition) }
        handle = 0
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
        var state: DWORD = 0
        let code = context.call(.brief) { unsafe pcsc.SCardStatus(handle, nil, nil, &state, nil, nil, nil) }
        return code == SCARD_W_RESET_CARD
            || code == SCARD_S_SUCCESS && state & (DWORD(SCARD_PRESENT) | DWORD(SCARD_POWERED)) != 0
    }

    func beginTransaction() throws(LinkError) -> Bool {
        // Each turn that reconnects may meet the next reset by another process.
        for _ in 0..<8 {
            let code = context.call(.long) { pcsc.SCardBeginTransaction(handle) }
            if code == SCARD_S_SUCCESS {
                defer { wasReset = false }
                return wasReset
            }
            guard code == SCARD_W_RESET_CARD else { throw LinkError(code) }
            wasReset = true
            try reconnect(DWORD(SCARD_LEAVE_CARD))
        }
        throw .reset
    }

    func endTransaction() {
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
        let code = unsafe encoded.bytes.withUnsafeBufferPointer { bytes in
            unsafe reply.withUnsafeMutableBufferPointer { reply in
                context.call(.long) {
                    unsafe pcsc.SCardTransmit(
                        handle, &sendInfo, bytes.baseAddress, DWORD(bytes.count), nil, reply.baseAddress, &replyCount)
                }
            }
        }
        try check(code)
        // Some readers report a card that leaves in the middle of a command as an empty response.
        guard replyCount > 0 else { throw LinkError(SCARD_F_COMM_ERROR) }
        guard let response = Response(parsing: reply.prefix(Int(clamping: replyCount))) else {
            throw .malformed
        }
        return response
    }

    private func greatestLength() -> Int {
        guard protocolInUse == DWORD(SCARD_PROTOCOL_T1),
            let code = ReaderProperties.controlCode(in: control(ReaderProperties.featureRequest)),
            let size = ReaderProperties(parsing: control(code)).maximumAPDUData, size > 256
        else { return Command.maximumShortLength }
        return min(size, 65_535)
    }

    /// The answer of the reader's driver to a request without data; empty if it does not know it.
    private func control(_ code: UInt) -> [UInt8] {
        var answer = [UInt8](repeating: 0, count: 256)
        var count: DWORD = 0
        let result = unsafe answer.withUnsafeMutableBytes { buffer in
            context.call(.long) {
                unsafe pcsc.SCardControl(handle, DWORD(code), nil, 0, buffer.baseAddress, DWORD(buffer.count), &count)
            }
        }
        return result == SCARD_S_SUCCESS ? Array(answer.prefix(Int(clamping: count))) : []
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

    private func answerToReset() throws(LinkError) -> [UInt8] {
        var atr = [UInt8](repeating: 0, count: Int(MAX_ATR_SIZE))
        var count = DWORD(atr.count)
        let code = unsafe atr.withUnsafeMutableBufferPointer { buffer in
            context.call(.brief) {
                unsafe pcsc.SCardStatus(handle, nil, nil, nil, nil, buffer.baseAddress, &count)
            }
        }
        try check(code)
        return Array(atr.prefix(Int(clamping: count)))
    }
}

/// The card in a reader, which this process has for itself. If the process ends, the service resets the card.
final class PCSCOwnedCard: OwnedCard {
    private let card: PCSCCard
    /// Whether the card was once found to be gone. The service forgets that with the next connection to its reader.
    private var hasLeft = false

    init(reader: String, lease: PCSCContexts.Lease) throws(LinkError) {
        card = try PCSCCard(reader: reader, lease: lease, mode: DWORD(SCARD_SHARE_EXCLUSIVE))
        try card.reset()
    }

    deinit { giveBack() }

    var atr: [UInt8] { card.atr }

    var maximumLength: Int { card.maximumLength }

    var isThere: Bool {
        if !hasLeft { hasLeft = !card.isThere }
        return !hasLeft
    }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response { try card.transmit(command) }

    func reset() throws(LinkError) {
        guard !hasLeft else { throw .removed(sent: false) }
        do throws(LinkError) {
            try card.reset()
        } catch {
            hasLeft = true
            throw error
        }
    }

    func giveBack() { card.disconnect(DWORD(SCARD_RESET_CARD)) }
}

extension PCSCReaders: OwnedCardService {
    package func own(_ reader: String) throws(LinkError) -> any OwnedCard {
        try connect { lease throws(LinkError) in try PCSCOwnedCard(reader: reader, lease: lease) }
    }
}
