import APDU

extension CardConnection {
    /// Sends one command and fetches all of its response: after 61xx the rest is asked for with a plain GET RESPONSE on
    /// the command's channel (GSC/1, 11.4).
    ///
    /// - Throws: ``LinkError/malformed`` if the pieces end without progress, or hold more than any reply of this
    ///   protocol.
    func exchange(_ command: borrowing Command, channel: UInt8 = 0) throws(LinkError) -> Response {
        var response = try transmit(command)
        while let available = response.status.bytesAvailable {
            let rest = try transmit(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil, response.data.count <= 65_600 else {
                throw .malformed
            }
            response.data += rest.data
            response.status = rest.status
        }
        return response
    }
}
