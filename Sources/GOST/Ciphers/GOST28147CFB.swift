// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// GOST 28147-89 in the cipher feedback mode (RFC 5830, 7), for a message that comes in pieces and is either enciphered
/// or deciphered.
package struct GOST28147CFB: ~Copyable, Sendable {
    private var meshed: MeshedCipher
    /// The block of ciphertext so far, then the gamma's bytes that are not used yet.
    private var register: Secret
    private var used = 0

    /// Begins a message with a key of 32 bytes and an initialisation vector of 8. Constant time in its secret inputs.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 bytes (CryptoPro Key Meshing, RFC 4357, 2.3.2).
    ///   The caller decides, as for ``GOST28147CNT``, because the S-box does not: TC26's own samples of CMS mesh with
    ///   id-tc26-gost-28147-param-Z.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        guard iv.count == 8 else { throw .invalidIVLength }
        meshed = MeshedCipher(try GOST28147(key: key, sBox: sBox), meshing: meshing)
        register = Secret(copying: iv)
    }

    /// Enciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func encrypt(_ plaintext: Span<UInt8>) -> Secret {
        apply(plaintext, enciphering: true)
    }

    /// Deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func decrypt(_ ciphertext: Span<UInt8>) -> Secret {
        apply(ciphertext, enciphering: false)
    }

    /// The sum of `data` and the gamma.
    private mutating func apply(_ data: Span<UInt8>, enciphering: Bool) -> Secret {
        var result = Secret(copying: data)
        var output = result.mutableBytes
        var done = 0
        while done < data.count {
            if used == 0 {
                done += applyToBlocks(&output, from: done, enciphering: enciphering)
                guard done < data.count else { break }
                _ = beginBlocks(8)
                meshed.cipher.encrypt(&register)
            }
            output[done] ^= register.bytes[used]
            setByte(enciphering ? output[done] : data[done])
            used = (used + 1) % 8
            done += 1
        }
        return result
    }

    /// Adds the gamma to all whole blocks from `offset` on, and returns the number of their bytes.
    private mutating func applyToBlocks(
        _ output: inout MutableSpan<UInt8>, from offset: Int, enciphering: Bool
    ) -> Int {
        let end = output.count - (output.count - offset) % 8
        var done = offset
        while done < end {
            let count = beginBlocks(end - done)
            var blocks = output._mutatingExtracting(done..<done + count)
            if enciphering {
                meshed.cipher.link(&blocks, by: .output, register: &register)
            } else {
                decipher(&blocks)
            }
            done += count
        }
        return end - offset
    }

    /// Deciphers whole blocks. All that goes through the register is there beforehand.
    private mutating func decipher(_ blocks: inout MutableSpan<UInt8>) {
        let count = blocks.count
        var gamma = register.appending(blocks.span)
        register = gamma.extracting(count..<count + 8)
        var bytes = gamma.mutableBytes
        var inputs = bytes._mutatingExtracting(0..<count)
        meshed.cipher.encrypt(&inputs)
        blocks.add(gamma.bytes, at: 0, count: count)
    }

    /// Counts the next blocks, and returns how many of so many bytes have the same key.
    private mutating func beginBlocks(_ bytes: Int) -> Int {
        let (bytes, keyHasChanged) = meshed.begin(bytes)
        if keyHasChanged { meshed.cipher.encrypt(&register) }
        return bytes
    }

    private mutating func setByte(_ byte: UInt8) {
        let used = used
        var bytes = register.mutableBytes
        bytes[used] = byte
    }
}
