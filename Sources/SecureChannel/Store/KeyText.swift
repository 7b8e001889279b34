// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets

/// The key of a sealed directory as text, on its way from one machine of the user to another: key ‖ the first 8 bytes of
/// KDF_GOSTR3411_2012_256(key, label, seed), in base 32 (RFC 4648), a hyphen between four digits. Label and seed tell
/// which directory it is of.
enum KeyText {
    private static let checkSize = 8

    static func text(of key: borrowing Secret, label: String, seed: [UInt8]) -> Secret {
        let check = check(of: key, label, seed)
        return Base32.text(key.appending(check.bytes.extracting(first: checkSize)))
    }

    /// The key in a text of any case and spacing; nil if it is mistyped, or of another kind of directory.
    static func key(in text: borrowing Secret, label: String, seed: [UInt8]) -> Secret? {
        guard let bytes = Base32.bytes(text), bytes.count == SealedDirectory.keySize + checkSize else { return nil }
        let key = bytes.extracting(0..<SealedDirectory.keySize)
        let check = check(of: key, label, seed)
        let given = bytes.bytes.extracting(droppingFirst: SealedDirectory.keySize)
        guard constantTimeEqual(given, check.bytes.extracting(first: checkSize)) else { return nil }
        return key
    }

    private static func check(of key: borrowing Secret, _ label: String, _ seed: [UInt8]) -> Secret {
        let label = Array(label.utf8)
        return KDF.derive(key: key.bytes, label: label.span, seed: seed.span)
    }
}

/// Base 32 by RFC 4648, 6, of secrets of a multiple of five bytes. Constant time in the bytes and digits.
private enum Base32 {
    /// Eight digits for five bytes, a hyphen between four.
    static func text(_ key: borrowing Secret) -> Secret {
        let groups = key.count / 5 * 2
        var text = Secret(count: max(groups * 5 - 1, 0))
        var characters = text.mutableBytes
        let bytes = key.bytes
        for group in 0..<groups {
            let start = group / 2 * 5
            var bits: UInt64 = 0
            for index in start..<start + 5 { bits = bits << 8 | UInt64(bytes[index]) }
            for digit in 0..<4 {
                let shift = UInt64(35 - 5 * (group % 2 * 4 + digit))
                characters[group * 5 + digit] = character(UInt8(truncatingIfNeeded: bits >> shift & 31))
            }
            if group + 1 < groups { characters[group * 5 + 4] = 0x2D }
        }
        return text
    }

    /// nil if a character is not a digit, hyphen or white space, or digits are missing.
    static func bytes(_ text: borrowing Secret) -> Secret? {
        var digits = Secret(count: text.count)
        var values = digits.mutableBytes
        var count = 0
        var isSound = true
        let characters = text.bytes
        for index in characters.indices {
            let character = characters[index]
            if character == 0x2D || character == 0x20 || (0x09...0x0D).contains(character) { continue }
            let value = value(character)
            isSound = isSound && value < 32
            values[count] = value & 31
            count += 1
        }
        guard isSound, count % 8 == 0 else { return nil }
        var key = Secret(count: count / 8 * 5)
        var bytes = key.mutableBytes
        for group in 0..<count / 8 {
            var bits: UInt64 = 0
            for index in group * 8..<group * 8 + 8 { bits = bits << 5 | UInt64(values[index]) }
            for index in 0..<5 { bytes[group * 5 + index] = UInt8(truncatingIfNeeded: bits >> UInt64(32 - 8 * index)) }
        }
        return key
    }

    /// "A" to "Z", "2" to "7".
    private static func character(_ value: UInt8) -> UInt8 { value &+ 65 &- (41 & isGreater(value, than: 25)) }

    /// 255 for a character that is not a digit.
    private static func value(_ character: UInt8) -> UInt8 {
        let upper = character & ~(0x20 & isGreater(character, than: 0x60))
        let isLetter = isGreater(upper, than: 64) & ~isGreater(upper, than: 90)
        let isNumber = isGreater(character, than: 49) & ~isGreater(character, than: 55)
        return isLetter & (upper &- 65) | isNumber & (character &- 24) | ~(isLetter | isNumber)
    }

    /// 255 or 0.
    private static func isGreater(_ value: UInt8, than other: UInt8) -> UInt8 {
        UInt8(truncatingIfNeeded: (Int(other) - Int(value)) >> 8)
    }
}
