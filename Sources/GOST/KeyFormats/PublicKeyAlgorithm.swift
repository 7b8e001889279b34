// SPDX-License-Identifier: Apache-2.0

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

    /// Whether this algorithm allows keys on a curve. Those of GOST R 34.10-2012 can use the parameter sets of GOST R
    /// 34.10-2001 too.
    func allows(_ curve: Curve) -> Bool {
        switch self {
        case .gostR34102001: curve.isOf2001
        case .gostR34102012256: curve.coordinateSize == 32
        case .gostR34102012512: curve.coordinateSize == 64
        }
    }
}

extension Curve {
    /// Whether the parameter set is one of GOST R 34.10-2001, under 1.2.643.2.2.
    var isOf2001: Bool { oid.starts(with: [0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02]) }
}
