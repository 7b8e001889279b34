import APDU

extension CardConnection {
    /// Sends one command and fetches all of its response: after 61xx the rest is asked for with a plain GET RESPONSE on
    /// the command's channel (GSC/1, 11.4).
    ///
    /// - Throws: ``LinkError/malformed`` if there are more pieces than any reply of this protocol has, or one of them is
    ///   empty.
    func exchange(_ command: borrowing Command, channel: UInt8 = 0) throws(LinkError) -> Response {
        var response = try transmit(command)
        var pieces = 0
        while let available = response.status.bytesAvailable {
            let rest = try transmit(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            pieces += 1
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil, pieces <= 300 else { throw .malformed }
            response.data += rest.data
            response.status = rest.status
        }
        return response
    }
}
