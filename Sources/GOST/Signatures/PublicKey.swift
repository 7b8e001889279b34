/// A verification key of GOST R 34.10: a point Q of a curve.
public struct PublicKey: Sendable, Equatable {
    public let curve: Curve
    /// X ‖ Y, both little-endian: twice ``Curve/coordinateSize`` octets.
    public let bytes: [UInt8]

    public init(curve: Curve, bytes: [UInt8]) throws(GOSTError) {
        throw .libraryFailure
    }

    public func isValidSignature(_ signature: [UInt8], digest: [UInt8]) -> Bool { false }
}
