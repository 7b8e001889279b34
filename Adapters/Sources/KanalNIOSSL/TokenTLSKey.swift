// SPDX-License-Identifier: Apache-2.0
public import KanalKit
public import NIOCore
public import NIOSSL
import TokenKeys

/// A key pair of RSA or P-256 on a token, as a private key of swift-nio-ssl, for servers and clients.
///
///     let key = try await TokenTLSKey(pair, on: token)
///     let configuration = TLSConfiguration.makeServerConfiguration(
///         certificateChain: chain, privateKey: .privateKey(NIOSSLPrivateKey(customPrivateKey: key)))
///
/// The token signs each handshake, in a thread of its own: event loops serve other connections in the meantime.
/// Handshakes that come at once are signed one after the other. A handshake that comes while the token is away waits for it,
/// and fails if it does not come back in time; the next finds the token again.
///
/// The PIN has been accepted by an earlier ``KanalKit/Token/perform(as:pin:prompt:waitingFor:_:)`` of the token.
public struct TokenTLSKey: NIOSSLCustomPrivateKey, Hashable {
    private let key: TokenKey

    /// - Parameter patience: The longest wait of a signature for a token that is away when it is asked for. Nil for the
    ///   configured value.
    /// - Throws: ``KanalKit/KanalError/invalidArgument(_:)`` for a key of another kind, or without its public key on
    ///   the token; the errors of asking the token.
    public init(_ pair: KeyPair, on token: Token, waitingFor patience: Duration? = nil) async throws {
        key = try await TokenKey(pair, on: token, waitingFor: patience)
    }

    /// For RSA: PSS, and PKCS #1 v1.5 for TLS 1.2, with SHA-256, SHA-384 and SHA-512. For P-256: ECDSA with SHA-256.
    public var signatureAlgorithms: [SignatureAlgorithm] {
        key.isOfCurve
            ? [.ecdsaSecp256R1Sha256]
            : [
                .rsaPssRsaeSha256, .rsaPssRsaeSha384, .rsaPssRsaeSha512, .rsaPkcs1Sha256, .rsaPkcs1Sha384,
                .rsaPkcs1Sha512,
            ]
    }

    /// Signs with the token.
    public func sign(
        channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer
    ) -> EventLoopFuture<ByteBuffer> {
        guard signatureAlgorithms.contains(algorithm), let name = SigningAlgorithm(algorithm) else {
            return channel.eventLoop.makeFailedFuture(
                KanalError.invalidArgument("the key does not sign by \(algorithm)"))
        }
        let message = Array(data.readableBytesView)
        return channel.eventLoop.makeFutureWithTask { [key] in
            ByteBuffer(bytes: try await key.sign(message, name))
        }
    }

    /// Always fails: key exchanges by RSA have no forward secrecy, and are not done.
    public func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(KanalError.invalidArgument("a token's key does not exchange keys by RSA"))
    }
}

extension SigningAlgorithm {
    fileprivate init?(_ algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .rsaPssRsaeSha256: self = .rsaPSS(.sha256)
        case .rsaPssRsaeSha384: self = .rsaPSS(.sha384)
        case .rsaPssRsaeSha512: self = .rsaPSS(.sha512)
        case .rsaPkcs1Sha256: self = .rsaPKCS1(.sha256)
        case .rsaPkcs1Sha384: self = .rsaPKCS1(.sha384)
        case .rsaPkcs1Sha512: self = .rsaPKCS1(.sha512)
        case .ecdsaSecp256R1Sha256: self = .ecdsa(.sha256)
        default: return nil
        }
    }
}
