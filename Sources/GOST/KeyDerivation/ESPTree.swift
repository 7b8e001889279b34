public import Secrets

/// ESPTREE, which gives the packets of an IPsec security association their keys (RFC 9227, 4.1).
public enum ESPTree {
    /// The key, 32 octets, of the packets whose initialisation vector holds `i1`, `i2` and `i3`.
    ///
    /// The seeds of its three levels are 00 ‖ i1, i2 and i3, each in two octets, most significant first.
    ///
    /// Constant time in its secret input, the root key.
    ///
    /// - Throws: ``GOSTError/invalidKeyLength`` unless the root key has 32 octets.
    public static func key(root: Span<UInt8>, i1: UInt8, i2: UInt16, i3: UInt16) throws(GOSTError) -> Secret {
        try KDF.chain(root: root, seeds: [[0, i1], [UInt8](bigEndian: i2), [UInt8](bigEndian: i3)])
    }
}
