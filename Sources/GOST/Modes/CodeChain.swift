// SPDX-License-Identifier: Apache-2.0
import Secrets

/// The chain of blocks of OMAC. The bytes of a block are added as they come; the block is enciphered when more do.
struct CodeChain: ~Copyable {
    private var block: Secret
    private var used = 0

    init(blockSize: Int) { block = Secret(count: blockSize) }

    var isFull: Bool { used == block.count }

    /// Adds bytes from the front of `data` until the block is full, and returns the rest of `data`.
    @_lifetime(copy data)
    mutating func fill(from data: Span<UInt8>) -> Span<UInt8> {
        let used = used
        let taken = min(block.count - used, data.count)
        var bytes = block.mutableBytes
        bytes.add(data, at: used, count: taken)
        self.used = used + taken
        return data.extracting(droppingFirst: taken)
    }

    /// Adds and enciphers whole blocks from the front of `data`, if the cipher does so itself, but not the last bytes,
    /// and returns the rest of `data`.
    @_lifetime(copy data)
    mutating func absorbBlocks<Cipher: BlockCipher & ~Copyable>(
        of data: Span<UInt8>, _ cipher: borrowing Cipher
    ) -> Span<UInt8> {
        let count = (data.count - 1) / block.count * block.count
        guard used == 0, count > 0 else { return data }
        let done = cipher.absorb(data.extracting(first: count), into: &block)
        return done ? data.extracting(droppingFirst: count) : data
    }

    /// Enciphers the block and begins the next.
    mutating func encipher<Cipher: BlockCipher & ~Copyable>(_ cipher: borrowing Cipher) {
        cipher.encrypt(&block, 0..<block.count)
        used = 0
    }

    /// Enciphers the last block with K_1 = `key` added to a whole one, K_2 to a padded one.
    mutating func finish<Cipher: BlockCipher & ~Copyable>(_ cipher: borrowing Cipher, _ key: borrowing Secret) {
        let used = used
        var key = key.copy()
        var bytes = block.mutableBytes
        if used < bytes.count {
            bytes[used] ^= 0x80
            doubleInField(&key)
        }
        bytes.add(key.bytes, at: 0, count: bytes.count)
        encipher(cipher)
    }

    /// The first bytes of the block.
    func code(_ count: Int) -> Secret { block.extracting(0..<count) }
}

/// Multiplies `block`, its first byte the highest, by t in GF(2^64), where t^64 + t^4 + t^3 + t + 1 = 0, or in
/// GF(2^128), where t^128 + t^7 + t^2 + t + 1 = 0. Constant time.
func doubleInField(_ block: inout Secret) {
    var bytes = block.mutableBytes
    var carry: UInt8 = 0
    for index in bytes.indices.reversed() {
        let octet = bytes[index]
        bytes[index] = octet << 1 | carry
        carry = octet >> 7
    }
    let polynomial: UInt8 = bytes.count == 8 ? 0x1B : 0x87
    if let last = bytes.indices.last { bytes[last] ^= polynomial & (0 &- carry) }
}
