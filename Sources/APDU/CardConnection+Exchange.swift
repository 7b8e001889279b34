// SPDX-License-Identifier: Apache-2.0
import Secrets

extension CardConnection {
    /// Sends one command and fetches all of its response: after 61xx the rest is asked for with GET RESPONSE
    /// (ISO/IEC 7816-4, 5.3.4) on the command's channel.
    ///
    /// - Throws: ``LinkError/malformed`` if there are more pieces than any response has, or one of them is empty.
    package func exchange(_ command: borrowing Command, channel: UInt8 = 0) throws(LinkError) -> Response {
        var response = try transmit(command)
        var pieces = 0
        while let available = response.status.bytesAvailable {
            let rest = try transmit(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            pieces += 1
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil, pieces <= 300 else { throw .malformed }
            response = Response(rest.status, data: response.data + rest.data)
        }
        return response
    }

    /// As ``exchange(_:channel:)``, for a response whose data are secret.
    package func exchangeSecret(
        _ command: borrowing Command, channel: UInt8 = 0
    ) throws(LinkError) -> SecretResponse {
        var response = try transmitSecret(command)
        var pieces = 0
        while let available = response.status.bytesAvailable {
            let rest = try transmitSecret(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            pieces += 1
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil, pieces <= 300 else { throw .malformed }
            response = SecretResponse(rest.status, data: response.data.appending(rest.data.bytes))
        }
        return response
    }
}
