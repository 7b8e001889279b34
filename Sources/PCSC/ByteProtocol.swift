package import APDU
package import Secrets

/// What T=0 makes of commands (ISO/IEC 7816-3, 12.2): one carries data or expects some, never both, and P3 says how many.
/// Data that a command with data has brought wait for GET RESPONSE, behind 61xx, as those of long answers do.
package enum ByteProtocol {
    /// Sends a command.
    ///
    /// - Parameter exchange: Takes a TPDU to the card.
    package static func transmit(
        _ command: borrowing Command, _ exchange: (borrowing Secret) throws(LinkError) -> Response
    ) throws(LinkError) -> Response {
        let response = try exchange(tpdu(of: command, ne: command.ne))
        // 6Cxx: fewer bytes than were expected, which is no reason to execute the command again.
        guard response.status.sw1 == 0x6C, command.data.isEmpty, command.ne != nil else { return response }
        return try exchange(tpdu(of: command, ne: Int(response.status.sw2)))
    }

    private static func tpdu(of command: borrowing Command, ne: Int?) throws(LinkError) -> Secret {
        let hasData = !command.data.isEmpty
        let tpdu = Command(
            command.cla, command.ins, command.p1, command.p2, data: command.data.copy(), ne: hasData ? nil : ne ?? 256)
        do { return try tpdu.encoded() } catch { throw .malformed }
    }
}
