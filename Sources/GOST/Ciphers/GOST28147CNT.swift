// SPDX-License-Identifier: Apache-2.0

package import Secrets

/// GOST 28147-89 in the counter mode (CNT, the gamma mode; RFC 5830, 6), for a message that comes in pieces.
package struct GOST28147CNT: ~Copyable, Sendable {
    private let meshing: Bool
    private var cipher: GOST28147
    /// N3 and N4: the low and the high half.
    private var counter: SecretBox<UInt64>
    /// The bytes of gamma under this key so far.
    private var count = 0
    /// The block of gamma that is not used up.
    private var gamma = Secret(count: 0)
    private var used = 0

    /// Begins a message with a key of 32 bytes and an initialisation vector of 8.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 bytes (CryptoPro Key Meshing, RFC 4357, 2.3.2).
    ///   The standards tie this to the S-box's parameter set, but libraries differ, so that the caller decides.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    package init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        guard iv.count == 8 else { throw .invalidIVLength }
        cipher = try GOST28147(key: key, sBox: sBox)
        counter = SecretBox(iv.littleEndianUInt64(at: 0))
        self.meshing = meshing
        cipher.encrypt(&counter.value)
    }

    /// Enciphers or deciphers the next bytes of the message. Constant time in its secret inputs.
    package mutating func apply(_ data: Span<UInt8>) -> Secret {
        var result = Secret(copying: data)
        var bytes = result.mutableBytes
        var done = 0
        while done < data.count {
            if used == gamma.count {
                let added = addGamma(to: &bytes, from: done)
                done += added
                if added > 0 { continue }
                refill()
            }
            bytes[done] ^= gamma.bytes[used]
            used += 1
            done += 1
        }
        return result
    }

    /// Makes the next block of gamma.
    private mutating func refill() {
        var block = Secret(count: 8)
        var bytes = block.mutableBytes
        _ = addGamma(to: &bytes, from: 0)
        gamma = block
        used = 0
    }

    private mutating func changeKeyIfDue() {
        guard meshing, count == 1024 else { return }
        cipher = cipher.meshed()
        cipher.encrypt(&counter.value)
        count = 0
    }

    /// Adds the next gamma to bytes from `offset` on: to all whole sections between changes of key, or to whole blocks
    /// up to the next. Returns their number.
    private mutating func addGamma(to bytes: inout MutableSpan<UInt8>, from offset: Int) -> Int {
        let sections = (bytes.count - offset) / 1024 * 1024
        if meshing, count == 1024, sections > 0 {
            var blocks = bytes._mutatingExtracting(offset..<offset + sections)
            cipher.addMeshedGamma(to: &blocks, counter: &counter.value)
            return sections
        }
        changeKeyIfDue()
        let added = min(bytes.count - offset, meshing ? 1024 - count : .max) / 8 * 8
        guard added > 0 else { return 0 }
        var blocks = bytes._mutatingExtracting(offset..<offset + added)
        cipher.addGamma(to: &blocks, counter: &counter.value)
        count &+= added
        return added
    }
}
