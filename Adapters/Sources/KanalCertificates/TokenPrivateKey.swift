// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import KanalKit
public import SwiftASN1
import TokenKeys
public import X509

/// A key pair of RSA or P-256 on a token, as a private key of swift-certificates.
///
/// It signs asynchronously only: the token works in a thread of its own, and only the task that wants the signature
/// waits for it. So certificates are made by the initialisers with `issuerAsyncPrivateKey`, requests by those with
/// `asyncPrivateKey`. Signing synchronously throws an error, because it would hold one of the threads that run tasks,
/// and the signature could need that very thread to come back.
///
/// The PIN has been accepted by an earlier ``KanalKit/Token/perform(as:pin:prompt:waitingFor:_:)`` of the token.
public struct TokenPrivateKey: CustomPrivateKey {
    private let key: TokenKey
    /// The public half.
    public let publicKey: Certificate.PublicKey

    /// - Parameter patience: The longest wait of a signature for a token that is away when it is asked for. Nil for the
    ///   configured value.
    /// - Throws: ``KanalKit/KanalError/invalidArgument(_:)`` for a key of another kind, or without its public key on
    ///   the token; the errors of asking the token.
    public init(_ pair: KeyPair, on token: Token, waitingFor patience: Duration? = nil) async throws {
        key = try await TokenKey(pair, on: token, waitingFor: patience)
        publicKey = try Certificate.PublicKey(derEncoded: key.publicKeyInfo)
    }

    /// With SHA-256.
    public var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm {
        key.isOfCurve ? .ecdsaWithSHA256 : .sha256WithRSAEncryption
    }

    /// With SHA-256, SHA-384 and SHA-512. RSA signatures are of PKCS #1 v1.5.
    public var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] {
        Self.algorithms.filter { Self.isOfCurve($0.name) == key.isOfCurve }.map(\.identifier)
    }

    /// Always throws ``KanalKit/KanalError/invalidArgument(_:)``: a token's key signs asynchronously.
    public func signSynchronously(
        bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) throws -> Certificate.Signature {
        throw KanalError.invalidArgument(
            "a token's key signs asynchronously: use issuerAsyncPrivateKey or asyncPrivateKey")
    }

    /// Signs with the token.
    ///
    /// - Throws: ``KanalKit/KanalError``.
    public func signAsynchronously(
        bytes: some DataProtocol & Sendable, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) async throws -> Certificate.Signature {
        guard let algorithm = Self.algorithms.first(where: { $0.identifier == signatureAlgorithm })?.name,
            Self.isOfCurve(algorithm) == key.isOfCurve
        else { throw KanalError.invalidArgument("the key does not sign by \(signatureAlgorithm)") }
        let signature = try await key.sign(Array(bytes), algorithm)
        return try Certificate.Signature(
            signatureAlgorithm: signatureAlgorithm, signatureBytes: ASN1BitString(bytes: signature[...]))
    }

    private static let algorithms: [(identifier: Certificate.SignatureAlgorithm, name: SigningAlgorithm)] = [
        (.sha256WithRSAEncryption, .rsaPKCS1(.sha256)), (.sha384WithRSAEncryption, .rsaPKCS1(.sha384)),
        (.sha512WithRSAEncryption, .rsaPKCS1(.sha512)), (.ecdsaWithSHA256, .ecdsa(.sha256)),
        (.ecdsaWithSHA384, .ecdsa(.sha384)), (.ecdsaWithSHA512, .ecdsa(.sha512)),
    ]

    private static func isOfCurve(_ algorithm: SigningAlgorithm) -> Bool {
        if case .ecdsa = algorithm { true } else { false }
    }
}

/// The private key never leaves the token, so that there is nothing to write.
extension TokenPrivateKey {
    /// The PEM label of a file of such a key.
    public static var defaultPEMDiscriminator: String { "PRIVATE KEY" }

    /// Always throws ``KanalKit/KanalError/invalidArgument(_:)``.
    public func serializeAsPEM(discriminator: String) throws -> PEMDocument { throw Self.staysOnToken }

    /// Always throws ``KanalKit/KanalError/invalidArgument(_:)``.
    public func serialize(into coder: inout DER.Serializer) throws { throw Self.staysOnToken }

    private static var staysOnToken: KanalError { .invalidArgument("the private key never leaves the token") }
}
