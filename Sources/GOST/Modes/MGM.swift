// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// The multilinear Galois mode (RFC 9058): encryption with authentication.
package struct MGM<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private let cipher: Cipher
    private let tagLength: Int

    /// A mode with a key of 32 bytes. Constant time in its secret inputs.
    ///
    /// - Parameter tagLength: The bytes of the tag, from 4 to a block.
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidLength`` for the tag's.
    package init(key: Span<UInt8>, tagLength: Int = Cipher.blockSize) throws(GOSTError) {
        guard (4...Cipher.blockSize).contains(tagLength) else { throw .invalidLength }
        cipher = try Cipher(key: key)
        self.tagLength = tagLength
    }

    /// The ciphertext of `plaintext`, as long, followed by the tag. Constant time in its secret inputs.
    ///
    /// - Parameters:
    ///   - nonce: One block whose first bit is zero, unique under the key.
    ///   - authenticated: Data that the tag covers and the result does not hold.
    /// - Throws: ``GOSTError/invalidIVLength`` for an invalid `nonce`, or ``GOSTError/invalidLength`` for no data at
    ///   all or too much: 2^(n/2) bits or more.
    package func seal(
        _ plaintext: Span<UInt8>, nonce: Span<UInt8>, authenticating authenticated: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        try check(nonce, plaintext.count, authenticated.count)
        var result = Secret(copying: plaintext, zeros: tagLength)
        var bytes = result.mutableBytes
        var text = bytes._mutatingExtracting(0..<plaintext.count)
        encipher(&text, nonce)
        let tag = tag(bytes.span.extracting(first: plaintext.count), nonce, authenticated)
        bytes.add(tag.bytes, at: plaintext.count, count: tagLength)
        return result
    }

    /// The plaintext of what ``seal(_:nonce:authenticating:)`` made, after its tag has been verified. Constant time in
    /// its secret inputs.
    ///
    /// - Throws: As `seal`, ``GOSTError/invalidLength`` if `sealed` is shorter than a tag, or
    ///   ``GOSTError/authenticationFailed``.
    package func open(
        _ sealed: Span<UInt8>, nonce: Span<UInt8>, authenticating authenticated: Span<UInt8>
    ) throws(GOSTError) -> Secret {
        guard sealed.count >= tagLength else { throw .invalidLength }
        let ciphertext = sealed.extracting(droppingLast: tagLength)
        try check(nonce, ciphertext.count, authenticated.count)
        let tag = tag(ciphertext, nonce, authenticated)
        try authenticate(sealed.extracting(droppingFirst: ciphertext.count), as: tag.bytes)
        var result = Secret(copying: ciphertext)
        var bytes = result.mutableBytes
        encipher(&bytes, nonce)
        return result
    }

    private func check(_ nonce: Span<UInt8>, _ text: Int, _ authenticated: Int) throws(GOSTError) {
        guard nonce.count == Cipher.blockSize, nonce[0] < 0x80 else { throw .invalidIVLength }
        let limit = Cipher.blockSize == 8 ? 1 << 29 : 1 << 60
        guard text < limit, authenticated < limit, (1..<limit).contains(text + authenticated) else {
            throw .invalidLength
        }
    }

    /// Adds the gamma E(Y_1) ‖ E(Y_2) ‖ …; Y_1 is the enciphered nonce.
    @_lifetime(bytes: copy bytes)
    private func encipher(_ bytes: inout MutableSpan<UInt8>, _ nonce: Span<UInt8>) {
        let start = begin(nonce, bit: 0)
        var gamma = Gamma(cipher.copy(), counter: start.bytes, counting: .right)
        gamma.add(to: &bytes)
    }

    /// The enciphered sum of all blocks, each multiplied by its H_i = E(Z_i); Z_1 is the enciphered nonce with its
    /// first bit set.
    private func tag(_ ciphertext: Span<UInt8>, _ nonce: Span<UInt8>, _ authenticated: Span<UInt8>) -> Secret {
        let start = begin(nonce, bit: 0x80)
        var sum = MultilinearSum(Gamma(cipher.copy(), counter: start.bytes, counting: .left))
        sum.append(authenticated)
        sum.append(ciphertext)
        var lengths = Secret(count: Cipher.blockSize)
        var bytes = lengths.mutableBytes
        for index in 0..<Cipher.blockSize / 2 {
            let shift = 8 * (Cipher.blockSize / 2 - 1 - index)
            bytes[index] = UInt8(truncatingIfNeeded: (8 * authenticated.count) >> shift)
            bytes[index + Cipher.blockSize / 2] = UInt8(truncatingIfNeeded: (8 * ciphertext.count) >> shift)
        }
        sum.append(lengths.bytes)
        var tag = sum.block()
        cipher.encrypt(&tag, 0..<tag.count)
        return tag.extracting(0..<tagLength)
    }

    /// The nonce, with `bit` in its first byte, enciphered.
    private func begin(_ nonce: Span<UInt8>, bit: UInt8) -> Secret {
        var block = Secret(copying: nonce)
        var bytes = block.mutableBytes
        bytes[0] |= bit
        cipher.encrypt(&bytes)
        return block
    }
}

/// The sum over blocks, each multiplied by a secret block of its own, in GF(2^64) or GF(2^128) (RFC 9058, 3): the
/// authenticator of MGM. Constant time.
struct MultilinearSum<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    /// The bytes that are multiplied at a time.
    private static var batch: Int { 2048 }

    private var factors: Gamma<Cipher>
    /// The low word, then the high one, which is 0 in GF(2^64).
    private var sum = SecretBox(InlineArray<2, UInt64>(repeating: 0))

    init(_ factors: consuming Gamma<Cipher>) { self.factors = factors }

    /// Adds the blocks of `data`, the last of them padded with zeros.
    mutating func append(_ data: Span<UInt8>) {
        let size = Cipher.blockSize
        var rest = data
        while rest.count >= size {
            let blocks = rest.extracting(first: min(rest.count / size * size, Self.batch))
            sum.addProducts(blocks, factors.next(blocks.count).bytes, blockSize: size)
            rest = rest.extracting(droppingFirst: blocks.count)
        }
        guard !rest.isEmpty else { return }
        let last = Secret(copying: rest, zeros: size - rest.count)
        sum.addProducts(last.bytes, factors.next(size).bytes, blockSize: size)
    }

    /// The sum as a block.
    func block() -> Secret {
        var block = Secret(count: Cipher.blockSize)
        var bytes = block.mutableBytes
        if Cipher.blockSize == 16 { bytes.setWord(sum.value[1].byteSwapped, at: 0) }
        bytes.setWord(sum.value[0].byteSwapped, at: Cipher.blockSize - 8)
        return block
    }
}
