// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// SESPAKE, the key agreement of two subjects A and B that share a password (RFC 8133), over all its seven curves.
///
/// Each side makes a ``Verifier`` from the password (or keeps one), an ``Exchange`` from the verifier and a ``Key``
/// from the exchange and the other side's public value; the MACs that the sides then send each other show whether the
/// passwords are the same. The counters of attempts are the caller's to keep (RFC 8133, 4.2): they go down before
/// anything is computed.
package enum SESPAKE {
    /// The subjects: A sends u_1, B answers with u_2.
    package enum Subject: Sendable {
        case a, b
    }

    /// The function F of RFC 8133, 3: PBKDF2 of 2000 iterations with HMAC_GOSTR3411_2012_512.
    ///
    /// - Parameters:
    ///   - password: The password's bytes, at least one.
    ///   - salt: The salt, 1 to 128 bytes, which is public.
    /// - Returns: As many bytes as a coordinate of the curve.
    /// - Throws: ``GOSTError/invalidLength`` for the password or the salt.
    ///
    /// Constant time in its secret inputs but for the password's length.
    package static func f(password: Span<UInt8>, salt: Span<UInt8>, curve: Curve) throws(GOSTError) -> Secret {
        guard !password.isEmpty, (1...128).contains(salt.count) else { throw .invalidLength }
        return PBKDF2<Streebog512>.derive(
            password: password, salt: salt, iterations: 2000, count: curve.coordinateSize)
    }
}
