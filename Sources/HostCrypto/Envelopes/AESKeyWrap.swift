// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// AES Key Wrap (RFC 3394).
enum AESKeyWrap {
    /// The value by which a key that was unwrapped is recognised (2.2.3.1).
    private static let initial = [UInt8](repeating: 0xA6, count: 8)
    private static let rounds = 6

    /// The wrapped key, which is 8 bytes longer (2.2.1).
    ///
    /// - Throws: ``HostCryptoError/invalidLength`` unless `key` has 16 to 64 bytes, in whole eights.
    static func wrap(_ key: borrowing Secret, with kek: borrowing Secret) throws(HostCryptoError) -> [UInt8] {
        guard (16...64).contains(key.count), key.count % 8 == 0 else { throw .invalidLength }
        let cipher = try AESCipher(key: kek.bytes, iv: nil, isEncryption: true)
        var block = Secret(copying: initial)
        var rest = key.copy()
        for step in 1...rounds * key.count / 8 {
            let place = 8 * ((step - 1) % (key.count / 8))
            block = try self.step(cipher, block, &rest, at: place)
            add(step, to: &block)
        }
        return [UInt8](copying: block.appending(rest.bytes))
    }

    /// The key in what ``wrap(_:with:)`` made (2.2.2).
    ///
    /// - Throws: ``HostCryptoError/invalidLength``; ``HostCryptoError/decryptionFailed`` under another key.
    static func unwrap(_ wrapped: [UInt8], with kek: borrowing Secret) throws(HostCryptoError) -> Secret {
        guard (24...72).contains(wrapped.count), wrapped.count % 8 == 0 else { throw .invalidLength }
        let cipher = try AESCipher(key: kek.bytes, iv: nil, isEncryption: false)
        let count = wrapped.count / 8 - 1
        var block = Secret(copying: Array(wrapped.prefix(8)))
        var rest = Secret(copying: Array(wrapped.dropFirst(8)))
        for step in (1...rounds * count).reversed() {
            add(step, to: &block)
            block = try self.step(cipher, block, &rest, at: 8 * ((step - 1) % count))
        }
        let expected = initial
        guard constantTimeEqual(block.bytes, expected.span) else { throw .decryptionFailed }
        return rest
    }

    /// Puts a block and 8 bytes of the rest through the cipher.
    ///
    /// - Returns: The next block.
    private static func step(
        _ cipher: AESCipher, _ block: borrowing Secret, _ rest: inout Secret, at place: Int
    ) throws(HostCryptoError) -> Secret {
        let part = rest.extracting(place..<place + 8)
        let input = block.appending(part.bytes)
        let output = try cipher.process(input.bytes)
        var bytes = rest.mutableBytes
        for index in 0..<8 { bytes[place + index] = output.bytes[8 + index] }
        return output.extracting(0..<8)
    }

    /// Adds the number of a step, which is below 256, to the end of a block.
    private static func add(_ step: Int, to block: inout Secret) {
        var bytes = block.mutableBytes
        bytes[7] ^= UInt8(truncatingIfNeeded: step)
    }
}
