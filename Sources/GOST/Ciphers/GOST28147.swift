internal import GOSTKernels
public import Secrets

/// The block cipher GOST 28147-89 with one key, in the simple substitution mode (ECB; RFC 5830, 5).
public struct GOST28147: ~Copyable, Sendable {
    private let keys: Wiped<Keys28147>
    private let substitution: Substitution

    /// A cipher with a key of 32 octets.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``.
    public init(key: Span<UInt8>, sBox: SBox) throws(GOSTError) {
        guard key.count == 32 else { throw .invalidKeyLength }
        self.init(key, sBox.substitution)
    }

    private init(_ key: Span<UInt8>, _ substitution: Substitution) {
        keys = Wiped(Keys28147(repeating: key))
        self.substitution = substitution
    }

    /// Enciphers whole blocks of 8 octets. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    public func encryptECB(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard plaintext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: plaintext)
        var blocks = result.mutableBytes
        if keys.encrypt(&blocks, substitution, .little) { return result }
        return transform(plaintext) { encrypt($0) }
    }

    /// Deciphers whole blocks of 8 octets. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    public func decryptECB(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard ciphertext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: ciphertext)
        var blocks = result.mutableBytes
        if keys.decrypt(&blocks, substitution, .little) { return result }
        return transform(ciphertext) { decrypt($0) }
    }

    /// Adds the gamma that follows `counter` (RFC 5830, 6) to every whole block in place, if there is a kernel for it.
    func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout UInt64) -> Bool {
        keys.addGamma(to: &blocks, counter: &counter, substitution, .little)
    }

    /// Enciphers four blocks.
    func encrypt(_ numbers: SIMD4<UInt64>) -> SIMD4<UInt64> {
        var blocks = Blocks28147(numbers)
        blocks.encrypt(keys.value, substitution)
        return blocks.numbers
    }

    /// Deciphers four blocks.
    func decrypt(_ numbers: SIMD4<UInt64>) -> SIMD4<UInt64> {
        var blocks = Blocks28147(numbers)
        blocks.decrypt(keys.value, substitution)
        return blocks.numbers
    }

    /// Enciphers one block.
    func encrypt(_ number: UInt64) -> UInt64 {
        var block: InlineArray<8, UInt8> = [0, 0, 0, 0, 0, 0, 0, 0]
        var octets = block.mutableSpan
        octets.setWord(number, at: 0)
        if keys.encrypt(&octets, substitution, .little) { return octets.word(at: 0) }
        return encrypt(SIMD4(number, 0, 0, 0))[0]
    }

    /// One block after the sixteen rounds of the authentication code.
    func authenticate(_ number: UInt64) -> UInt64 {
        var blocks = Blocks28147(SIMD4(number, 0, 0, 0))
        blocks.authenticate(keys.value, substitution)
        return blocks.numbers[0]
    }

    /// Applies `body` to all blocks of `input`, four by four.
    private func transform(_ input: Span<UInt8>, _ body: (SIMD4<UInt64>) -> SIMD4<UInt64>) -> Secret {
        var result = Secret(count: input.count)
        var output = result.mutableBytes
        for offset in stride(from: 0, to: input.count, by: 32) {
            let blocks = body(SIMD4(littleEndian: input.extracting(droppingFirst: offset)))
            for index in 0..<4 { output.setLittleEndian(blocks[index], at: offset + 8 * index) }
        }
        return result
    }

    /// The cipher with the key that follows this one in CryptoPro Key Meshing: the constant C deciphered
    /// (RFC 4357, 2.3.2). Constant time in its secret inputs.
    package func meshed() -> GOST28147 {
        let c: [UInt8] = [
            0x69, 0x00, 0x72, 0x22, 0x64, 0xC9, 0x04, 0x23, 0x8D, 0x3A, 0xDB, 0x96, 0x46, 0xE9, 0x2A, 0xC4,
            0x18, 0xFE, 0xAC, 0x94, 0x00, 0xED, 0x07, 0x12, 0xC0, 0x86, 0xDC, 0xC2, 0xEF, 0x4C, 0xA9, 0x2B,
        ]
        let key = transform(c.span) { decrypt($0) }
        return GOST28147(key.bytes, substitution)
    }
}
