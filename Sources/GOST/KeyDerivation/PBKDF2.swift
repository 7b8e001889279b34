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
        derive(password: password, salt: salt, iterations: iterations, count: count) { _ throws(Never) in }
    }

    /// As ``derive(password:salt:iterations:count:)``, for many iterations.
    ///
    /// - Parameter step: Called now and then with the number of iterations done, of all blocks. Its error ends the work.
    package static func derive<Failure>(
        password: Span<UInt8>, salt: Span<UInt8>, iterations: Int, count: Int, step: (Int) throws(Failure) -> Void
    ) throws(Failure) -> Secret {
        let keyed = HMAC<Hash>(key: password)
        var derived = Secret(count: count)
        var output = derived.mutableBytes
        for (number, start) in zip(1..., stride(from: 0, to: output.count, by: Hash.digestSize)) {
            let done = (number - 1) * max(iterations, 1)
            let block = try block(number, keyed: keyed, salt: salt, iterations: iterations) {
                (own: Int) throws(Failure) in try step(done + own)
            }
            let bytes = block.bytes
            for index in start..<min(start + bytes.count, output.count) { output[index] = bytes[index - start] }
        }
        return derived
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

/// The pseudorandom functions of IKEv2: PRF_IPSEC_PRFPLUS_GOSTR3411_2012_256 and PRF_IPSEC_PRFPLUS_GOSTR3411_2012_512
/// (RFC 7836, 4.2.2), which are RFC 7296's prf+ over ``Streebog256`` and ``Streebog512``.
package enum PRFPlus<Hash: HashFunction> {
    /// Derives `count` bytes from `key`, which can have any length.
    ///
    /// Block i is T(i) = HMAC(key, T(i − 1) ‖ seed ‖ [i]), where T(0) is empty and [i] is one byte.
    ///
    /// Constant time in its secret inputs, `key` and `seed`.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `count` is not in 1…255 blocks.
    package static func derive(key: Span<UInt8>, seed: Span<UInt8>, count: Int) throws(GOSTError) -> Secret {
        guard count >= 1, (count - 1) / Hash.digestSize < 255 else { throw .invalidLength }
        let keyed = HMAC<Hash>(key: key)
        var derived = Secret(count: count)
        var output = derived.mutableBytes
        var block = Secret(count: 0)
        for start in stride(from: 0, to: count, by: Hash.digestSize) {
            var code = keyed.copy()
            code.update(block.bytes)
            code.update(seed)
            code.update([UInt8(truncatingIfNeeded: start / Hash.digestSize + 1)].span)
            block = code.finalize()
            for index in start..<min(start + block.count, count) { output[index] = block.bytes[index - start] }
        }
        return derived
    }
}

/// The pseudorandom functions of TLS 1.2: PRF_TLS_GOSTR3411_2012_256 and PRF_TLS_GOSTR3411_2012_512 (RFC 7836, 4.2.1),
/// which are RFC 5246's P_hash over ``Streebog256`` and ``Streebog512``.
package enum TLSPRF<Hash: HashFunction> {
    /// Derives `count` bytes from `secret`, which can have any length.
    ///
    /// With S = label ‖ seed, A(0) = S and A(i) = HMAC(secret, A(i − 1)), block i is HMAC(secret, A(i) ‖ S).
    ///
    /// Constant time in its secret inputs, `secret` and `seed`.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `count` is less than 1.
    package static func derive(
        secret: Span<UInt8>, label: Span<UInt8>, seed: Span<UInt8>, count: Int
    ) throws(GOSTError) -> Secret {
        guard count >= 1 else { throw .invalidLength }
        let keyed = HMAC<Hash>(key: secret)
        let seed = Secret(copying: label).appending(seed)
        var derived = Secret(count: count)
        var output = derived.mutableBytes
        var a = seed.copy()
        for start in stride(from: 0, to: count, by: Hash.digestSize) {
            var next = keyed.copy()
            next.update(a.bytes)
            a = next.finalize()
            var code = keyed.copy()
            code.update(a.bytes)
            code.update(seed.bytes)
            let block = code.finalize()
            for index in start..<min(start + block.count, count) { output[index] = block.bytes[index - start] }
        }
        return derived
    }
}
