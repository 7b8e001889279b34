// SPDX-License-Identifier: Apache-2.0

import Secrets

/// Enciphered counters: the counter modes add them to a message.
struct Gamma<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var cipher: Cipher
    private var counter: SecretBox<Counter>
    /// The block that is not used up.
    private var bytes = Secret(count: 0)
    private var used = 0
    private let section: Int
    private var sectionRest: Int

    /// Gamma from the counter that begins with `start`.
    ///
    /// - Parameter section: The bytes after which ACPKM changes the key, whole blocks.
    init(_ cipher: consuming Cipher, counter start: Span<UInt8>, section: Int = .max) {
        self.cipher = cipher
        self.section = section
        sectionRest = section
        counter = SecretBox(Counter(start, blockSize: Cipher.blockSize, counting: .whole))
    }

    /// Adds the next bytes of gamma to `data`.
    mutating func add(to data: inout MutableSpan<UInt8>) {
        var done = 0
        while done < data.count {
            if used == bytes.count {
                let added = addBlocks(to: &data, from: done)
                done += added
                if added > 0 { continue }
                refill()
            }
            let count = min(bytes.count - used, data.count - done)
            data.add(bytes.bytes, from: used, at: done, count: count)
            used += count
            done += count
        }
    }

    /// Adds gamma to all whole blocks from `offset` on, or to those under the same key. Returns the number of their bytes.
    private mutating func addBlocks(to data: inout MutableSpan<UInt8>, from offset: Int) -> Int {
        changeKeyIfDue()
        let count = min((data.count - offset) / Cipher.blockSize * Cipher.blockSize, sectionRest)
        guard count > 0 else { return 0 }
        var blocks = data._mutatingExtracting(offset..<offset + count)
        cipher.addGamma(to: &blocks, counter: &counter.value)
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

    /// Makes the next block of gamma.
    private mutating func refill() {
        var block = Secret(count: Cipher.blockSize)
        var blocks = block.mutableBytes
        _ = addBlocks(to: &blocks, from: 0)
        bytes = block
        used = 0
    }

    private mutating func changeKeyIfDue() {
        guard sectionRest == 0 else { return }
        cipher = cipher.rekeyed()
        sectionRest = section
    }
}
