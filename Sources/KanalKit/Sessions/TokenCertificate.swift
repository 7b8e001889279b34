// SPDX-License-Identifier: Apache-2.0

import GOST
import HostCrypto
import Token
import Tokens
import Translation

/// A certificate on a token.
public struct TokenCertificate: Sendable, Equatable {
    /// The certificate in DER.
    public let value: [UInt8]
    /// The name that it was given.
    public let label: String
    /// The identifier that it shares with its key pair.
    public let id: [UInt8]
    /// Whether its private key is on the token. Private keys are seen after the PIN only.
    public let hasPrivateKey: Bool
    /// Whether the security officer has marked it as trusted (`CKA_TRUSTED`).
    public let isTrusted: Bool
    let reference: ObjectReference
}

extension TokenCertificate {
    /// The certificates that were read.
    static func all(in objects: [TokenObject]) -> [TokenCertificate] {
        let keys = Set(objects.filter { $0.key?.half == .privateKey }.map(\.identifier))
        return objects.compactMap { TokenCertificate($0, hasPrivateKey: keys.contains($0.identifier)) }
    }

    /// - Returns: nil unless the object is a certificate that was read.
    init?(_ object: TokenObject, hasPrivateKey: Bool) {
        guard case .certificate(_, let value?) = object.content else { return nil }
        self.value = value
        label = object.name
        id = object.identifier
        self.hasPrivateKey = hasPrivateKey
        isTrusted = object.isTrusted
        reference = ObjectReference(object)
    }
}

extension TokenCertificate {
    /// The certificate's contents.
    ///
    /// - Throws: ``KanalError/invalidArgument(_:)`` for bytes that are not a certificate.
    public func summary() throws(KanalError) -> CertificateSummary { try CertificateSummary(of: value) }
}
