// SPDX-License-Identifier: Apache-2.0

import Secrets

/// The register of the modes with feedback of GOST R 34.13-2015, 5.3 and 5.5: m bytes, one or more blocks.
///
/// Instead of being shifted, the register is a ring: the block that is enciphered to gamma makes room, byte by byte,
/// for the feedback.
struct FeedbackRegister<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    /// The feedback that follows the gamma in the register.
    enum Feedback {
        /// The gamma itself (OFB).
        case gamma
        /// The sum of gamma and input (CFB, enciphering).
        case output
        /// The input (CFB, deciphering).
        case input
    }

    private let cipher: Cipher
    private var bytes: Secret
    private var place = 0

    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidIVLength`` unless `iv` is one block or more.
    init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        guard !iv.isEmpty, iv.count % Cipher.blockSize == 0 else { throw .invalidIVLength }
        cipher = try Cipher(key: key)
        bytes = Secret(copying: iv)
    }

    /// The sum of `data` and the gamma.
    mutating func apply(_ data: Span<UInt8>, _ feedback: Feedback) -> Secret {
        var result = Secret(copying: data)
        var output = result.mutableBytes
        var done = 0
        while done < data.count {
            if place % Cipher.blockSize == 0 {
                done += applyToBlocks(&output, from: done, feedback)
                guard done < data.count else { break }
                cipher.encrypt(&bytes, place..<place + Cipher.blockSize)
            }
            let count = min(Cipher.blockSize - place % Cipher.blockSize, data.count - done)
            output.add(bytes.bytes, from: place, at: done, count: count)
            switch feedback {
            case .gamma: break
            case .output: setBytes(output.span.extracting(done..<done + count))
            case .input: setBytes(data.extracting(done..<done + count))
            }
            place = (place + count) % bytes.count
            done += count
        }
        return result
    }

    /// Adds the gamma to all whole blocks from `offset` on, if the register is one block or has them beforehand. Returns the
    /// number of their bytes. The register's next byte is the first of a block.
    private mutating func applyToBlocks(
        _ output: inout MutableSpan<UInt8>, from offset: Int, _ feedback: Feedback
    ) -> Int {
        let count = (output.count - offset) / Cipher.blockSize * Cipher.blockSize
        guard count > 0 else { return 0 }
        var blocks = output._mutatingExtracting(offset..<offset + count)
        if feedback == .input { return addGammaOfCiphertext(to: &blocks) }
        guard bytes.count == Cipher.blockSize else { return 0 }
        cipher.link(&blocks, by: feedback == .gamma ? .gamma : .output, register: &bytes)
        return count
    }

    /// Deciphers whole blocks. All that goes through the register is there beforehand: its own blocks and the ciphertext.
    private mutating func addGammaOfCiphertext(to blocks: inout MutableSpan<UInt8>) -> Int {
        let count = blocks.count
        guard count > Cipher.blockSize else { return 0 }
        var inputs = Secret(copying: bytes.bytes.extracting(droppingFirst: place))
            .appending(bytes.bytes.extracting(first: place))
            .appending(blocks.span)
        bytes = inputs.extracting(count..<count + bytes.count)
        place = 0
        cipher.encrypt(&inputs, 0..<count)
        blocks.add(inputs.bytes, count: count)
        return count
    }

    /// Puts `feedback` in the place of as many bytes of gamma.
    private mutating func setBytes(_ feedback: Span<UInt8>) {
        let place = place
        var gamma = bytes.mutableBytes
        for index in feedback.indices { gamma[place + index] = feedback[index] }
    }
}
