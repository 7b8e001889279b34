import APDU

extension CardConnection {
    /// Sends one command and fetches all of its response: after 61xx the rest is asked for with a plain GET RESPONSE on
    /// the command's channel (GSC/1, 11.4).
    ///
    /// - Throws: ``LinkError/malformed`` if there are more pieces than any response of this protocol can have.
    func exchange(_ command: borrowing Command, channel: UInt8 = 0) throws(LinkError) -> Response {
        var response = try transmit(command)
        for _ in 0..<64 {
            guard let available = response.status.bytesAvailable else { return response }
            let rest = try transmit(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            response = Response(rest.status, data: response.data + rest.data)
        }
        throw .malformed
    }
}
