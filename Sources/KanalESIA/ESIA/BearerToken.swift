// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import KanalKit
import Secrets

/// An access or refresh token, which grants access to any bearer. It is kept in locked memory and has no printable
/// form.
public struct BearerToken: Sendable, Equatable {
    private let secret: SharedSecret

    init(_ bytes: [UInt8]) { secret = SharedSecret(copying: bytes) }

    /// Calls `body` with the token, in ASCII. Copies of it are the caller's to wipe.
    public func withBytes<Result>(_ body: (Span<UInt8>) throws -> Result) rethrows -> Result {
        try secret.secret.withBytes(body)
    }
}
