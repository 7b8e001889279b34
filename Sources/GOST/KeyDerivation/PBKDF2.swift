// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// PBKDF2 (RFC 8018, 5.2) with ``HMAC`` over a GOST hash function as its pseudorandom function. RFC 9337 uses it with
/// ``Streebog512``, older formats with ``GOSTR341194``.
package enum PBKDF2<Hash: HashFunction & ~Copyable> {
    /// Derives `count` bytes from a password. Fewer than one iteration counts as one, a negative `count` as zero.
    ///
    /// Constant time in its secret inputs, `password` and values derived from it; the password's length shows if it is
    /// longer than the hash's block.
    package static func derive(password: Span<UInt8>, salt: Span<UInt8>, iterations: Int, count: Int) -> Secret {
        let keyed = HMAC<Hash>(key: password)
        var derived = Secret(count: count)
        var output = derived.mutableBytes
        for (number, start) in zip(1..., stride(from: 0, to: output.count, by: Hash.digestSize)) {
            let block = block(number, keyed: keyed, salt: salt, iterations: iterations)
            let bytes = block.bytes
            for index in start..<min(start + bytes.count, output.count) { output[index] = bytes[index - start] }
        }
        return derived
    }

    /// The function F: the sum of the iterates U_1…U_c that begin with the salt and the block's number.
    private static func block(
        _ number: Int, keyed: borrowing HMAC<Hash>, salt: Span<UInt8>, iterations: Int
    ) -> Secret {
        var first = keyed.copy()
        first.update(salt)
        let suffix = [UInt8](bigEndian: number, count: 4)
        first.update(suffix.span)

        var iterate = first.finalize()
        var sum = iterate.copy()
        for _ in 1..<max(iterations, 1) {
            var next = keyed.copy()
            next.update(iterate.bytes)
            iterate = next.finalize()
            sum.add(iterate.bytes)
        }
        return sum
    }
}

extension Secret {
    /// Adds `other` to these bytes modulo 2, byte by byte.
    fileprivate mutating func add(_ other: Span<UInt8>) {
        var bytes = mutableBytes
        for index in 0..<min(bytes.count, other.count) { bytes[index] ^= other[index] }
    }
}
