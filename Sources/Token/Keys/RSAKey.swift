// SPDX-License-Identifier: Apache-2.0
import APDU
package import HostCrypto
package import GOST
package import Secrets

/// A key of RSA, of which each half tells the public key. The card's numbers are little-endian.
package struct RSAKey: CardKey {
    package var size: RSAKeySize
    /// Big-endian, as long as a block; nil if the token does not give it back.
    package var modulus: [UInt8]?
    /// Big-endian, without zeros before it; nil if the token does not give it back.
    package var publicExponent: [UInt8]?

    package init(_ size: RSAKeySize, modulus: [UInt8]? = nil, publicExponent: [UInt8]? = nil) {
        self.size = size
        self.modulus = modulus
        self.publicExponent = publicExponent
    }

    package init?(_ record: ObjectRecord, _ template: FileTemplate) {
        guard template.properties.count > 2 else { return nil }
        let size =
            switch template.properties[0] {
            case Self.type: RSAKeySize(privateSize: template.size)
            case Self.type | 0x10: RSAKeySize(publicSize: template.size)
            default: RSAKeySize?.none
            }
        guard let size else { return nil }
        self.init(size)
    }

    /// - Parameter publicKey: `30 { 02 modulus, 02 exponent }` (RFC 8017, A.1.1).
    package init?(_ entry: PKCS15Entry, _ half: TokenKey.Half, publicKey: [UInt8]?) {
        guard entry.tag == 0x30 else { return nil }
        var outer = ByteCursor(publicKey ?? [])
        var cursor = ByteCursor((try? outer.object(0x30)) ?? [])
        let numbers = [try? cursor.object(0x02), try? cursor.object(0x02)].map { Array(($0 ?? []).drop { $0 == 0 }) }
        let isKey = RSAKeySize(bits: numbers[0].count * 8) != nil && !numbers[1].isEmpty
        let bits = entry.numbers.first ?? (isKey ? numbers[0].count * 8 : 0)
        guard let size = RSAKeySize(bits: bits) else { return nil }
        self.init(size, modulus: isKey ? numbers[0] : nil, publicExponent: isKey ? numbers[1] : nil)
    }

    /// Modulus and exponent, one after the other.
    package var value: [UInt8]? {
        guard let modulus, modulus.count == size.blockSize, let publicExponent else { return nil }
        let exponent = Array(publicExponent.reversed().prefix(size.blockSize / 2))
        return modulus.reversed() + exponent + [UInt8](repeating: 0, count: size.blockSize / 2 - exponent.count)
    }

    package func lacksValue(_ half: TokenKey.Half) -> Bool { modulus == nil }
    package mutating func take(_ value: [UInt8], _ half: TokenKey.Half) {
        guard value.count == size.publicSize else { return }
        let modulus = [UInt8](value.prefix(size.blockSize).reversed())
        let exponent = Array(value.dropFirst(size.blockSize).reversed().drop { $0 == 0 })
        guard modulus[0] & 0x80 != 0, !exponent.isEmpty else { return }
        (self.modulus, publicExponent) = (modulus, exponent)
    }
    package mutating func take(_ info: PublicKeyInfo) {
        guard case .rsa(let key) = info, key.bitCount == size.bits else { return }
        (modulus, publicExponent) = (key.modulus, key.publicExponent)
    }

    package func items(label: [UInt8], id: [UInt8]) -> [(ObjectRecord.Item, [UInt8])] { [(.label, label), (.id, id)] }

    private static let type: UInt8 = 0x23
    package var files: KeyFiles? {
        KeyFiles(type: Self.type, parameter: 0x00, privateSize: size.privateSize, publicSize: size.publicSize)
    }
    package var isPublished: Bool { true }

    /// The exponent 65537: tokens ignore every other. Without these data a key of 4096 bits would be malformed.
    package static let generationParameters: [UInt8] = [0xA6, 0x06, 0x94, 0x04, 0x01, 0x00, 0x01, 0x00]
    package var generatedSize: Int { size.blockSize }
    package func generatedValue(_ answer: [UInt8]) -> [UInt8] {
        answer + [0x01, 0x00, 0x01] + [UInt8](repeating: 0, count: size.blockSize / 2 - 3)
    }

    package var signatureSize: Int { size.blockSize }
    package static func signature(_ answer: [UInt8]) -> [UInt8] { answer.reversed() }
    package func agreedSize(_ hash: HashAlgorithm?) -> Int { 0 }
}

/// A length of RSA keys that tokens have files for.
package struct RSAKeySize: Sendable, Equatable {
    package let bits: Int

    /// - Returns: nil unless there are 512 to 4096 bits, in steps of 256.
    package init?(bits: Int) {
        guard (512...4096).contains(bits), bits.isMultiple(of: 256) else { return nil }
        self.bits = bits
    }

    /// - Returns: nil if no private key file has this size.
    package init?(privateSize: Int) { self.init(bits: (privateSize - 8) / 5 * 16) }

    /// - Returns: nil if no public key file has this size.
    package init?(publicSize: Int) { self.init(bits: publicSize / 3 * 16) }

    /// Bytes of the modulus, and of each block.
    var blockSize: Int { bits / 8 }
    /// Sizes in bytes of the two key files: five numbers of half the modulus' length and two pauses of four bytes; the
    /// modulus, and the exponent in half its length.
    package var privateSize: Int { 5 * blockSize / 2 + 8 }
    package var publicSize: Int { 3 * blockSize / 2 }

    /// A private key as the card takes it: p ‖ 00000000 ‖ q ‖ 00000000 ‖ the coefficient ‖ both exponents, each
    /// little-endian and half as long as the modulus.
    package func privateValue(_ factors: borrowing RSAFactors) -> Secret {
        let half = blockSize / 2
        var value = Secret(count: privateSize)
        var bytes = value.mutableBytes
        bytes.enter(factors.prime1, at: 0, upTo: half)
        bytes.enter(factors.prime2, at: half + 4, upTo: half)
        bytes.enter(factors.coefficient, at: 2 * half + 8, upTo: half)
        bytes.enter(factors.exponent1, at: 3 * half + 8, upTo: half)
        bytes.enter(factors.exponent2, at: 4 * half + 8, upTo: half)
        return value
    }
}

extension MutableSpan<UInt8> {
    /// Enters a big-endian number's bytes from the last to the first.
    @_lifetime(self: copy self)
    fileprivate mutating func enter(_ number: borrowing Secret, at start: Int, upTo size: Int) {
        for index in 0..<Swift.min(number.count, size) {
            self[start + index] = number.bytes[number.count - 1 - index]
        }
    }
}
