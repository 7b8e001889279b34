// SPDX-License-Identifier: Apache-2.0
package import GOST
package import Secrets

/// The key that the keys of a container are enciphered with, of a password and a salt (Containers, 5).
package enum StorageKey {
    /// Derives a key of 32 bytes, by GOST R 34.11-94 for keys of 2001 and by Streebog-256 for all others, also of 512
    /// bits.
    ///
    /// Constant time in its secret inputs, the password and all that comes of it; the password's length shows.
    ///
    /// - Parameters:
    ///   - password: Four bytes for each character; none without a password.
    ///   - salt: 12 bytes of masks.key, or a fingerprint of 8.
    package static func derive(_ algorithm: PublicKeyAlgorithm, password: Span<UInt8>, salt: Span<UInt8>) -> Secret {
        let hash: HashAlgorithm = algorithm == .gostR34102001 ? .gostR341194 : .streebog256
        let first = hashed(hash, salt, password)
        var code = Secret(copying: beginning)
        for _ in 0..<rounds(hasPassword: !password.isEmpty) {
            code = hashed(
                hash, code.padded(with: 0x36, to: hash.blockSize).bytes, first.bytes,
                code.padded(with: 0x5C, to: hash.blockSize).bytes, first.bytes)
        }
        let last = hashed(
            hash, code.padded(with: 0x36, to: code.count).bytes, salt, code.padded(with: 0x5C, to: code.count).bytes,
            password)
        return hashed(hash, last.bytes)
    }

    private static let beginning = Array("DENEFH028.760246785.IUEFHWUIO.EF".utf8)

    /// The number of rounds. Without a password nothing has to be slow.
    private static func rounds(hasPassword: Bool) -> Int { hasPassword ? 2000 : 2 }

    private static func hashed(
        _ algorithm: HashAlgorithm, _ a: Span<UInt8>, _ b: Span<UInt8> = Span(), _ c: Span<UInt8> = Span(),
        _ d: Span<UInt8> = Span()
    ) -> Secret {
        var hash = HashState(algorithm)
        hash.update(a)
        hash.update(b)
        hash.update(c)
        hash.update(d)
        return hash.finalize()
    }
}

extension Secret {
    /// The bytes, and zeros up to `count`, each with `pad` added modulo 2.
    fileprivate func padded(with pad: UInt8, to count: Int) -> Secret {
        var result = Secret(copying: bytes, zeros: count - self.count)
        var padded = result.mutableBytes
        for index in padded.indices { padded[index] ^= pad }
        return result
    }
}
