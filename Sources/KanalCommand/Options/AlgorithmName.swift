// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Translation

/// How a key signs, as it is typed.
enum AlgorithmName: String, CaseIterable, ExpressibleByArgument {
    case gost
    case pkcs1SHA256 = "rsa-pkcs1-sha256"
    case pkcs1SHA384 = "rsa-pkcs1-sha384"
    case pkcs1SHA512 = "rsa-pkcs1-sha512"
    case pssSHA256 = "rsa-pss-sha256"
    case pssSHA384 = "rsa-pss-sha384"
    case pssSHA512 = "rsa-pss-sha512"
    case ecdsaSHA256 = "ecdsa-sha256"
    case ecdsaSHA384 = "ecdsa-sha384"
    case ecdsaSHA512 = "ecdsa-sha512"

    var algorithm: SigningAlgorithm {
        switch self {
        case .gost: .gost
        case .pkcs1SHA256: .rsaPKCS1(.sha256)
        case .pkcs1SHA384: .rsaPKCS1(.sha384)
        case .pkcs1SHA512: .rsaPKCS1(.sha512)
        case .pssSHA256: .rsaPSS(.sha256)
        case .pssSHA384: .rsaPSS(.sha384)
        case .pssSHA512: .rsaPSS(.sha512)
        case .ecdsaSHA256: .ecdsa(.sha256)
        case .ecdsaSHA384: .ecdsa(.sha384)
        case .ecdsaSHA512: .ecdsa(.sha512)
        }
    }

    /// The algorithm that a key signs by: the requested one, or its own.
    static func choose(_ name: AlgorithmName?, for kind: KeyKind) throws -> SigningAlgorithm {
        let own: [AlgorithmName] =
            switch kind {
            case .gost256, .gost512, .gost2001: [.gost]
            case .rsa: [.pkcs1SHA256, .pkcs1SHA384, .pkcs1SHA512, .pssSHA256, .pssSHA384, .pssSHA512]
            case .p256: [.ecdsaSHA256, .ecdsaSHA384, .ecdsaSHA512]
            case .other: []
            }
        guard let first = own.first else { throw CommandError(.failed, "this kind of key does not sign here") }
        let name = name ?? first
        guard own.contains(name) else {
            let names = own.map(\.rawValue).joined(separator: ", ")
            throw CommandError(.usage, "this key cannot sign with \(name.rawValue); use \(names)")
        }
        return name.algorithm
    }
}
