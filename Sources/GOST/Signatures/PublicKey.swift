// SPDX-License-Identifier: Apache-2.0
internal import GOSTKernels
import Secrets

/// A verification key of GOST R 34.10: a point Q of the subgroup of order q, not O.
package struct PublicKey: Sendable, Hashable {
    /// The curve; keys with the same point under another object identifier are not equal to this one.
    package let curve: Curve
    /// X ‖ Y, both little-endian: twice ``Curve/coordinateSize`` bytes.
    package let bytes: [UInt8]

    /// Reads and checks a public key.
    ///
    /// - Parameter bytes: X ‖ Y, both little-endian, each ``Curve/coordinateSize`` bytes.
    /// - Throws: ``GOSTError/invalidPoint`` if the length is wrong, a coordinate is not below p, the point is not on
    ///   the curve, or (where the cofactor is 4) q·Q is not O; ``GOSTError/libraryFailure``.
    package init(curve: Curve, bytes: [UInt8]) throws(GOSTError) {
        _ = try CurveArithmetic(curve).point(bytes.span)
        self.curve = curve
        self.bytes = bytes
    }

    /// The key with a point X ‖ Y that was computed on the curve.
    init(computed point: borrowing Secret, on curve: Curve) {
        self.curve = curve
        bytes = [UInt8](copying: point.bytes)
    }

    /// Verifies a signature (RFC 7091, 6.2; RFC 5832, 6.2 is the same for 256 bits).
    ///
    /// - Parameters:
    ///   - signature: s ‖ r, both big-endian, each ``Curve/coordinateSize`` bytes, as PKCS #11 and X.509 have it.
    ///   - digest: The hash code of the message in the order in which hash functions give it, least significant byte
    ///     first: ``Curve/coordinateSize`` bytes.
    /// - Returns: Whether the signature is valid. A wrong length makes it invalid.
    /// - Throws: ``GOSTError/outOfMemory``.
    /// - Warning: leaks `signature` and `digest` through timing; for public values only.
    package func isValidSignature(_ signature: [UInt8], digest: [UInt8]) throws(GOSTError) -> Bool {
        guard signature.count == bytes.count, digest.count == curve.coordinateSize else { return false }
        let prepared = try PreparedPoints.shared.point(of: self)
        return unsafe try curve.withDomain { domain in
            unsafe bytes.span.withUnsafeBufferPointer { point in
                unsafe digest.span.withUnsafeBufferPointer { digest in
                    unsafe signature.span.withUnsafeBufferPointer { signature in
                        unsafe PreparedPoint.withMultiples(of: prepared) {
                            unsafe gost_verify(
                                domain, point.baseAddress, $0, digest.baseAddress, signature.baseAddress)
                        }
                    }
                }
            }
        }
    }
}
