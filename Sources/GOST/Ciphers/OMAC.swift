// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The message authentication code of GOST R 34.13-2015, 5.6 (OMAC1, CMAC), of a message that comes in pieces.
package struct OMAC: ~Copyable, Sendable {
    private let tagLength: Int
    private var mac: SecretBox<gost_mac>

    /// Begins a message with a key of 32 bytes. Constant time in its secret inputs.
    ///
    /// - Parameter tagLength: The bytes of the MAC, from 1 to a block, of which it has all by default, as in TLS and KExp15. The
    ///   standard's own examples take half a block.
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidLength`` for the MAC's.
    package init(_ algorithm: CipherAlgorithm, key: Span<UInt8>, tagLength: Int? = nil) throws(GOSTError) {
        let length = tagLength ?? algorithm.blockSize
        guard (1...algorithm.blockSize).contains(length) else { throw .invalidLength }
        mac = SecretBox(omac: try SecretBox(algorithm, key: key))
        self.tagLength = length
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) { mac.update(data) }

    /// Ends the message and returns its MAC, the first bytes of the last block. Constant time in its secret inputs.
    package consuming func finalize() -> Secret { mac.end(tagLength) }

    /// The MAC of `data` under `key`. Constant time in its secret inputs.
    ///
    /// - Throws: As the initialiser.
    package static func authenticate(
        _ data: Span<UInt8>, _ algorithm: CipherAlgorithm, key: Span<UInt8>, tagLength: Int? = nil
    ) throws(GOSTError) -> Secret {
        var code = try OMAC(algorithm, key: key, tagLength: tagLength)
        code.update(data)
        return code.finalize()
    }
}
