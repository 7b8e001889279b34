internal import GOSTKernels
/// The block cipher Magma of GOST R 34.12-2015 (RFC 8891): GOST 28147-89 with the rows id-tc26-gost-28147-param-Z, a
/// block and the words of a key beginning with the most significant octet.
///
/// Constant time in keys and blocks.
public struct Magma: ~Copyable, BlockCipher {
    /// The octets of a block.
    public static var blockSize: Int { 8 }

    private let keys: Wiped<Keys28147>
    private let substitution = SBox.tc26Z.substitution

    /// A cipher with the first 32 octets of `key`; octets that are missing count as zero. Constant time in its secret
    /// inputs.
    public init(padding key: Span<UInt8>) {
        keys = Wiped(Keys28147(bigEndian: key))
    }

    private init(_ keys: Keys28147) { self.keys = Wiped(keys) }

    /// A second cipher with the same key. Constant time in its secret inputs.
    public func copy() -> Magma { Magma(keys.value) }

    /// Enciphers every whole block of 8 octets in place (RFC 8891, 4.3). Constant time in its secret inputs.
    public func encrypt(_ blocks: inout MutableSpan<UInt8>) {
        if keys.encrypt(&blocks, substitution, .big) { return }
        transform(&blocks) { $0.encrypt(keys.value, substitution) }
    }

    /// Deciphers every whole block of 8 octets in place (RFC 8891, 4.4). Constant time in its secret inputs.
    public func decrypt(_ blocks: inout MutableSpan<UInt8>) {
        if keys.decrypt(&blocks, substitution, .big) { return }
        transform(&blocks) { $0.decrypt(keys.value, substitution) }
    }

    /// Adds enciphered counters to whole blocks of 8 octets in place, if there is a kernel for it. Constant time in its
    /// secret inputs.
    public func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) -> Bool {
        keys.addCounters(to: &blocks, counter: &counter, substitution, .big)
    }

    /// Applies `body` to all blocks, four by four.
    @inline(__always)
    private func transform(_ blocks: inout MutableSpan<UInt8>, _ body: (inout Blocks28147) -> Void) {
        let count = blocks.count / 8
        for first in stride(from: 0, to: count, by: 4) {
            let lanes = min(count - first, 4)
            var numbers = SIMD4<UInt64>()
            for lane in 0..<lanes { numbers[lane] = blocks.word(at: 8 * (first + lane)).byteSwapped }
            var four = Blocks28147(numbers)
            body(&four)
            let result = four.numbers
            for lane in 0..<lanes { blocks.setWord(result[lane].byteSwapped, at: 8 * (first + lane)) }
        }
    }
}
