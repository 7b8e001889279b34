// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import TestSupport

/// Message protection (GSC/1, 13 and 14).
extension ChannelHost {
    /// Puts a command, given in hexadecimal, under protection.
    func protect(_ command: String, padded: Bool? = nil) -> [UInt8] {
        let bytes = [UInt8](hex: command)
        let header = [bytes[0] | 0x0C | channel] + bytes[1..<4]
        var data: [UInt8] = []
        var expected: [UInt8] = []
        switch bytes.count {
        case 4: break
        case 5: expected = [bytes[4]]
        default:
            data = Array(bytes.dropFirst(5).prefix(Int(bytes[4])))
            expected = Array(bytes.dropFirst(5 + data.count))
        }
        let isPadded = padded ?? [0x20, 0x24, 0x2C].contains(bytes[1])
        return protect(header: header, data: data, expected: expected, padding: isPadded ? 1 : 2)
    }

    func protect(
        header: [UInt8], data: [UInt8], expected: [UInt8], padding: UInt8, mark: [UInt8] = [0x80], block: Int = 32
    ) -> [UInt8] {
        step()
        var plain = data
        if padding == 1, !data.isEmpty {
            plain += mark
            while !plain.count.isMultiple(of: block) { plain.append(0) }
        }
        let head = plain.isEmpty ? [] : [0x87] + TestObjects.length(plain.count + 1) + [padding]
        let length = expected.isEmpty ? [] : TestObjects.object(0x97, expected)
        let (ciphertext, tag) = seal(plain, [UInt8](counter: number) + header + head + length)
        let body = head + ciphertext + length + [0x8E, 8] + tag
        guard body.count > 255 else { return header + [UInt8(body.count)] + body + [0] }
        return header + [0, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body + [0, 0]
    }

    private func seal(_ plain: [UInt8], _ associated: [UInt8]) -> (ciphertext: [UInt8], tag: [UInt8]) {
        switch profile {
        case .classic:
            let ciphertext = Classic.apply(keys[0], [0, 0, 0, 0] + [UInt8](counter: number), plain)
            let tag = profile.authenticate(keys[1], [UInt8(associated.count)] + associated + ciphertext)
            return (ciphertext, Array(tag.prefix(8)))
        case .modern:
            let sealed = Modern.seal(keys[0], [UInt8](counter: number), associated, plain)
            return (Array(sealed.dropLast(8)), Array(sealed.suffix(8)))
        }
    }

    /// Verifies a reply and gives it in hexadecimal, without its padding; nil if it does not prove itself.
    func open(_ reply: [UInt8]) -> String? {
        guard reply.suffix(2) == [0x90, 0x00], var cursor = Optional(ByteCursor(Array(reply.dropLast(2)))) else {
            return nil
        }
        do {
            var head: [UInt8] = []
            var ciphertext: [UInt8] = []
            if cursor.nextTag == 0x87 {
                let value = try cursor.object(0x87)
                head = [0x87] + TestObjects.length(value.count) + value.prefix(1)
                ciphertext = Array(value.dropFirst())
            }
            let status = try cursor.object(0x99, length: 2)
            let tag = try cursor.object(0x8E, length: 8)
            try cursor.finish()
            let associated = [UInt8](counter: number) + head + [0x99, 2] + status
            guard var plain = open(ciphertext, tag, associated) else { return nil }
            if head.last == 1 {
                guard plain.count.isMultiple(of: 32), let end = plain.lastIndex(of: 0x80) else { return nil }
                plain = Array(plain.prefix(end))
            }
            return plain.hex + status.hex
        } catch {
            return nil
        }
    }

    private func open(_ ciphertext: [UInt8], _ tag: [UInt8], _ associated: [UInt8]) -> [UInt8]? {
        switch profile {
        case .classic:
            let expected = profile.authenticate(keys[3], [UInt8(associated.count)] + associated + ciphertext)
            guard Array(expected.prefix(8)) == tag else { return nil }
            return Classic.apply(keys[2], [0, 0, 0, 0] + [UInt8](counter: number), ciphertext)
        case .modern:
            return Modern.open(keys[1], [UInt8](counter: number), associated, ciphertext + tag)
        }
    }

    /// Sends a command under protection. A bare status word comes with "bare " before it.
    @discardableResult
    func send(_ command: String, padded: Bool? = nil) -> String {
        let reply = card.process(protect(command, padded: padded))
        return open(reply) ?? "bare " + reply.hex
    }

    /// Counts commands up to `number` as sent.
    func skip(to number: Int) {
        while self.number < number { step() }
    }

    /// Forgets that the last command was made, so that the next one has its number.
    func takeBack() { number -= 1 }

    /// Counts one command more, and takes the next epoch's keys when it is time.
    private func step() {
        if number / 256 > epoch {
            epoch += 1
            let parts = profile.expand(
                seed, "GSC1 epoch", [UInt8](counter: epoch), profile == .classic ? 160 : 96
            ).split(32)
            keys = Array(parts.dropLast())
            seed = parts[parts.count - 1]
        }
        number += 1
    }
}
