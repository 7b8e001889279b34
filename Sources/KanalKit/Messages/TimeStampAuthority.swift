// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import Secrets

/// An authority for time stamps (RFC 3161), which the application reaches by its own means.
///
/// Each reply is verified whole before it is used: that it answers the request, that its certificate is for time stamps, and that
/// a path leads from it to a trusted one at its time.
public struct TimeStampAuthority: Sendable {
    /// Sends a request to the authority, by HTTP as POST of the type `application/timestamp-query`, and returns the body of the
    /// reply, of the type `application/timestamp-reply`. It should limit time and size.
    public typealias Transport = @Sendable (_ query: [UInt8]) async throws -> [UInt8]

    /// A hash function of the bytes that are stamped.
    public enum HashFunction: Sendable, CaseIterable {
        /// SHA-2 (FIPS 180-4).
        case sha256, sha384, sha512
        /// GOST R 34.11-2012.
        case streebog256, streebog512

        var digest: DigestAlgorithm {
            switch self {
            case .sha256: .sha256
            case .sha384: .sha384
            case .sha512: .sha512
            case .streebog256: .streebog256
            case .streebog512: .streebog512
            }
        }
    }

    /// The policy that stamps must follow, an object identifier such as `1.2.3.4`; nil for any.
    public var policy: String?
    /// Decides whose stamps are accepted: with ``MessageVerifier/checksSignatureOnly``, any authority's.
    public var verifier: MessageVerifier
    private let transport: Transport

    /// The longest reply.
    private static let limit = 1 << 20

    /// - Parameters:
    ///   - verifier: Whose stamps are accepted.
    ///   - transport: The way to the authority.
    public init(trusting verifier: MessageVerifier, transport: @escaping Transport) {
        (self.verifier, self.transport) = (verifier, transport)
    }

    /// Has a content stamped.
    ///
    /// - Parameters:
    ///   - content: The content. Only its digest leaves this machine. Cancelling the task ends the work between two pieces of it,
    ///     with ``KanalError/cancelled``.
    ///   - hash: The hash function of the content.
    /// - Returns: The stamp, which is good, and the whole reply in DER, for a file.
    /// - Throws: ``KanalError/timeStampRefused(_:)``; what the transport and the content's source throw.
    public func stamp(
        _ content: ByteSource, hash: HashFunction = .sha256
    ) async throws -> (stamp: TimeStamp, reply: [UInt8]) {
        let digest = hash.digest
        let imprint = try await inThreadOfItsOwn { isCancelled in
            let digests = try onHost { () throws(HostCryptoError) in try ContentDigests([digest]) }
            try content.forEach(unless: isCancelled) { piece in digests.update(piece.span) }
            return try onHost { () throws(HostCryptoError) in try digests.finalize() }[digest] ?? []
        }
        let (token, authority, reply) = try await token(digest, imprint)
        return (TimeStamp(token, .content, .success(authority)), reply)
    }

    /// The stamp of a signature, for its unsigned attribute.
    func token(of signature: [UInt8], _ digest: DigestAlgorithm) async throws -> [UInt8] {
        let imprint = try onHost { () throws(HostCryptoError) in try Digest.digest(signature.span, digest) }
        let made = try await token(digest, imprint)
        return made.token.bytes
    }

    private func token(
        _ digest: DigestAlgorithm, _ imprint: [UInt8]
    ) async throws -> (token: TimeStampToken, authority: StampAuthority, reply: [UInt8]) {
        let store = try verifier.store()
        guard let nonce = try? SystemRandom().bytes(TimeStampRequest.nonceSize) else {
            throw KanalError(host: .randomUnavailable)
        }
        let request: TimeStampRequest
        do throws(HostCryptoError) {
            request = try TimeStampRequest(digest, imprint, policy: policy, nonce: nonce)
        } catch {
            guard error == .invalidParameter else { throw KanalError(host: error) }
            throw KanalError.invalidArgument("a policy is written as 1.2.3.4")
        }
        let reply = try await transport(request.der)
        guard reply.count <= Self.limit else { throw KanalError.timeStampRefused(.malformed) }
        let now = verifier.moment
        return try asStamp { () throws(TimeStampFault) in
            let token = try TimeStampResponse(reply: reply).token
            let authority = try token.verify(
                answering: request, trusting: verifier.checksSignatureOnly ? nil : store, now: now)
            return (token, authority, reply)
        }
    }
}
