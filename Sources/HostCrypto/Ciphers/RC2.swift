// SPDX-License-Identifier: Apache-2.0
import Secrets

/// RC2 (RFC 2268), which old files of keys and certificates (PFX) are encrypted with, and which libcrypto has in a
/// provider that may not be there. It only deciphers.
///
/// - Warning: Leaks key and text through timing.
struct RC2: ~Copyable {
    /// The 64 words of the expanded key, each little-endian.
    private let words: Secret

    static let blockSize = 8

    /// Expands a key (RFC 2268, 2).
    ///
    /// - Parameter key: All of its bits count.
    /// - Throws: ``HostCryptoError/invalidKey`` unless it has 5 to 16 bytes.
    init(key: Span<UInt8>) throws(HostCryptoError) {
        guard (5...16).contains(key.count) else { throw .invalidKey }
        let count = key.count
        var expanded = Secret(copying: key, zeros: 128 - count)
        var bytes = expanded.mutableBytes
        for index in count..<128 {
            bytes[index] = Self.table[Int(bytes[index - 1] &+ bytes[index - count])]
        }
        bytes[128 - count] = Self.table[Int(bytes[128 - count])]
        for index in (0..<128 - count).reversed() {
            bytes[index] = Self.table[Int(bytes[index + 1] ^ bytes[index + count])]
        }
        words = expanded
    }

    /// Deciphers whole blocks in CBC and removes the padding (RFC 5652, 6.3).
    ///
    /// - Throws: ``HostCryptoError/invalidLength``; ``HostCryptoError/invalidParameter`` for the IV;
    ///   ``HostCryptoError/decryptionFailed`` for a text without padding.
    func decrypt(_ ciphertext: Span<UInt8>, iv: Span<UInt8>) throws(HostCryptoError) -> Secret {
        let size = Self.blockSize
        guard ciphertext.count % size == 0, !ciphertext.isEmpty else { throw .invalidLength }
        guard iv.count == size else { throw .invalidParameter }
        var text = Secret(copying: ciphertext)
        var bytes = text.mutableBytes
        for start in stride(from: 0, to: ciphertext.count, by: size) {
            decryptBlock(&bytes, at: start)
            for index in 0..<size {
                bytes[start + index] ^= start == 0 ? iv[index] : ciphertext[start + index - size]
            }
        }
        let padding = Int(bytes[ciphertext.count - 1])
        let count = ciphertext.count - padding
        guard (1...size).contains(padding), (count..<ciphertext.count).allSatisfy({ Int(bytes[$0]) == padding })
        else { throw .decryptionFailed }
        return text.extracting(0..<count)
    }

    /// RFC 2268, 4.
    private func decryptBlock(_ bytes: inout MutableSpan<UInt8>, at start: Int) {
        var r = SIMD4<UInt16>()
        for index in 0..<4 {
            r[index] = UInt16(bytes[start + 2 * index]) | UInt16(bytes[start + 2 * index + 1]) << 8
        }
        var next = 63
        for rounds in [5, 6, 5] {
            for _ in 0..<rounds { mix(&r, &next) }
            if next >= 0 { mash(&r) }
        }
        for index in 0..<4 {
            bytes[start + 2 * index] = UInt8(truncatingIfNeeded: r[index])
            bytes[start + 2 * index + 1] = UInt8(truncatingIfNeeded: r[index] >> 8)
        }
    }

    private func mix(_ r: inout SIMD4<UInt16>, _ next: inout Int) {
        for (index, shift) in [(3, 5), (2, 3), (1, 2), (0, 1)] as [(Int, UInt16)] {
            let (a, b, c) = (r[(index + 3) % 4], r[(index + 2) % 4], r[(index + 1) % 4])
            let turned = r[index] >> shift | r[index] << (16 - shift)
            r[index] = turned &- word(next) &- (a & b) &- (~a & c)
            next -= 1
        }
    }

    private func mash(_ r: inout SIMD4<UInt16>) {
        for index in [3, 2, 1, 0] { r[index] = r[index] &- word(Int(r[(index + 3) % 4] & 63)) }
    }

