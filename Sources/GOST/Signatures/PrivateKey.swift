public import Secrets

/// A signature key of GOST R 34.10: a number d, 0 < d < q.
public struct PrivateKey: ~Copyable, Sendable {
    public let curve: Curve
    /// d, little-endian: ``Curve/coordinateSize`` octets.
    public let scalar: Secret

    public init(curve: Curve, scalar: consuming Secret) throws(GOSTError) {
        self.curve = curve
        self.scalar = scalar
    }

    public static func generate(on curve: Curve, random: any RandomSource) throws(GOSTError) -> PrivateKey {
        throw .libraryFailure
    }

    public func publicKey() throws(GOSTError) -> PublicKey { throw .libraryFailure }

    public func sign(digest: Span<UInt8>, random: any RandomSource) throws(GOSTError) -> [UInt8] {
        throw .libraryFailure
    }

    public func vko2001(with peer: PublicKey, ukm: Span<UInt8>) throws(GOSTError) -> Secret {
        throw .libraryFailure
    }
}
