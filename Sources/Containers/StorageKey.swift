// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The key that the keys of a container are enciphered with, of a password and a salt.
enum StorageKey {
    /// Derives a key of 32 bytes, by GOST R 34.11-94 for keys of 2001 and by Streebog-256 for all others, those of 512
    /// bits, too.
    ///
    /// Constant time in its secret inputs, the password and all that comes of it; the password's length shows.
    ///
    /// - Parameters:
    ///   - password: Four bytes for each character; none without a password.
    ///   - salt: 12 bytes of masks.key, or a fingerprint of 8.
    static func derive(_ algorithm: PublicKeyAlgorithm, password: Span<UInt8>, salt: Span<UInt8>) -> Secret {
        if algorithm == .gostR34102001 { return derive(GOSTR341194.self, password, salt) }
        return derive(Streebog256.self, password, salt)
    }

    private static let beginning = Array("DENEFH028.760246785.IUEFHWUIO.EF".utf8)

    private static func derive<Hash: HashFunction & ~Copyable>(
        _: Hash.Type, _ password: Span<UInt8>, _ salt: Span<UInt8>
    ) -> Secret {
        var hash = Hash()
        hash.update(salt)
        hash.update(password)
        let first = hash.finalize()

        var code = Secret(copying: beginning)
        for _ in 0..<(password.isEmpty ? 2 : 2000) {
            var hash = Hash()
            hash.update(code.padded(with: 0x36, to: Hash.blockSize).bytes)
            hash.update(first.bytes)
            hash.update(code.padded(with: 0x5C, to: Hash.blockSize).bytes)
            hash.update(first.bytes)
            code = hash.finalize()
        }

        var last = Hash()
        last.update(code.padded(with: 0x36, to: code.count).bytes)
        last.update(salt)
        last.update(code.padded(with: 0x5C, to: code.count).bytes)
        last.update(password)
        let result = last.finalize()
        var final = Hash()
        final.update(result.bytes)
        return final.finalize()
    }
}

extension Secret {
    /// The bytes, and zeros up to `count`, each with `pad` added modulo 2.
    fileprivate func padded(with pad: UInt8, to count: Int) -> Secret {
        var result = Secret(count: count)
        var padded = result.mutableBytes
        for index in padded.indices { padded[index] = pad ^ (index < self.count ? bytes[index] : 0) }
        return result
    }
}
