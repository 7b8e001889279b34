// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// A key of RSA, of which each half contains the public key. The card's numbers are little-endian.
package struct RSAKey: Sendable, Equatable {
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

    init?(_ template: FileTemplate) {
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
    init?(_ entry: PKCS15Entry, publicKey: [UInt8]?) {
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

    package mutating func take(_ value: [UInt8]) {
        guard value.count == size.publicSize else { return }
        let modulus = [UInt8](value.prefix(size.blockSize).reversed())
        let exponent = Array(value.dropFirst(size.blockSize).reversed().drop { $0 == 0 })
        guard modulus[0] & 0x80 != 0, !exponent.isEmpty else { return }
        (self.modulus, publicExponent) = (modulus, exponent)
    }

    private static let type: UInt8 = 0x23
    package var files: KeyFiles? {
        KeyFiles(type: Self.type, parameter: 0x00, privateSize: size.privateSize, publicSize: size.publicSize)
    }

    /// The exponent 65537: tokens ignore every other. Without these data a key of 4096 bits would be malformed.
    static let generationParameters: [UInt8] = [0xA6, 0x06, 0x94, 0x04, 0x01, 0x00, 0x01, 0x00]
    func generatedValue(_ answer: [UInt8]) -> [UInt8] {
        answer + [0x01, 0x00, 0x01] + [UInt8](repeating: 0, count: size.blockSize / 2 - 3)
    }
}

extension MutableSpan<UInt8> {
    /// Enters a big-endian number's bytes from the last to the first.
    @_lifetime(self: copy self)
    mutating func enter(_ number: borrowing Secret, at start: Int, upTo size: Int) {
        for index in 0..<Swift.min(number.count, size) {
            self[start + index] = number.bytes[number.count - 1 - index]
        }
    }
}
