import Secrets

/// The octets that a counter mode adds to a message: enciphered counters, made in batches.
///
/// The counter is a block that counts up, the most significant octet first. It is secret where it comes from a cipher
/// (MGM), so that it counts in constant time.
struct Gamma<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    /// The octets of a batch: enough for a cipher to work at full width.
    private static var batch: Int { 2048 }

    private(set) var cipher: Cipher
    private var counter: Secret
    private var octets = Secret(count: 0)
    private var used = 0

    /// Gamma from the block whose first octets are `counter` and whose other octets are zero.
    init(_ cipher: consuming Cipher, counter start: Span<UInt8>) {
        self.cipher = cipher
        counter = Secret(count: Cipher.blockSize)
        var bytes = counter.mutableBytes
        for index in 0..<min(start.count, bytes.count) { bytes[index] = start[index] }
    }

    /// Adds the next octets of gamma to `data`.
    mutating func add(to data: inout MutableSpan<UInt8>) {
        var done = 0
        while done < data.count {
            if used == octets.count {
                done += addBlocks(to: &data, from: done)
                guard done < data.count else { break }
                refill(wanted: data.count - done)
            }
            let count = min(octets.count - used, data.count - done)
            data.add(octets.bytes, from: used, at: done, count: count)
            used += count
            done += count
        }
    }

    /// Adds gamma to all whole blocks from `offset` on, if the cipher does so itself. Gives the number of their octets.
    private mutating func addBlocks(to data: inout MutableSpan<UInt8>, from offset: Int) -> Int {
        let count = (data.count - offset) / Cipher.blockSize * Cipher.blockSize
        var blocks = data._mutatingExtracting(offset..<offset + count)
        return cipher.addGamma(to: &blocks, counter: &counter) ? count : 0
    }

    /// Makes `wanted` octets of gamma, rounded up to blocks, or a batch if they are more.
    private mutating func refill(wanted: Int) {
        let size = Cipher.blockSize
        var batch = Secret(count: min((min(wanted, Self.batch) + size - 1) / size * size, Self.batch))
        var blocks = batch.mutableBytes
        for offset in stride(from: 0, to: blocks.count, by: size) { count(into: &blocks, at: offset) }
        cipher.encrypt(&blocks)
        octets = batch
        used = 0
    }

    /// Writes the counter at `offset` and counts up. No carry is lost or seen.
    private mutating func count(into blocks: inout MutableSpan<UInt8>, at offset: Int) {
        var bytes = counter.mutableBytes
        var carry: UInt64 = 1
        for word in stride(from: bytes.count - 8, through: 0, by: -8) {
            let value = bytes.word(at: word)
            blocks.setWord(value, at: offset + word)
            let (old, new) = (value.byteSwapped, value.byteSwapped &+ carry)
            bytes.setWord(new.byteSwapped, at: word)
            carry = (old & ~new) >> 63
        }
    }
}

extension MutableSpan<UInt8> {
    /// Adds, modulo 2, `count` octets of `other` from `start` to those at `offset`; both ranges exist.
    mutating func add(_ other: Span<UInt8>, from start: Int = 0, at offset: Int = 0, count: Int) {
        var index = 0
        while index + 8 <= count {
            let word = unsafe other.bytes.unsafeLoadUnaligned(fromByteOffset: start + index, as: UInt64.self)
            setWord(self.word(at: offset + index) ^ UInt64(littleEndian: word), at: offset + index)
            index += 8
        }
        while index < count {
            self[offset + index] ^= other[start + index]
            index += 1
        }
    }
}
