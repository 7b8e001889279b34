// SPDX-License-Identifier: Apache-2.0
package import KanalKit

/// A key pair of RSA or P-256 on a token, as certificates and TLS have it.
package struct TokenKey: Sendable {
    /// A SubjectPublicKeyInfo in DER.
    package let publicKeyInfo: [UInt8]
    private let pair: KeyPair
    private let token: Token
    private let patience: Duration?

    /// - Throws: ``KanalError/invalidArgument(_:)`` for a key of another kind; what asking the token throws.
    package init(_ pair: KeyPair, on token: Token, waitingFor patience: Duration?) async throws {
        switch pair.kind {
        case .rsa, .p256: break
        default: throw KanalError.invalidArgument("only keys of RSA and P-256 are taken here")
        }
        publicKeyInfo = try await token.perform { session in try session.publicKeyInfo(of: pair) }
        self.pair = pair
        self.token = token
        self.patience = patience
    }

    /// Whether it is of P-256, and not of RSA.
    package var isOfCurve: Bool { pair.kind == .p256 }

    /// Signs a message: in the token's own thread, while the caller's is free. A signature of ECDSA is in DER.
    package func sign(_ message: [UInt8], _ algorithm: SigningAlgorithm) async throws -> [UInt8] {
        let signature = try await token.perform(waitingFor: patience) { [pair] session in
            try session.sign(message.span, with: pair, algorithm: algorithm)
        }
        return isOfCurve ? Self.der(signature) : signature
    }

    /// r and s as ECDSA-Sig-Value (RFC 3279, 2.2.3). None of the lengths has more than one byte.
    private static func der(_ signature: [UInt8]) -> [UInt8] {
        func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
            let digits = Array(number.drop { $0 == 0 })
            let value = (digits.first ?? 0x80) < 0x80 ? digits : [0] + digits
            return [0x02, UInt8(truncatingIfNeeded: value.count)] + value
        }
        let half = signature.count / 2
        let numbers = integer(signature.prefix(half)) + integer(signature.dropFirst(half))
        return [0x30, UInt8(truncatingIfNeeded: numbers.count)] + numbers
    }
}

/// Two are the same if their public keys are.
extension TokenKey: Hashable {
    package static func == (left: TokenKey, right: TokenKey) -> Bool { left.publicKeyInfo == right.publicKeyInfo }
    package func hash(into hasher: inout Hasher) { hasher.combine(publicKeyInfo) }
}
