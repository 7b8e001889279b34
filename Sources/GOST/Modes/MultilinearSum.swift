// SPDX-License-Identifier: Apache-2.0
import Secrets

/// The sum over blocks, each multiplied by a secret block of its own, in GF(2^64) or GF(2^128) (RFC 9058, 3): the
/// authenticator of MGM. Constant time.
struct MultilinearSum<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    /// The bytes that are multiplied at a time.
    private static var batch: Int { 2048 }

    private var factors: Gamma<Cipher>
    private var sum = Wiped(FieldElement())

    init(_ factors: consuming Gamma<Cipher>) { self.factors = factors }

    /// Adds the blocks of `data`, the last of them padded with zeros.
    mutating func append(_ data: Span<UInt8>) {
        let size = Cipher.blockSize
        for start in stride(from: 0, to: data.count, by: Self.batch) {
            let part = data.extracting(droppingFirst: start).extracting(first: min(Self.batch, data.count - start))
            let factors = factors.next((part.count + size - 1) / size * size)
            let whole = part.count / size * size
            let done = sum.addProducts(part.extracting(first: whole), factors.bytes, blockSize: size) ? whole : 0
            for offset in stride(from: done, to: part.count, by: size) {
                let block = FieldElement(part, at: offset, size: size)
                let factor = FieldElement(factors.bytes, at: offset, size: size)
                sum.value ^= size == 8 ? block.product64(factor) : block.product128(factor)
            }
        }
    }

    /// The sum as a block.
    func block() -> Secret {
        var block = Secret(count: Cipher.blockSize)
        var octets = block.mutableBytes
        if Cipher.blockSize == 16 { octets.setWord(sum.value.high.byteSwapped, at: 0) }
        octets.setWord(sum.value.low.byteSwapped, at: Cipher.blockSize - 8)
        return block
    }
}

/// An element of GF(2^128), or of GF(2^64) with only the low word: a polynomial, the coefficient of the highest power
/// in the highest bit.
struct FieldElement: BitwiseCopyable, Sendable {
    var high: UInt64 = 0
    var low: UInt64 = 0

    init() {}

    /// The block of 8 or 16 bytes at `offset`, most significant byte first; bytes that are missing count as zero.
    @inline(__always)
    init(_ data: Span<UInt8>, at offset: Int, size: Int) {
        if size == 16 { high = data.littleEndianUInt64(at: offset).byteSwapped }
        low = data.littleEndianUInt64(at: offset + size - 8).byteSwapped
    }

    static func ^= (left: inout FieldElement, right: FieldElement) {
        left.high ^= right.high
        left.low ^= right.low
    }

    /// The product in GF(2^64), where t^64 + t^4 + t^3 + t + 1 = 0.
    func product64(_ other: FieldElement) -> FieldElement {
        var product = FieldElement()
        var bits = other.low
        for _ in 0..<64 {
            let reduction = 0x1B & (0 &- (product.low >> 63))
            product.low = product.low << 1 ^ reduction ^ (low & (0 &- (bits >> 63)))
            bits <<= 1
        }
        return product
    }

    /// The product in GF(2^128), where t^128 + t^7 + t^2 + t + 1 = 0.
    func product128(_ other: FieldElement) -> FieldElement {
        var product = FieldElement()
        product.addAndDouble(self, other.high)
        product.addAndDouble(self, other.low)
        return product
    }

    /// For every bit of `bits`, the highest first: doubles and adds `element` times the bit.
    @inline(__always)
    private mutating func addAndDouble(_ element: FieldElement, _ bits: UInt64) {
        var bits = bits
        for _ in 0..<64 {
            let choice = 0 &- (bits >> 63)
            let reduction = 0x87 & (0 &- (high >> 63))
            high = (high << 1 | low >> 63) ^ (element.high & choice)
            low = low << 1 ^ reduction ^ (element.low & choice)
            bits <<= 1
        }
    }
}
