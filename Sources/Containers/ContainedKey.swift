// SPDX-License-Identifier: Apache-2.0
package import GOST

/// A key of a container, as the header describes it. None of this is secret.
package struct ContainedKey: Sendable, Equatable {
    /// The place of a key, which does not determine the key's role.
    package enum Index: Int, CaseIterable, Sendable {
        case first
        case second
    }

    /// The purpose of a key. The certificate of an exchange key usually allows signatures.
    package enum Role: CaseIterable, Sendable {
        case signature
        case exchange
    }

    package let index: Index
    package let role: Role
    /// GOST R 34.10-2001, or 2012 with 256 or 512 bits.
    package let algorithm: PublicKeyAlgorithm
    /// The curve under the object identifier that the header names.
    package let curve: Curve
    /// The object identifier of the hash function's parameter set, tag and length included, if the header names one.
    package let digestParameterSet: [UInt8]?
    /// Whether the header names an algorithm of key agreement.
    package let allowsAgreement: Bool
    /// Whether CryptoPro CSP may write the key elsewhere. Nothing here does.
    package let isExportable: Bool
    /// The first 8 bytes of the public key.
    package let fingerprint: [UInt8]
    /// The certificate in DER; nil until the owner has put one in.
    package let certificate: [UInt8]?
    /// The time in which the key is to be used, if the header has one.
    package let period: Period?

    /// Times as `YYYYMMDDhhmmssZ`.
    package struct Period: Sendable, Equatable {
        package let begin: String?
        package let end: String?
    }
}

extension PublicKeyAlgorithm {
    /// The substitution of the ciphers and codes of a container.
    package var containerSBox: SBox { self == .gostR34102001 ? .cryptoProA : .tc26Z }
}
