// SPDX-License-Identifier: Apache-2.0
package import CCryptoki
import SecureChannel
package import Secrets
import Token

/// A new activation password, as an application asks for it.
package struct ActivationPasswordRequest: Sendable {
    let slot: UInt8
    let charset: SecureChannel.Charset

    /// The symbols of the password as it is printed, `XXXX-XXXX-XXXX-XXXX`.
    package let length = 19
}

extension Session {
    /// Checks whether an activation password may be made here.
    ///
    /// - Parameters:
    ///   - number: 1 to 6, or 0 for the first that the token has no password for.
    ///   - characters: `CAPS_AND_DIGITS` or `CAPS_ONLY`.
    /// - Throws: `CKR_FUNCTION_NOT_SUPPORTED` on a token that is used without channel, with any login.
    package func activationPasswordRequest(
        number: CK_ULONG, characters: CK_ULONG
    ) throws(CKError) -> ActivationPasswordRequest {
        guard number <= 6, let charset = UInt8(exactly: characters).flatMap(SecureChannel.Charset.init(rawValue:))
        else {
            throw .argumentsBad("there is no password \(number), or no characters \(characters)")
        }
        guard slot.turn.state?.isProtected == true else { throw .functionNotSupported }
        guard isReadWrite else { throw .sessionReadOnly("a password of the token is to be made") }
        guard slot.login == .securityOfficer else { throw .userNotLoggedIn("the SO must be logged in") }
        return ActivationPasswordRequest(slot: UInt8(truncatingIfNeeded: number), charset: charset)
    }

    /// Has the token make an activation password, in place of the one with the same number.
    ///
    /// - Returns: The password as it is printed. It cannot be asked for again.
    package func generateActivationPassword(_ request: ActivationPasswordRequest) throws(CKError) -> Secret {
        let password = try slot.withToken { token throws(TokenError) in
            try token.generateActivationPassword(slot: request.slot, charset: request.charset)
        }
        return password.grouped(by: 4)
    }
}

extension Secret {
    /// These symbols in groups with dashes between.
    fileprivate func grouped(by size: Int) -> Secret {
        var result = Secret(count: count + max(count - 1, 0) / size)
        var bytes = result.mutableBytes
        var position = 0
        for index in 0..<count {
            if index > 0, index % size == 0 {
                bytes[position] = UInt8(ascii: "-")
                position += 1
            }
            bytes[position] = self.bytes[index]
            position += 1
        }
        return result
    }
}
