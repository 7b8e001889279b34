// SPDX-License-Identifier: Apache-2.0

import Secrets

/// A hash function that is known when the program is compiled.
package protocol HashFunction: Sendable {
    static var algorithm: HashAlgorithm { get }
}

extension HashFunction {
    /// The number of bytes of the hash code.
    package static var digestSize: Int { algorithm.digestSize }

    /// The hash code of `data`, for messages whose hash is not secret.
    package static func hash(_ data: Span<UInt8>) -> [UInt8] {
        var state = HashState(algorithm)
        state.update(data)
        let digest = state.finalize()
        return [UInt8](copying: digest.bytes)
    }

    /// The hash code of `data`, for messages whose hash is not secret.
    package static func hash(_ data: [UInt8]) -> [UInt8] { hash(data.span) }
}
