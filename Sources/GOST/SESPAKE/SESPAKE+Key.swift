// SPDX-License-Identifier: Apache-2.0
package import Secrets

extension SESPAKE {
    /// The key K_A or K_B, by which the sides show each other that they know the password.
    package struct Key: ~Copyable, Sendable {
        /// The key's 32 bytes. Nothing but MACs may be made with it until the other side's MAC is valid.
        package let bytes: Secret
        /// The flag z_A or z_B.
        private let isDegenerate: Bool

        init(bytes: consuming Secret, isDegenerate: Bool) {
            self.bytes = bytes
            self.isDegenerate = isDegenerate
        }

        /// The MAC of a message of ``Transcript``: HMAC_GOSTR3411_2012_256, 32 bytes. Constant time in its secret
        /// inputs.
        package func code(for message: [UInt8]) -> Secret {
            HMAC<Streebog256>.authenticate(message.span, key: bytes.bytes)
        }

        /// Whether the other side's MAC of a message of ``Transcript`` is right. It never is if the flag z_A or z_B is
        /// set, and that takes as long to say (RFC 8133, 4.3, steps 23, 24, 28 and 29). Constant time in its secret
        /// inputs.
        package func isValid(_ code: Span<UInt8>, for message: [UInt8]) -> Bool {
            let expected = self.code(for: message)
            let isEqual = constantTimeEqual(expected.bytes, code)
            return isEqual && !isDegenerate
        }
    }
}
