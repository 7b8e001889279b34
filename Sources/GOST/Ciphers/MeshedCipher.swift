/// GOST 28147-89 whose key changes after every 1024 octets, if it is to (CryptoPro Key Meshing, RFC 4357, 2.3.2).
struct MeshedCipher: ~Copyable, Sendable {
    private(set) var cipher: GOST28147
    private let meshing: Bool
    private var count = 0

    init(_ cipher: consuming GOST28147, meshing: Bool) {
        self.cipher = cipher
        self.meshing = meshing
    }

    /// Counts the next block, and changes the key before it if it is time.
    ///
    /// - Returns: Whether the key has changed.
    mutating func beginBlock() -> Bool {
        let isDue = meshing && count == 1024
        if isDue {
            cipher = cipher.meshed()
            count = 0
        }
        if meshing { count += 8 }
        return isDue
    }
}
