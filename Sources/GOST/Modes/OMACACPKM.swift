// SPDX-License-Identifier: Apache-2.0
package import Secrets

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
    private var chain: CodeChain
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
        chain = CodeChain(blockSize: Cipher.blockSize)
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

    /// Ends the message and gives its MAC, the first bytes of the last block. Constant time in its secret inputs.
    package consuming func finalize() -> Secret {
        var chain = chain
        chain.finish(cipher, lastKey)
        return chain.code(tagLength)
    }
}