    private func word(_ index: Int) -> UInt16 {
        UInt16(words.bytes[2 * index]) | UInt16(words.bytes[2 * index + 1]) << 8
    }

    /// PITABLE.
    private static let table: [UInt8] = [
        0xD9, 0x78, 0xF9, 0xC4, 0x19, 0xDD, 0xB5, 0xED, 0x28, 0xE9, 0xFD, 0x79, 0x4A, 0xA0, 0xD8, 0x9D,
        0xC6, 0x7E, 0x37, 0x83, 0x2B, 0x76, 0x53, 0x8E, 0x62, 0x4C, 0x64, 0x88, 0x44, 0x8B, 0xFB, 0xA2,
        0x17, 0x9A, 0x59, 0xF5, 0x87, 0xB3, 0x4F, 0x13, 0x61, 0x45, 0x6D, 0x8D, 0x09, 0x81, 0x7D, 0x32,
        0xBD, 0x8F, 0x40, 0xEB, 0x86, 0xB7, 0x7B, 0x0B, 0xF0, 0x95, 0x21, 0x22, 0x5C, 0x6B, 0x4E, 0x82,
        0x54, 0xD6, 0x65, 0x93, 0xCE, 0x60, 0xB2, 0x1C, 0x73, 0x56, 0xC0, 0x14, 0xA7, 0x8C, 0xF1, 0xDC,
        0x12, 0x75, 0xCA, 0x1F, 0x3B, 0xBE, 0xE4, 0xD1, 0x42, 0x3D, 0xD4, 0x30, 0xA3, 0x3C, 0xB6, 0x26,
        0x6F, 0xBF, 0x0E, 0xDA, 0x46, 0x69, 0x07, 0x57, 0x27, 0xF2, 0x1D, 0x9B, 0xBC, 0x94, 0x43, 0x03,
        0xF8, 0x11, 0xC7, 0xF6, 0x90, 0xEF, 0x3E, 0xE7, 0x06, 0xC3, 0xD5, 0x2F, 0xC8, 0x66, 0x1E, 0xD7,
        0x08, 0xE8, 0xEA, 0xDE, 0x80, 0x52, 0xEE, 0xF7, 0x84, 0xAA, 0x72, 0xAC, 0x35, 0x4D, 0x6A, 0x2A,
        0x96, 0x1A, 0xD2, 0x71, 0x5A, 0x15, 0x49, 0x74, 0x4B, 0x9F, 0xD0, 0x5E, 0x04, 0x18, 0xA4, 0xEC,
        0xC2, 0xE0, 0x41, 0x6E, 0x0F, 0x51, 0xCB, 0xCC, 0x24, 0x91, 0xAF, 0x50, 0xA1, 0xF4, 0x70, 0x39,
        0x99, 0x7C, 0x3A, 0x85, 0x23, 0xB8, 0xB4, 0x7A, 0xFC, 0x02, 0x36, 0x5B, 0x25, 0x55, 0x97, 0x31,
        0x2D, 0x5D, 0xFA, 0x98, 0xE3, 0x8A, 0x92, 0xAE, 0x05, 0xDF, 0x29, 0x10, 0x67, 0x6C, 0xBA, 0xC9,
        0xD3, 0x00, 0xE6, 0xCF, 0xE1, 0x9E, 0xA8, 0x2C, 0x63, 0x16, 0x01, 0x3F, 0x58, 0xE2, 0x89, 0xA9,
        0x0D, 0x38, 0x34, 0x1B, 0xAB, 0x33, 0xFF, 0xB0, 0xBB, 0x48, 0x0C, 0x5F, 0xB9, 0xB1, 0xCD, 0x2E,
        0xC5, 0xF3, 0xDB, 0x47, 0xE5, 0xA5, 0x9C, 0x77, 0x0A, 0xA6, 0x20, 0x68, 0xFE, 0x7F, 0xC1, 0xAD,
    ]
}
