// SPDX-License-Identifier: Apache-2.0
import Secrets

/// Enciphered counters, made in batches: the counter modes add them to a message, and MGM multiplies it by them.
struct Gamma<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    /// The bytes of a batch: enough for a cipher to work at full width.
    private static var batch: Int { 2048 }

    private var cipher: Cipher
    private var counter: Wiped<Counter>
    private var octets = Secret(count: 0)
    private var used = 0
    private let section: Int
    private var sectionRest: Int

    /// Gamma from the counter that begins with `start`.
    ///
    /// - Parameter section: The bytes after which ACPKM changes the key, whole blocks.
    init(
        _ cipher: consuming Cipher, counter start: Span<UInt8>, counting part: Counter.Part = .whole,
        section: Int = .max
    ) {
        self.cipher = cipher
        self.section = section
        sectionRest = section
        counter = Wiped(Counter(start, blockSize: Cipher.blockSize, counting: part))
    }

    /// Adds the next bytes of gamma to `data`.
    mutating func add(to data: inout MutableSpan<UInt8>) {
        var done = 0
        while done < data.count {
            if used == octets.count {
                let added = addBlocks(to: &data, from: done)
                done += added
                if added > 0 { continue }
                refill(wanted: data.count - done)
            }
            let count = min(octets.count - used, data.count - done)
            data.add(octets.bytes, from: used, at: done, count: count)
            used += count
            done += count
        }
    }

    /// Adds gamma to all whole blocks from `offset` on, or to those under the same key, if the cipher does so itself.
    /// Gives the number of their bytes.
    private mutating func addBlocks(to data: inout MutableSpan<UInt8>, from offset: Int) -> Int {
        changeKeyIfDue()
        let count = min((data.count - offset) / Cipher.blockSize * Cipher.blockSize, sectionRest)
        var blocks = data._mutatingExtracting(offset..<offset + count)
        guard count > 0, cipher.addGamma(to: &blocks, counter: &counter.value) else { return 0 }
        if section != .max { sectionRest -= count }
        return count
    }

    /// The next `count` bytes of gamma.
    mutating func next(_ count: Int) -> Secret {
        var result = Secret(count: count)
        var bytes = result.mutableBytes
        add(to: &bytes)
        return result
    }

    /// Makes `wanted` bytes of gamma, rounded up to blocks, or fewer: at most a batch, and none under the next key.
    private mutating func refill(wanted: Int) {
        changeKeyIfDue()
        let size = Cipher.blockSize
        let count = min((min(wanted, Self.batch) + size - 1) / size * size, Self.batch, sectionRest)
        var batch = Secret(count: count)
        var blocks = batch.mutableBytes
        for offset in stride(from: 0, to: count, by: size) { counter.value.write(&blocks, at: offset) }
        cipher.encrypt(&blocks)
        octets = batch
        used = 0
        if section != .max { sectionRest -= count }
    }

    private mutating func changeKeyIfDue() {
        guard sectionRest == 0 else { return }
        cipher = cipher.rekeyed()
        sectionRest = section
    }
}

extension MutableSpan<UInt8> {
    /// Adds, modulo 2, `count` bytes of `other` from `start` to those at `offset`; both ranges exist.
    @_lifetime(self: copy self)
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
