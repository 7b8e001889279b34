// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A way to send command APDUs to a card: a reader's card handle, a secure channel over one, or a card in the
/// same process.
package protocol CardConnection: AnyObject {
    /// Sends one command and returns the card's response.
    ///
    /// On failure, the error states whether the card can have executed the command (``LinkError/outcome``).
    func transmit(_ command: borrowing Command) throws(LinkError) -> Response

    /// As ``transmit(_:)``, for a response whose data are secret: only the returned copy of them is left.
    func transmitSecret(_ command: borrowing Command) throws(LinkError) -> SecretResponse

    /// The greatest number of bytes of an encoded command that reader and protocol take. 261 is the longest short APDU;
    /// above it extended length fields may be used, with replies as long.
    var maximumLength: Int { get }
}

extension CardConnection {
    /// Short APDUs only, which every reader accepts.
    package var maximumLength: Int { Command.maximumShortLength }

    package func transmitSecret(_ command: borrowing Command) throws(LinkError) -> SecretResponse {
        var response = try transmit(command)
        defer { response.data.wipe() }
        return SecretResponse(response.status, data: Secret(copying: response.data))
    }
}

extension CardConnection {
    /// Sends one command and fetches all of its response: after 61xx the rest is asked for with GET RESPONSE
    /// (ISO/IEC 7816-4, 5.3.4) on the command's channel.
    ///
    /// - Throws: ``LinkError/malformed`` if there are more pieces than any response has, or one of them is empty.
    package func exchange(_ command: borrowing Command, channel: UInt8 = 0) throws(LinkError) -> Response {
        var response = try transmit(command)
        var pieces = 0
        while let available = response.status.bytesAvailable {
            let rest = try afterPart { () throws(LinkError) in
                try transmit(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            }
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
            let rest = try afterPart { () throws(LinkError) in
                try transmitSecret(Command(channel, 0xC0, 0x00, 0x00, ne: available))
            }
            pieces += 1
            guard !rest.data.isEmpty || rest.status.bytesAvailable == nil, pieces <= 300 else { throw .malformed }
            response = SecretResponse(rest.status, data: response.data.appending(rest.data.bytes))
        }
        return response
    }
}
