// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// The message authentication code of GOST R 34.13-2015, 5.6 (OMAC1, CMAC), of a message that comes in pieces.
package struct OMAC<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    private let cipher: Cipher
    private let tagLength: Int
    private var chain: CodeChain

    /// Begins a message with a key of 32 bytes. Constant time in its secret inputs.
    ///
    /// - Parameter tagLength: The bytes of the MAC, from 1 to a block. The standard's own examples take half a block,
    ///   TLS and KExp15 a whole one.
    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidLength`` for the MAC's.
    package init(key: Span<UInt8>, tagLength: Int = Cipher.blockSize) throws(GOSTError) {
        guard (1...Cipher.blockSize).contains(tagLength) else { throw .invalidLength }
        cipher = try Cipher(key: key)
        self.tagLength = tagLength
        chain = CodeChain(blockSize: Cipher.blockSize)
    }

    /// Appends `data` to the message. Constant time in its secret inputs.
    package mutating func update(_ data: Span<UInt8>) {
        var rest = data
        while !rest.isEmpty {
            if chain.isFull { chain.encipher(cipher) }
            rest = chain.absorbBlocks(of: rest, cipher)
            rest = chain.fill(from: rest)
        }
    }

    /// Ends the message and gives its MAC, the first bytes of the last block. Constant time in its secret inputs.
    package consuming func finalize() -> Secret {
        var key = Secret(count: Cipher.blockSize)
        cipher.encrypt(&key, 0..<key.count)
        doubleInField(&key)
        var chain = chain
        chain.finish(cipher, key)
        return chain.code(tagLength)
    }

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
