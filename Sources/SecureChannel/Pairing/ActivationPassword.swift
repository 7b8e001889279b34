// SPDX-License-Identifier: Apache-2.0
package import Secrets

/// An activation password in its canonical form, `^[1-6A-F][A-NP-Z1-9]{11,31}$` (GSC/1, 5).
package struct ActivationPassword: ~Copyable, Sendable {
    /// The slot that the first symbol names, 1 to 6.
    package let slot: UInt8
    /// The symbols, 12 to 32 bytes of ASCII.
    package let canonical: Secret

    /// Reads a password as a user types it: in either case, with separators, with the look-alikes of Latin letters.
    ///
    /// - Parameter text: UTF-8 without a terminator.
    /// - Throws: ``ChannelError/passwordInvalid`` if it has no canonical form.
    package init(_ text: Span<UInt8>) throws(ChannelError) {
        var symbols = Secret(count: ActivationPassword.lengths.upperBound)
        var count = 0
        var scalars = ScalarCursor(text)
        while let scalar = try scalars.next() {
            guard let symbol = ActivationPassword.symbol(for: scalar) else { continue }
            guard symbol < 0x80, count < symbols.count else { throw .passwordInvalid }
            var bytes = symbols.mutableBytes
            bytes[count] = UInt8(truncatingIfNeeded: symbol)
            count += 1
        }
        guard ActivationPassword.lengths.contains(count) else { throw .passwordInvalid }
        for index in 0..<count where !ActivationPassword.isSymbol(symbols.bytes[index]) { throw .passwordInvalid }
        slot = try ActivationPassword.slot(for: symbols.bytes[0])
        canonical = symbols.extracting(0..<count)
    }

    /// Throws ``ChannelError/passwordInvalid`` if the password has fewer random symbols than the profile needs.
    func requireStrength(for profile: Profile) throws(ChannelError) {
        guard canonical.count - 1 >= profile.leastRandomSymbols else { throw .passwordInvalid }
    }

    private static let lengths = 12...32

    /// Letters but O, digits but 0.
    private static func isSymbol(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "O"): false
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "1")...UInt8(ascii: "9"): true
        default: false
        }
    }

    private static func slot(for first: UInt8) throws(ChannelError) -> UInt8 {
        switch first {
        case UInt8(ascii: "1")...UInt8(ascii: "6"): first - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): first - UInt8(ascii: "A") + 1
        default: throw .passwordInvalid
        }
    }
}

// MARK: - Normalisation

extension ActivationPassword {
    /// The symbol for which a Unicode scalar stands; nil for a separator. Other scalars stand for themselves.
    ///
    /// Of NFKC only the mappings of full-width ASCII, the no-break and ideographic spaces and U+2011 matter here.
    private static func symbol(for scalar: UInt32) -> UInt32? {
        switch scalar {
        case 0x20, 0x2D, 0xA0, 0x2010...0x2015, 0x2212, 0x3000: nil
        case 0xFF01...0xFF5E: symbol(for: scalar - 0xFF01 + 0x21)
        case 0x61...0x7A: scalar - 0x20
        case 0x430...0x44F: lookAlike(scalar - 0x20)
        default: lookAlike(scalar)
        }
    }

    /// The Latin letter that looks like a Cyrillic capital.
    private static func lookAlike(_ capital: UInt32) -> UInt32 {
        switch capital {
        case 0x410: 0x41  // А
        case 0x412: 0x42  // В
        case 0x415: 0x45  // Е
        case 0x41A: 0x4B  // К
        case 0x41C: 0x4D  // М
        case 0x41D: 0x48  // Н
        case 0x41E: 0x4F  // О
        case 0x420: 0x50  // Р
        case 0x421: 0x43  // С
        case 0x422: 0x54  // Т
        case 0x425: 0x58  // Х
        default: capital
        }
    }
}

/// Reads UTF-8 (RFC 3629) without making a `String` of it, which could not be wiped.
private struct ScalarCursor: ~Copyable, ~Escapable {
    private let text: Span<UInt8>
    private var position = 0

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) { self.text = text }

    /// The next scalar; nil at the end.
    mutating func next() throws(ChannelError) -> UInt32? {
        guard position < text.count else { return nil }
        let first = text[position]
        let (count, least): (Int, UInt32) =
            switch first {
            case 0x00...0x7F: (0, 0)
            case 0xC2...0xDF: (1, 0x80)
            case 0xE0...0xEF: (2, 0x800)
            case 0xF0...0xF4: (3, 0x1_0000)
            default: throw .passwordInvalid
            }
        guard count < text.count - position else { throw .passwordInvalid }
        var scalar = count == 0 ? UInt32(first) : UInt32(first & (0x3F >> UInt8(count)))
        for offset in 0..<count {
            let byte = text[position + 1 + offset]
            guard byte & 0xC0 == 0x80 else { throw .passwordInvalid }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        guard scalar >= least, scalar <= 0x10_FFFF else { throw .passwordInvalid }
        position += 1 + count
        return scalar
    }
}
