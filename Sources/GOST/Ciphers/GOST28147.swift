// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels
package import Secrets

/// The block cipher GOST 28147-89 with one key, in the simple substitution mode (ECB; RFC 5830, 5).
package struct GOST28147: ~Copyable, Sendable {
    /// The bytes of a block.
    package static var blockSize: Int { 8 }

    private var keys: SecretBox<Keys28147>
    private let substitution: Substitution

    /// A cipher with a key of 32 bytes.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength``.
    package init(key: Span<UInt8>, sBox: SBox) throws(GOSTError) {
        guard key.count == 32 else { throw .invalidKeyLength }
        self.init(key, sBox.substitution)
    }

    private init(_ key: Span<UInt8>, _ substitution: Substitution) {
        keys = SecretBox(Keys28147(repeating: key))
        self.substitution = substitution
    }

    /// Enciphers whole blocks of 8 bytes. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `plaintext` does not end with a block.
    package func encryptECB(_ plaintext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard plaintext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: plaintext)
        var blocks = result.mutableBytes
        encrypt(&blocks)
        return result
    }

    /// Deciphers whole blocks of 8 bytes. Constant time in its secret inputs.
    ///
    /// - Throws: ``GOSTError/invalidLength`` if `ciphertext` does not end with a block.
    package func decryptECB(_ ciphertext: Span<UInt8>) throws(GOSTError) -> Secret {
        guard ciphertext.count % 8 == 0 else { throw .invalidLength }
        var result = Secret(copying: ciphertext)
        var blocks = result.mutableBytes
        decrypt(&blocks)
        return result
    }

    /// Adds the gamma that follows `counter` (RFC 5830, 6) to every whole block in place, if there is a kernel for it.
    func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout UInt64) -> Bool {
        keys.addGamma(to: &blocks, counter: &counter, substitution, .little)
    }

    /// Adds gamma to whole sections of 1024 bytes in place, before each of which key and counter change (RFC 4357,
    /// 2.3.2), if there is a kernel for it.
    mutating func addMeshedGamma(to sections: inout MutableSpan<UInt8>, counter: inout UInt64) -> Bool {
        keys.addMeshedGamma(to: &sections, counter: &counter, substitution)
    }

    /// Enciphers every whole block in place.
    func encrypt(_ blocks: inout MutableSpan<UInt8>) {
        if keys.encrypt(&blocks, substitution, .little) { return }
        Blocks28147.transform(&blocks) { $0.encrypt(keys.value, substitution) }
    }

    /// Enciphers every whole block of `bytes` in place.
    func encrypt(_ bytes: inout Secret) {
        var blocks = bytes.mutableBytes
        encrypt(&blocks)
    }

    /// Deciphers every whole block in place.
    func decrypt(_ blocks: inout MutableSpan<UInt8>) {
        if keys.decrypt(&blocks, substitution, .little) { return }
        Blocks28147.transform(&blocks) { $0.decrypt(keys.value, substitution) }
    }

    /// Links all whole blocks in place; `register` is one block.
    func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) {
        if keys.link(&blocks, by: chain, register: &register, substitution, .little) { return }
        var register = register.mutableBytes
        for offset in stride(from: 0, to: blocks.count - 7, by: 8) {
            let (state, text) = (register.word(at: 0), blocks.word(at: offset))
            let block = encrypt(SIMD4(chain == .input ? state ^ text : state, 0, 0, 0))[0]
            let sum = chain == .input ? block : block ^ text
            register.setWord(chain == .gamma ? block : sum, at: 0)
            blocks.setWord(sum, at: offset)
        }
    }

    /// Adds every whole block to the state of the authentication code (RFC 5830, 8): sixteen rounds after each.
    func authenticate(_ blocks: Span<UInt8>, _ code: inout UInt64) {
        if keys.authenticate(blocks, &code, substitution) { return }
        for offset in stride(from: 0, to: blocks.count - 7, by: 8) {
            var four = Blocks28147(SIMD4(code ^ blocks.littleEndianUInt64(at: offset), 0, 0, 0))
            four.authenticate(keys.value, substitution)
            code = four.numbers[0]
        }
    }

    /// Enciphers four blocks.
    func encrypt(_ numbers: SIMD4<UInt64>) -> SIMD4<UInt64> {
        var blocks = Blocks28147(numbers)
        blocks.encrypt(keys.value, substitution)
        return blocks.numbers
    }

    /// The cipher with the key that follows this one in CryptoPro Key Meshing: the constant C deciphered
    /// (RFC 4357, 2.3.2). Constant time in its secret inputs.
    package func meshed() -> GOST28147 {
        let c: [UInt8] = [
            0x69, 0x00, 0x72, 0x22, 0x64, 0xC9, 0x04, 0x23, 0x8D, 0x3A, 0xDB, 0x96, 0x46, 0xE9, 0x2A, 0xC4,
            0x18, 0xFE, 0xAC, 0x94, 0x00, 0xED, 0x07, 0x12, 0xC0, 0x86, 0xDC, 0xC2, 0xEF, 0x4C, 0xA9, 0x2B,
        ]
        var key = Secret(copying: c)
        var blocks = key.mutableBytes
        decrypt(&blocks)
        return GOST28147(key.bytes, substitution)
    }
}

