package import Secrets

/// A secret of the card's memory. Copies of the state share it; it is wiped when the last of them lets it go.
package final class Sealed: Sendable {
    package let secret: Secret

    package init(_ secret: consuming Secret) { self.secret = secret }

    package convenience init(copying bytes: [UInt8]) { self.init(Secret(copying: bytes)) }

    /// Whether the secret is `bytes`. Constant time in the contents.
    func matches(_ bytes: Span<UInt8>) -> Bool { constantTimeEqual(secret.bytes, bytes) }
}
