// SPDX-License-Identifier: Apache-2.0

package import APDU
import CPCSC
package import Secrets

/// Commands over T=0 (ISO/IEC 7816-3, 12.2). A command carries data or expects some, never both; P3 is the length.
/// The answer to a command with data waits for GET RESPONSE, behind 61xx, and so do long answers.
package enum ByteProtocol {
    /// Sends a command.
    ///
    /// - Parameter exchange: Sends a TPDU to the card.
    package static func transmit(
        _ command: borrowing Command, _ exchange: (borrowing Secret) throws(LinkError) -> Response
    ) throws(LinkError) -> Response {
        let response = try exchange(tpdu(of: command, ne: command.ne))
        // 6Cxx: fewer bytes than expected. The same command with their number gets them, and is not executed again.
        guard response.status.sw1 == 0x6C, command.data.isEmpty, command.ne != nil else { return response }
        return try afterPart { () throws(LinkError) in
            try exchange(tpdu(of: command, ne: Int(response.status.sw2)))
        }
    }

    /// The response in the reader's reply.
    ///
    /// - Throws: `transmission` without a byte: so some readers report a card that leaves in the middle of a command.
    package static func response(in reply: ArraySlice<UInt8>) throws(LinkError) -> Response {
        guard !reply.isEmpty else { throw LinkError(SCARD_F_COMM_ERROR) }
        guard let response = Response(parsing: reply) else { throw .malformed }
        return response
    }

    private static func tpdu(of command: borrowing Command, ne: Int?) throws(LinkError) -> Secret {
        let hasData = !command.data.isEmpty
        let tpdu = Command(
            command.cla, command.ins, command.p1, command.p2, data: command.data.copy(), ne: hasData ? nil : ne ?? 256)
        do { return try tpdu.encoded() } catch { throw .malformed }
    }
}
