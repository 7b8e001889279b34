// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The message authentication code of GOST R 34.13-2015, 5.6 (OMAC1, CMAC), of a message that comes in pieces.
package struct OMAC<Cipher: GOSTBlockCipher & ~Copyable>: ~Copyable {
    private let tagLength: Int
    private var mac: SecretBox<gost_mac>

    /// Begins a message with a key of 32 bytes. Constant time in its secret inputs.
    ///
    /// - Parameter tagLength: The bytes of the MAC, from 1 to a block. The standard's own examples take half a block,
    ///   TLS and KExp15 a whole one.
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidLength`` for the MAC's.
    package init(key: Span<UInt8>, tagLength: Int = Cipher.blockSize) throws(GOSTError) {
        guard (1...Cipher.blockSize).contains(tagLength) else { throw .invalidLength }
        guard key.count == Cipher.keySize else { throw .invalidKeyLength }
        mac = SecretBox(omac: SecretBox(Cipher.algorithm.name, padding: key))
        self.tagLength = tagLength
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) { mac.update(data) }

    /// Ends the message and returns its MAC, the first bytes of the last block. Constant time in its secret inputs.
    package consuming func finalize() -> Secret { mac.end(tagLength) }

    /// The MAC of `data` under `key`. Constant time in its secret inputs.
    ///
    /// - Throws: As the initialiser.
    package static func authenticate(
        _ data: Span<UInt8>, key: Span<UInt8>, tagLength: Int = Cipher.blockSize
    ) throws(GOSTError) -> Secret {
        var code = try OMAC(key: key, tagLength: tagLength)
        code.update(data)
        return code.finalize()
    }
}

/// The message authentication code with ACPKM re-keying (OMAC-ACPKM-Master; RFC 8645, 6.3.5; R 1323565.1.017-2018), of
/// a message that comes in pieces.
///
/// Every section has a key of its own, and the key for its last block, from ACPKM-Master.
package struct OMACACPKM<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private var master: ACPKMMaster<Cipher>
    private let section: Int
    private let tagLength: Int
    private var cipher: Cipher
    private var lastKey: Secret
    private var chain: MACChain
    /// The bytes of this section so far.
    private var count = 0

    /// Begins a message with a master key of 32 bytes. Constant time in its secret inputs.
    ///
    /// - Parameters:
    ///   - section: The bytes of a section (N), whole blocks.
    ///   - masterSection: The bytes of key material after which the master key changes (T*), whole blocks.
    ///   - tagLength: The bytes of the MAC, from 1 to a block.
    /// - Throws: ``GOSTError/invalidKeyLength``, ``GOSTError/invalidParameter`` for the sections, or
    ///   ``GOSTError/invalidLength`` for the MAC's length.
    package init(
        key: Span<UInt8>, section: Int, masterSection: Int, tagLength: Int = Cipher.blockSize
    ) throws(GOSTError) {
        guard (1...Cipher.blockSize).contains(tagLength) else { throw .invalidLength }
        guard section > 0, section % Cipher.blockSize == 0 else { throw .invalidParameter }
        var master = try ACPKMMaster<Cipher>(key: key, section: masterSection)
        cipher = Cipher(padding: master.next(Cipher.keySize).bytes)
        lastKey = master.next(Cipher.blockSize)
        self.master = master
        self.section = section
        self.tagLength = tagLength
        chain = MACChain(blockSize: Cipher.blockSize)
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) {
        var rest = data
        while !rest.isEmpty {
            if chain.isFull { chain.encipher(cipher) }
            if count == section { beginSection() }
            let before = rest.count
            rest = chain.fill(from: rest)
            count += before - rest.count
        }
    }

    private mutating func beginSection() {
        cipher = Cipher(padding: master.next(Cipher.keySize).bytes)
        lastKey = master.next(Cipher.blockSize)
        count = 0
    }

    /// Ends the message and returns its MAC, the first bytes of the last block. Constant time in its secret inputs.
    package consuming func finalize() -> Secret {
        var chain = chain
        chain.finish(cipher, lastKey)
        return chain.code(tagLength)
    }
}

/// The chain of blocks of OMAC. The bytes of a block are added as they come; the block is enciphered when more do.
struct MACChain: ~Copyable {
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
        let byte = bytes[index]
        bytes[index] = byte << 1 | carry
        carry = byte >> 7
    }
    let polynomial: UInt8 = bytes.count == 8 ? 0x1B : 0x87
    if let last = bytes.indices.last { bytes[last] ^= polynomial & (0 &- carry) }
}

/// Requires that a MAC is the expected one. Constant time but for the answer, which is public.
///
/// - Throws: ``GOSTError/authenticationFailed``.
func authenticate(_ code: Span<UInt8>, as expected: Span<UInt8>) throws(GOSTError) {
    guard published(constantTimeEqual(expected, code)) else { throw .authenticationFailed }
}
