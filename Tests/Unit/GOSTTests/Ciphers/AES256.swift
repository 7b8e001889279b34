// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// AES with a key of 256 bits (FIPS 197), for the examples of RFC 8645 only: slow, and with a table.
struct AES256: ~Copyable, BlockCipher {
    static var blockSize: Int { 16 }

    private let roundKeys: [[UInt8]]

    init(padding key: Span<UInt8>) {
        let bytes = (0..<32).map { $0 < key.count ? key[$0] : 0 }
        var words = (0..<8).map { Array(bytes[4 * $0..<4 * $0 + 4]) }
        var constant: UInt8 = 1
        for index in 8..<60 {
            var word = words[index - 1]
            if index % 4 == 0 { word = word.map { Self.sBox[Int($0)] } }
            if index % 8 == 0 {
                // The bytes were replaced before they change places, which makes no difference.
                word = [word[1] ^ constant, word[2], word[3], word[0]]
                constant = Self.double(constant)
            }
            words.append(zip(words[index - 8], word).map { $0 ^ $1 })
        }
        roundKeys = (0..<15).map { round in words[4 * round..<4 * round + 4].flatMap { $0 } }
    }

    private init(_ roundKeys: [[UInt8]]) { self.roundKeys = roundKeys }

    func copy() -> AES256 { AES256(roundKeys) }

    func encrypt(_ blocks: inout MutableSpan<UInt8>) {
        for offset in stride(from: 0, through: blocks.count - 16, by: 16) {
            var state = (0..<16).map { blocks[offset + $0] ^ roundKeys[0][$0] }
            for round in 1...14 {
                state = (0..<16).map { Self.sBox[Int(state[($0 * 5) % 16])] }
                if round < 14 { state = Self.mixColumns(state) }
                state = zip(state, roundKeys[round]).map { $0 ^ $1 }
            }
            for index in 0..<16 { blocks[offset + index] = state[index] }
        }
    }

    /// No mode of the examples deciphers blocks.
    func decrypt(_ blocks: inout MutableSpan<UInt8>) {}

    /// The right half alone counts, which the examples do not exhaust.
    func addGamma(to blocks: inout MutableSpan<UInt8>, counter: inout Counter) {
        for offset in stride(from: 0, through: blocks.count - 16, by: 16) {
            let halves = [counter.halves.left, counter.halves.right]
            var gamma = halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) } }
            var block = gamma.mutableSpan
            encrypt(&block)
            for index in 0..<16 { blocks[offset + index] ^= gamma[index] }
            counter.halves.right &+= 1
        }
    }

    func link(_ blocks: inout MutableSpan<UInt8>, by chain: Chain, register: inout Secret) {
        var register = register.mutableBytes
        for offset in stride(from: 0, through: blocks.count - 16, by: 16) {
            let text = (0..<16).map { blocks[offset + $0] }
            if chain == .input { for index in 0..<16 { register[index] ^= text[index] } }
            encrypt(&register)
            for index in 0..<16 {
                blocks[offset + index] = chain == .input ? register[index] : register[index] ^ text[index]
                if chain == .output { register[index] = blocks[offset + index] }
            }
        }
    }

    private static func mixColumns(_ state: [UInt8]) -> [UInt8] {
        (0..<16).map { index in
            let column = index & ~3
            let (a, b) = (state[index], state[column + (index + 1) % 4])
            let (c, d) = (state[column + (index + 2) % 4], state[column + (index + 3) % 4])
            return double(a ^ b) ^ b ^ c ^ d
        }
    }

    private static func double(_ byte: UInt8) -> UInt8 { byte << 1 ^ (byte >> 7) &* 0x1B }

    private static func rotate(_ byte: UInt8, _ shift: UInt8) -> UInt8 { byte << shift | byte >> (8 - shift) }

    /// Powers of the generator t + 1 and of its inverse walk through all elements but zero.
    private static let sBox: [UInt8] = {
        var (table, p, q) = ([UInt8](repeating: 0x63, count: 256), UInt8(1), UInt8(1))
        repeat {
            p ^= double(p)
            q ^= q << 1
            q ^= q << 2
            q ^= q << 4
            if q & 0x80 != 0 { q ^= 0x09 }
            var rotated = q
            for shift in 1...4 { rotated ^= rotate(q, UInt8(shift)) }
            table[Int(p)] = rotated ^ 0x63
        } while p != 1
        return table
    }()
}
