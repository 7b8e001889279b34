// SPDX-License-Identifier: Apache-2.0
import GOST
package import Secrets
import Storage

extension SecretStore {
    /// Makes the group's key, if this machine has none. A damaged one is not replaced: nothing else opens the secrets.
    package func makeKey() throws(Failure) {
        guard try !hasKey() else { return }
        try sealing { () throws(ChannelError) in try directory.makeKey() }
    }

    /// Whether the group has a key on this machine.
    package func hasKey() throws(Failure) -> Bool {
        do throws(Failure) { _ = try key() } catch .noKey { return false }
        return true
    }

    /// The key of the group's seals and names.
    func key() throws(Failure) -> Secret { try groupKey(storedKey()) }

    /// The key as it is kept on this machine, and as other machines get it.
    private func storedKey() throws(Failure) -> Secret {
        if let key = try sealing({ () throws(ChannelError) in try directory.existingKey() }) { return key }
        let names = try filing { () throws(StorageError) in try directory.local.names() }
        throw names.contains(SealedDirectory.keyName) ? .keyDamaged : .noKey
    }

    /// A key that was brought into the directory of another group opens nothing there.
    private func groupKey(_ key: borrowing Secret) -> Secret { derived(key, "Kanal access group") }

    private func derived(_ key: borrowing Secret, _ label: String) -> Secret {
        let label = Array(label.utf8)
        return KDF.derive(key: key.bytes, label: label.span, seed: group.span)
    }
}

// MARK: - To another machine

extension SecretStore {
    private static let checkSize = 8

    /// The group's key as text, for another machine: key ‖ the first 8 bytes of KDF_GOSTR3411_2012_256(key, "Kanal
    /// shared key", group), in base 32 (RFC 4648), a hyphen between four digits.
    package func exportKey() throws(Failure) -> Secret {
        let key = try storedKey()
        let check = derived(key, "Kanal shared key")
        return Base32.text(key.appending(check.bytes.extracting(first: SecretStore.checkSize)))
    }

    /// Takes over the group's key from another machine, in whatever case and spacing. An existing key is replaced if
    /// this machine has no secrets under it, and kept beside it.
    package func join(_ text: borrowing Secret) throws(Failure) {
        guard let octets = Base32.octets(text), octets.count == SealedDirectory.keySize + SecretStore.checkSize else {
            throw .keyMalformed
        }
        let key = octets.extracting(0..<SealedDirectory.keySize)
        let check = derived(key, "Kanal shared key")
        let given = octets.bytes.extracting(droppingFirst: SealedDirectory.keySize)
        guard constantTimeEqual(given, check.bytes.extracting(first: SecretStore.checkSize)) else {
            throw .keyMalformed
        }
        try directory.local.withLock(failure: { .store(.storage($0)) }) { () throws(Failure) in
            let present = try sealing { () throws(ChannelError) in try directory.existingKey() }
            if let present {
                if constantTimeEqual(present.bytes, key.bytes) { return }
                let view = try view(groupKey(present), only: nil)
                guard view.states.values.allSatisfy({ $0.name == nil }) else { throw .otherKey }
            }
            try sealing { () throws(ChannelError) in
                try directory.local.replaceUnusable(SealedDirectory.keyName, with: key)
            }
            // The states that were seen under a different key are useless.
            try filing { () throws(StorageError) in
                for name in try memory?.names() ?? [] { try memory?.remove(name) }
            }
        }
    }
}

/// Base 32 by RFC 4648, 6, of secrets of a multiple of five bytes. Constant time in the bytes and digits.
private enum Base32 {
    /// Eight digits for five bytes, a hyphen between four.
    static func text(_ octets: borrowing Secret) -> Secret {
        let groups = octets.count / 5 * 2
        var text = Secret(count: max(groups * 5 - 1, 0))
        var characters = text.mutableBytes
        let bytes = octets.bytes
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
    static func octets(_ text: borrowing Secret) -> Secret? {
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
        var octets = Secret(count: count / 8 * 5)
        var bytes = octets.mutableBytes
        for group in 0..<count / 8 {
            var bits: UInt64 = 0
            for index in group * 8..<group * 8 + 8 { bits = bits << 5 | UInt64(values[index]) }
            for index in 0..<5 { bytes[group * 5 + index] = UInt8(truncatingIfNeeded: bits >> UInt64(32 - 8 * index)) }
        }
        return octets
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
