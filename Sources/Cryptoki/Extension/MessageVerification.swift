// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import HostCrypto
import Locking
import Secrets

/// The certificates that an application trusts when it verifies a message, and lists of revoked ones, in DER.
package struct MessageStore: Sendable {
    let trusted, certificates, revocationLists: [[UInt8]]

    package init(trusted: [[UInt8]], certificates: [[UInt8]], revocationLists: [[UInt8]]) {
        self.trusted = trusted
        self.certificates = certificates
        self.revocationLists = revocationLists
    }
}

/// The result of a verification. Every signature of the message is good.
package struct VerifiedMessage: Sendable {
    /// Empty for a detached message.
    package let content: [UInt8]
    /// The signers' certificates in DER.
    package let signers: [[UInt8]]
    /// Whether a path leads from each of them to a trusted one, or that was not to be checked.
    package let isTrusted: Bool
}

/// The verification of a signed message. It runs on the host, and has a lock of its own, so that neither the token nor
/// other sessions with it wait.
final class MessageVerification: Sendable {
    /// nil for a detached message.
    let content: [UInt8]?
    private let checksSignatureOnly: Bool
    /// nil after the end.
    private let state: Lock<State?>

    private struct State {
        /// Digests of the content, by each of the signers' hash functions.
        let content: ContentDigests
        let signers: SignerVerification
    }

    /// - Parameter time: When the certificates must be valid, in seconds since 1970.
    init(_ message: SignedData, trusting store: TrustStore, flags: CK_FLAGS, time: Int) throws(CKError) {
        content = message.content
        checksSignatureOnly = flags & CKF_VENDOR_CHECK_SIGNATURE_ONLY != 0
        do throws(HostCryptoError) {
            let signers = try SignerVerification(
                message, trusting: store, usesMessage: flags & CKF_VENDOR_DO_NOT_USE_INTERNAL_CMS_CERTS == 0,
                time: time)
            let digests = try ContentDigests(message.signers.map(\.digest))
            state = Lock(State(content: digests, signers: signers))
        } catch {
            throw CKError(error)
        }
    }

    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED` after the end.
    func update(_ data: Span<UInt8>) throws(CKError) {
        try state.withLock { state throws(CKError) in
            guard let state else { throw .operationNotInitialised }
            state.content.update(data)
        }
    }

    /// - Throws: `CKR_SIGNATURE_INVALID`, also for a message without signers; `CKR_OPERATION_NOT_INITIALIZED` after the
    ///   end.
    func finish() throws(CKError) -> VerifiedMessage {
        guard let state = state.withLock({ $0.take() }) else { throw .operationNotInitialised }
        do throws(HostCryptoError) {
            let digests = try state.content.finalize()
            guard let signers = try state.signers.signers(of: digests, state.content.form) else {
                throw .invalidSignature
            }
            let isTrusted = checksSignatureOnly ? true : try state.signers.trustsSigners()
            // If only the signature is checked, only signers that the application knows are told, as in the vendor's
            // library.
            return VerifiedMessage(
                content: content ?? [], signers: checksSignatureOnly ? signers.known : signers.certificates,
                isTrusted: isTrusted)
        } catch {
            throw CKError(error)
        }
    }
}
