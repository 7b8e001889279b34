extension DigestAlgorithm {
    /// Whether nobody is known to make two messages with one digest, so that a signature is of the one that its maker
    /// saw. MD5 and SHA-1 are not among those (RFC 6151; RFC 9155, 1).
    var resistsCollisions: Bool { self != .md5 && self != .sha1 }
}

extension PublicKeyInfo {
    /// Whether a signature by this key counts: RSA has to have 1024 bits or more, and an exponent of at most 256
    /// (FIPS 186-5, 5.1), for a longer one makes its verification slow.
    var isStrong: Bool {
        guard case .rsa(let key) = self else { return true }
        return key.bitCount >= 1024 && key.publicExponent.count <= 32
    }
}
