// SPDX-License-Identifier: Apache-2.0
import APDU

/// Commands and responses over T=0 (ISO/IEC 7816-3, 12.2). A command carries data or expects some, never both, and P3
/// holds the number of bytes.
///
/// Data that a command did not expect wait for GET RESPONSE behind 61xx. If fewer come than were expected, 6Cxx holds
/// their number, and the same command with that number gets them; it is not executed again.
struct ByteProtocol {
    private static let getResponse: [UInt8] = [0x00, 0xC0, 0x00, 0x00]

    private var pending: [UInt8] = []
    /// The status word that ends the pending data.
    private var status = StatusWord.success
    /// The command that the pending data answer, without P3, if it has to be repeated for them.
    private var repeated: [UInt8]?

    /// Executes a command TPDU by the APDU that it stands for.
    mutating func process(_ tpdu: [UInt8], _ execute: ([UInt8]) -> [UInt8]) -> [UInt8] {
        let header = Array(tpdu.prefix(4))
        guard header.count == 4 else { return Response(.wrongLength).encoded }
        let p3 = tpdu.count > 4 ? Int(tpdu[4]) : 0
        let ne = p3 == 0 ? 256 : p3
        if !pending.isEmpty, tpdu.count == 5, repeated == header || repeated == nil && header == Self.getResponse {
            return deliver(ne, to: header)
        }
        pending = []
        guard tpdu.count <= 5 || tpdu.count == 5 + p3 else { return Response(.wrongLength).encoded }
        let apdu = tpdu.count > 5 ? tpdu + [0] : header + [UInt8(truncatingIfNeeded: p3)]
        guard let response = Response(parsing: execute(apdu)) else { return Response(.wrongLength).encoded }
        guard !response.data.isEmpty else { return response.encoded }
        pending = response.data
        status = response.status
        repeated = nil
        return (tpdu.count > 5 || p3 == 0) && header != Self.getResponse ? available.encoded : deliver(ne, to: header)
    }

    /// At most `count` of the pending data.
    private mutating func deliver(_ count: Int, to header: [UInt8]) -> [UInt8] {
        guard count <= pending.count || count == 256 else {
            repeated = header == Self.getResponse ? nil : header
            return Response(StatusWord(0x6C, UInt8(truncatingIfNeeded: pending.count))).encoded
        }
        let data = Array(pending.prefix(count))
        pending = Array(pending.dropFirst(count))
        repeated = nil
        return Response(pending.isEmpty ? status : available.status, data: data).encoded
    }

    private var available: Response { Response(StatusWord.bytesAvailable(pending.count)) }
}
