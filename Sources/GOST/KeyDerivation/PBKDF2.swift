// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// PBKDF2 (RFC 8018, 5.2) with ``HMAC`` over a GOST hash function as its pseudorandom function. RFC 9337 uses it with
/// ``Streebog512``, older formats with ``GOSTR341194``.
package enum PBKDF2<Hash: HashFunction> {
    /// The iterations between two calls of a step.
    private static var stepSize: Int { 4096 }

    /// Derives `count` bytes from a password. Fewer than one iteration counts as one, a negative `count` as zero.
    ///
    /// Constant time in its secret inputs, `password` and values derived from it; the password's length shows if it is
    /// longer than the hash's block.
    package static func derive(password: Span<UInt8>, salt: Span<UInt8>, iterations: Int, count: Int) -> Secret {
        derive(password: password, salt: salt, iterations: iterations, 0..<max(count, 0)) { _ throws(Never) in }
    }

    /// As ``derive(password:salt:iterations:count:)``, for many iterations, and for some of the derived bytes: no block is
    /// computed without them.
    ///
    /// - Parameters:
    ///   - places: The places of the bytes, from 0 on.
    ///   - step: Called now and then with the number of iterations done, of all blocks. Its error ends the work.
    package static func derive<Failure>(
        password: Span<UInt8>, salt: Span<UInt8>, iterations: Int, _ places: Range<Int>,
        step: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Secret {
        let keyed = HMAC<Hash>(key: password)
        var derived = Secret(count: places.count)
        var output = derived.mutableBytes
        for (done, number) in blocks(places).enumerated() {
            let block = try block(number + 1, keyed: keyed, salt: salt, iterations: iterations) {
                (own: Int) throws(Failure) in try step(done * max(iterations, 1) + own)
            }
            let bytes = block.bytes
            let start = number * bytes.count
            for place in places.clamped(to: start..<start + bytes.count) {
                output[place - places.lowerBound] = bytes[place - start]
            }
        }
        return derived
    }

    /// The blocks that have bytes at these places, counted from 0.
    package static func blocks(_ places: Range<Int>) -> Range<Int> {
        places.lowerBound / Hash.digestSize..<(places.upperBound + Hash.digestSize - 1) / Hash.digestSize
    }

    /// The function F: the sum of the iterates U_1…U_c that begin with the salt and the block's number.
    private static func block<Failure>(
        _ number: Int, keyed: borrowing HMAC<Hash>, salt: Span<UInt8>, iterations: Int,
        step: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Secret {
        var first = keyed.copy()
        first.update(salt)
        let suffix = [UInt8](bigEndian: number, count: 4)
        first.update(suffix.span)

        var iterate = first.finalize()
        var sum = iterate.copy()
        var done = 1
        while done < iterations {
            let count = min(iterations - done, stepSize - done % stepSize)
            keyed.iterate(&iterate, count, sum: &sum)
            done += count
            if done < iterations, done % stepSize == 0 { try step(done) }
        }
        return sum
    }
}
