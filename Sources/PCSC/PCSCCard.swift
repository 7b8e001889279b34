import APDU
import CPCSC
import Secrets

/// The card in a reader, shared with other processes (`SCardConnect`).
@safe
final class PCSCCard: CardLink {
    private let context: PCSCContext
    private var handle: SCARDHANDLE = 0
    private var protocolInUse: DWORD = 0
    private(set) var atr: [UInt8] = []

    private static let protocols = DWORD(SCARD_PROTOCOL_T0) | DWORD(SCARD_PROTOCOL_T1)

    init(reader: String) throws(LinkError) {
        context = try PCSCContext()
        try unsafe check(
            SCardConnect(
                context.handle, reader, DWORD(SCARD_SHARE_SHARED), Self.protocols, &handle, &protocolInUse))
        atr = Self.answerToReset(of: handle)
    }

    deinit { disconnect() }

    func disconnect() {
        guard handle != 0 else { return }
        SCardDisconnect(handle, DWORD(SCARD_LEAVE_CARD))
        handle = 0
    }

    func beginTransaction() throws(LinkError) -> Bool {
        var wasReset = false
        // Each turn that reconnects may meet the next reset by another process.
        for _ in 0..<8 {
            let code = SCardBeginTransaction(handle)
            if code == SCARD_S_SUCCESS { return wasReset }
            guard code == SCARD_W_RESET_CARD else { throw LinkError(code) }
            wasReset = true
            try unsafe check(
                SCardReconnect(
                    handle, DWORD(SCARD_SHARE_SHARED), Self.protocols, DWORD(SCARD_LEAVE_CARD), &protocolInUse))
        }
        throw .reset
    }

    func endTransaction() {
        SCardEndTransaction(handle, DWORD(SCARD_LEAVE_CARD))
    }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        let encoded: Secret
        do { encoded = try command.encoded() } catch { throw .malformed }
        var reply = [UInt8](repeating: 0, count: command.isExtended ? 65_538 : 258)
        var replyCount = DWORD(reply.count)
        var sendInfo = SCARD_IO_REQUEST(
            dwProtocol: protocolInUse, cbPciLength: DWORD(MemoryLayout<SCARD_IO_REQUEST>.size))
        let code = unsafe encoded.bytes.withUnsafeBufferPointer { bytes in
            unsafe reply.withUnsafeMutableBufferPointer { reply in
                unsafe SCardTransmit(
                    handle, &sendInfo, bytes.baseAddress, DWORD(bytes.count), nil, reply.baseAddress, &replyCount)
            }
        }
        try check(code)
        // Some readers report a card that leaves in the middle of a command as an empty response.
        guard replyCount > 0 else { throw LinkError(SCARD_F_COMM_ERROR) }
        guard let response = Response(parsing: Array(reply.prefix(Int(clamping: replyCount)))) else {
            throw .malformed
        }
        return response
    }

    private static func answerToReset(of handle: SCARDHANDLE) -> [UInt8] {
        var atr = [UInt8](repeating: 0, count: Int(MAX_ATR_SIZE))
        var count = DWORD(atr.count)
        let code = unsafe atr.withUnsafeMutableBufferPointer { buffer in
            unsafe SCardStatus(handle, nil, nil, nil, nil, buffer.baseAddress, &count)
        }
        return code == SCARD_S_SUCCESS ? Array(atr.prefix(Int(clamping: count))) : []
    }
}
