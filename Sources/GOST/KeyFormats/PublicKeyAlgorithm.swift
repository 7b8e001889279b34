// SPDX-License-Identifier: Apache-2.0

internal import GOSTKernels

/// The algorithm of a key in X.509 and PKCS #8.
package enum PublicKeyAlgorithm: Sendable, Hashable, CaseIterable {
    /// id-GostR3410-2001 (RFC 4491, 2.3.2).
    case gostR34102001
    /// id-tc26-gost3410-12-256 (RFC 9215, 4).
    case gostR34102012256
    /// id-tc26-gost3410-12-512 (RFC 9215, 4).
    case gostR34102012512

    /// The object identifier in DER, tag and length included.
    package var oid: [UInt8] {
        switch self {
        case .gostR34102001: [0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x13]
        case .gostR34102012256: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x01, 0x01]
        case .gostR34102012512: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x01, 0x02]
        }
    }

    /// The algorithm of a private key, which writers also name by its purpose, key agreement (RFC 4490, 4.1;
    /// id-tc26-agreement-gost-3410-12-256 and -512).
    ///
    /// - Parameter oid: The object identifier in DER, tag and length included.
    package init?(privateKey oid: [UInt8]) {
        switch oid {
        case [0x06, 0x06, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x62]: self = .gostR34102001
        case [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x06, 0x01]: self = .gostR34102012256
        case [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x06, 0x02]: self = .gostR34102012512
        default:
            guard let algorithm = Self.allCases.first(where: { $0.oid == oid }) else { return nil }
            self = algorithm
        }
    }

    /// The object identifier of the hash function that belongs to the algorithm, tag and length included:
    /// id-GostR3411-94-CryptoProParamSet, id-tc26-gost3411-12-256 or id-tc26-gost3411-12-512.
    package var digestParameterSet: [UInt8] {
        switch self {
        case .gostR34102001: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01]
        case .gostR34102012256: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02]
        case .gostR34102012512: [0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x03]
        }
    }

    /// The algorithm of a key that a token keeps by its parameter sets. The length of a key does not say whether it is of
    /// GOST R 34.10-2001, the hash function does; a key that names none is of 2012.
    ///
    /// - Parameter digestParameterSet: An object identifier in DER, tag and length included.
    package init(digestParameterSet: [UInt8]?, curve: Curve) {
        let usual: Self = curve.coordinateSize == 64 ? .gostR34102012512 : .gostR34102012256
        self = Self.allCases.first { $0.digestParameterSet == digestParameterSet } ?? usual
    }

    /// Whether a key of this algorithm may name such a curve, and such a hash function if it names one: by the table that
    /// OpenSSL's provider and engine read keys with, too.
    ///
    /// - Parameter digest: An object identifier in DER, tag and length included; empty for none.
    func allows(_ curve: Curve, digest: [UInt8]) -> Bool {
        let algorithm: gost_key_algorithm =
            switch self {
            case .gostR34102001: .of_2001
            case .gostR34102012256: .of_2012_256
            case .gostR34102012512: .of_2012_512
            }
        return unsafe gost_key_has_parameters(algorithm, curve.oid, curve.oid.count, digest, digest.count) != 0
    }
}
