// SPDX-License-Identifier: Apache-2.0
import Emulator
import GOST
import Secrets

/// The primitives of both profiles for arrays (GSC/1, 3).
extension ChannelProfile {
    var curve: Curve { self == .classic ? .cryptoProA : .tc26256B }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        self == .classic ? GOSTR341194.hash(bytes) : Streebog256.hash(bytes)
    }

    func authenticate(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        switch self {
        case .classic: [UInt8](copying: HMAC<GOSTR341194>.authenticate(message.span, key: key.span))
        case .modern: [UInt8](copying: HMAC<Streebog256>.authenticate(message.span, key: key.span))
        }
    }

    func expand(_ key: [UInt8], _ label: String, _ seed: [UInt8], _ count: Int) -> [UInt8] {
        var output: [UInt8] = []
        var index: UInt8 = 1
        let bits = count * 8
        let length: [UInt8] = bits < 256 ? [UInt8(bits)] : [UInt8(bits >> 8), UInt8(bits & 0xFF)]
        while output.count < count {
            output += authenticate(key, [index] + Array(label.utf8) + [0] + seed + length)
            index += 1
        }
        return Array(output.prefix(count))
    }

    /// K_F or Q_PW of a password (GSC/1, 5).
    func verifier(_ password: String, _ salt: [UInt8]) throws -> [UInt8] {
        let bytes = [UInt8](password.utf8)
        switch self {
        case .classic:
            let key = PBKDF2<GOSTR341194>.derive(
                password: bytes.span, salt: salt.span, iterations: 10_000, count: 32)
            return [UInt8](copying: key)
        case .modern:
            let f = try SESPAKE.f(password: bytes.span, salt: salt.span, curve: curve)
            return [UInt8](copying: try SESPAKE.Verifier(curve: curve, f: f.bytes).point)
        }
    }
}

enum Classic {
    static func apply(_ key: [UInt8], _ iv: [UInt8], _ data: [UInt8]) -> [UInt8] {
        guard
            let text = try? CipherMessage.encrypt(data.span, .gost28147(.cryptoProA), .cnt, key: key.span, iv: iv.span)
        else { return [] }
        return [UInt8](copying: text)
    }
}

enum Modern {
    static let algorithm: [UInt8] = [0x06, 0x09, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x02, 0x01, 0x01, 0x02]

    static func nonce(_ number: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 12) + number }

    static func seal(_ key: [UInt8], _ number: [UInt8], _ associated: [UInt8], _ data: [UInt8]) -> [UInt8] {
        guard let mode = try? MGM(.kuznyechik, key: key.span, tagLength: 8),
            let sealed = try? mode.seal(data.span, nonce: nonce(number).span, authenticating: associated.span)
        else { return [] }
        return [UInt8](copying: sealed)
    }

    static func open(_ key: [UInt8], _ number: [UInt8], _ associated: [UInt8], _ sealed: [UInt8]) -> [UInt8]? {
        guard let mode = try? MGM(.kuznyechik, key: key.span, tagLength: 8),
            let data = try? mode.open(sealed.span, nonce: nonce(number).span, authenticating: associated.span)
        else { return nil }
        return [UInt8](copying: data)
    }
}

enum TestObjects {
    static func length(_ count: Int) -> [UInt8] {
        count < 128
            ? [UInt8(count)] : count < 256 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
    }

    static func object(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] { [tag] + length(value.count) + value }
}

extension [UInt8] {
    func split(_ size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<$0 + size]) }
    }

    func padded(to count: Int) -> [UInt8] { self + [UInt8](repeating: 0, count: Swift.max(count - self.count, 0)) }

    /// u32be(n).
    init(counter number: Int) {
        self = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }
}
