// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// A hash function whose message comes in pieces.
///
/// A hash may be keyed (``HMAC``) or its message may be a password, so that a state is never copied by accident, wipes
/// itself, and is constant time in the message; only the message's length shows.
package protocol HashFunction: ~Copyable, Sendable {
    /// The number of bytes of the hash code.
    static var digestSize: Int { get }
    /// The number of bytes to which ``HMAC`` pads its key.
    static var blockSize: Int { get }

    /// The state before the first byte.
    init()

    /// Appends `data` to the message. Constant time in its secret inputs.
    mutating func update(_ data: Span<UInt8>)

    /// Ends the message and returns its hash code of ``digestSize`` bytes, least significant byte of the standard's
    /// vector first. Constant time in its secret inputs.
    consuming func finalize() -> Secret

    /// A second state that goes on from here.
    borrowing func copy() -> Self
}

extension HashFunction where Self: ~Copyable {
    /// The hash code of `data`, for messages whose hash is not secret.
    package static func hash(_ data: Span<UInt8>) -> [UInt8] {
        var state = Self()
        state.update(data)
        let digest = state.finalize()
        return [UInt8](copying: digest.bytes)
    }

    /// The hash code of `data`, for messages whose hash is not secret.
    package static func hash(_ data: [UInt8]) -> [UInt8] {
        hash(data.span)
    }
}
