// SPDX-License-Identifier: Apache-2.0

import Secrets

/// GOST 28147-89 whose key changes after every 1024 bytes, if it is to (CryptoPro Key Meshing, RFC 4357, 2.3.2).
struct MeshedCipher: ~Copyable, Sendable {
    private(set) var cipher: GOST28147
    private let meshing: Bool
    private var count = 0

    init(_ cipher: consuming GOST28147, meshing: Bool) {
        self.cipher = cipher
        self.meshing = meshing
    }

    /// Counts the next blocks, of `bytes` bytes or as many of them as have the same key, and changes the key before
    /// them if that is due.
    ///
    /// - Returns: Their number of bytes, and whether the key has changed.
    mutating func begin(_ bytes: Int) -> (bytes: Int, keyHasChanged: Bool) {
        guard meshing else { return (bytes, false) }
        let isDue = count == 1024
        if isDue {
            cipher = cipher.meshed()
            count = 0
        }
        let bytes = min(bytes, 1024 - count)
        count += bytes
        return (bytes, isDue)
    }
}
