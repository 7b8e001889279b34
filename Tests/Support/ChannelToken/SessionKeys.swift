// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets

/// The keys of one session, as the token has them (GSC/1, 13.1 and 14).
struct SessionKeys {
    private let isModern: Bool
    private var number: UInt32 = 0
    /// S of the next epoch.
    private var seed: [UInt8]
    private var command: [UInt8] = []
    private var response: [UInt8] = []
    /// K_exp.
    let exporter: [UInt8]

    init(isModern: Bool, seed: [UInt8], exporter: [UInt8] = []) {
        self.isModern = isModern
        self.seed = seed
        self.exporter = exporter
    }

    var numberBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendUInt32(number)
        return bytes
    }

    /// Counts a command; the first of an epoch changes the keys.
    mutating func advance() {
        number += 1
        guard number % 256 == 1 else { return }
        var epoch: [UInt8] = []
        epoch.appendUInt32(number / 256)
        let size = isModern ? 32 : 64
        let derived = expand(isModern, seed, "GSC1 epoch", epoch, 2 * size + 32)
        command = Array(derived[..<size])
        response = Array(derived[size..<2 * size])
        seed = Array(derived[(2 * size)...])
    }

    /// Returns the host's plaintext; nil if the tag is wrong.
    func open(_ ciphertext: [UInt8], _ tag: [UInt8], _ associated: [UInt8]) -> [UInt8]? {
        if isModern {
            let sealed = ciphertext + tag
            guard let mode = try? MGM(.kuznyechik, key: command.span, tagLength: 8),
                let text = try? mode.open(sealed.span, nonce: nonce.span, authenticating: associated.span)
            else { return nil }
            return bytes(text)
        }
        guard code(associated, ciphertext, command) == tag else { return nil }
        return gamma(ciphertext, command)
    }

    /// Returns the token's ciphertext and tag.
    func seal(_ text: [UInt8], _ associated: [UInt8]) -> ([UInt8], [UInt8]) {
        if isModern {
            guard let mode = try? MGM(.kuznyechik, key: response.span, tagLength: 8),
                let sealed = try? mode.seal(text.span, nonce: nonce.span, authenticating: associated.span)
            else { return ([], []) }
            let all = bytes(sealed)
            return (Array(all.dropLast(8)), Array(all.suffix(8)))
        }
        let ciphertext = gamma(text, response)
        return (ciphertext, code(associated, ciphertext, response))
    }

    private var nonce: [UInt8] { [UInt8](repeating: 0, count: 12) + numberBytes }

    private func gamma(_ text: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let iv = [0, 0, 0, 0] + numberBytes
        let key = Array(key.prefix(32))
        guard let sum = try? CipherMessage.encrypt(text.span, .gost28147(.cryptoProA), .cnt, key: key.span, iv: iv.span)
        else { return [] }
        return bytes(sum)
    }

    private func code(_ associated: [UInt8], _ ciphertext: [UInt8], _ key: [UInt8]) -> [UInt8] {
        let message = [UInt8(associated.count)] + associated + ciphertext
        let key = Array(key.suffix(32))
        return Array(bytes(HMAC<GOSTR341194>.authenticate(message.span, key: key.span)).prefix(8))
    }
}

/// EXP.
func expand(_ isModern: Bool, _ key: [UInt8], _ label: String, _ seed: [UInt8], _ count: Int) -> [UInt8] {
    let label = Array(label.utf8)
    do {
        return isModern
            ? bytes(try KDFTree<Streebog256>.derive(key: key.span, label: label.span, seed: seed.span, count: count))
            : bytes(try KDFTree<GOSTR341194>.derive(key: key.span, label: label.span, seed: seed.span, count: count))
    } catch {
        return []
    }
}

/// HM.
func authenticate(_ isModern: Bool, _ message: [UInt8], key: [UInt8]) -> [UInt8] {
    isModern
        ? bytes(HMAC<Streebog256>.authenticate(message.span, key: key.span))
        : bytes(HMAC<GOSTR341194>.authenticate(message.span, key: key.span))
}

func bytes(_ secret: borrowing Secret) -> [UInt8] { secret.bytes.indices.map { secret.bytes[$0] } }