/// Four keys of GOST 28147-89 side by side, one in each lane, as eight words of 32 bits (RFC 5830, 5.1).
struct Keys28147: BitwiseCopyable, Sendable {
    fileprivate var words = InlineArray<8, SIMD4<UInt32>>(repeating: SIMD4())

    /// The same key of 32 bytes four times.
    init(repeating key: Span<UInt8>) {
        for index in 0..<8 { words[index] = SIMD4(repeating: key.littleEndianUInt32(at: 4 * index)) }
    }

    /// The same key of 32 bytes four times, the words beginning with the most significant byte (RFC 8891, 4.2).
    init(bigEndian key: Span<UInt8>) {
        for index in 0..<8 { words[index] = SIMD4(repeating: key.littleEndianUInt32(at: 4 * index).byteSwapped) }
    }

    /// Four keys; `pairs[i]` holds word i of each in its lower half and word i + 4 in its upper half.
    @inline(__always)
    init(pairs: InlineArray<4, SIMD4<UInt64>>) {
        for index in 0..<4 {
            words[index] = SIMD4(truncatingIfNeeded: pairs[index])
            words[index + 4] = SIMD4(truncatingIfNeeded: pairs[index] &>> 32)
        }
    }
}

/// Four blocks of GOST 28147-89 side by side: the kernel of the cipher's modes and of GOST R 34.11-94.
///
/// Constant time in blocks and keys.
struct Blocks28147: BitwiseCopyable, Sendable {
    /// N1 and N2 of every block: bytes 0…3 and 4…7.
    private var n1: SIMD4<UInt32>
    private var n2: SIMD4<UInt32>

    /// Blocks as numbers of 64 bits, byte 0 the least significant.
    @inline(__always)
    init(_ blocks: SIMD4<UInt64>) {
        n1 = SIMD4(truncatingIfNeeded: blocks)
        n2 = SIMD4(truncatingIfNeeded: blocks &>> 32)
    }

    /// The blocks as numbers of 64 bits.
    @inline(__always)
    var numbers: SIMD4<UInt64> {
        SIMD4<UInt64>(truncatingIfNeeded: n1) | SIMD4<UInt64>(truncatingIfNeeded: n2) &<< 32
    }

    /// Applies `body` to all whole blocks in place, four by four; `bigEndian` if their most significant byte comes
    /// first.
    @inline(__always)
    static func transform(
        _ blocks: inout MutableSpan<UInt8>, bigEndian: Bool = false, _ body: (inout Blocks28147) -> Void
    ) {
        let count = blocks.count / 8
        for first in stride(from: 0, to: count, by: 4) {
            let lanes = min(count - first, 4)
            var numbers = SIMD4<UInt64>()
            for lane in 0..<lanes {
                let number = blocks.word(at: 8 * (first + lane))
                numbers[lane] = bigEndian ? number.byteSwapped : number
            }
            var four = Blocks28147(numbers)
            body(&four)
            let result = four.numbers
            for lane in 0..<lanes {
                blocks.setWord(bigEndian ? result[lane].byteSwapped : result[lane], at: 8 * (first + lane))
            }
        }
    }

    /// The simple substitution mode, enciphering (RFC 5830, 5.1): K1…K8 three times, then K8…K1.
    mutating func encrypt(_ keys: Keys28147, _ substitution: Substitution) {
        for _ in 0..<3 { ascend(keys, substitution) }
        descend(keys, substitution)
        swap(&n1, &n2)
    }

    /// The simple substitution mode, deciphering (RFC 5830, 5.2): K1…K8, then K8…K1 three times.
    mutating func decrypt(_ keys: Keys28147, _ substitution: Substitution) {
        ascend(keys, substitution)
        for _ in 0..<3 { descend(keys, substitution) }
        swap(&n1, &n2)
    }

    /// The sixteen rounds of the authentication code (RFC 5830, 8): K1…K8 twice.
    mutating func authenticate(_ keys: Keys28147, _ substitution: Substitution) {
        for _ in 0..<2 { ascend(keys, substitution) }
    }

    @inline(__always)
    private mutating func ascend(_ keys: Keys28147, _ substitution: Substitution) {
        for index in 0..<4 { twoRounds(keys.words[2 * index], keys.words[2 * index + 1], substitution) }
    }

    @inline(__always)
    private mutating func descend(_ keys: Keys28147, _ substitution: Substitution) {
        for index in 0..<4 { twoRounds(keys.words[7 - 2 * index], keys.words[6 - 2 * index], substitution) }
    }

    /// Two rounds; the halves change places by changing roles.
    @inline(__always)
    private mutating func twoRounds(_ first: SIMD4<UInt32>, _ second: SIMD4<UInt32>, _ substitution: Substitution) {
        n2 ^= Self.rotate(substitution(n1 &+ first))
        n1 ^= Self.rotate(substitution(n2 &+ second))
    }

    /// The shift by eleven places towards the high bits.
    @inline(__always)
    private static func rotate(_ words: SIMD4<UInt32>) -> SIMD4<UInt32> {
        (words &<< 11) | (words &>> 21)
    }
}
