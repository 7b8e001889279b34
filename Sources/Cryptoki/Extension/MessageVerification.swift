// SPDX-License-Identifier: Apache-2.0

package import CCryptoki
import HostCrypto
import Locking
import Secrets
import Tokens

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
            // If only the signature is checked, only signers known to the application are returned, as in the vendor's
            // library.
            return VerifiedMessage(
                content: content ?? [], signers: checksSignatureOnly ? signers.known : signers.certificates,
                isTrusted: isTrusted)
        } catch {
            throw CKError(error)
        }
    }
}

/// Verification of signed messages (CMS, RFC 5652), without the token. The slot is held while the operation is looked
/// up, and not while it reads, hashes or verifies.
extension Library {
    /// Begins to verify a message.
    ///
    /// - Parameters:
    ///   - message: SignedData in DER.
    ///   - mode: The certificates for which a list must say that they are not revoked.
    ///   - flags: `CKF_VENDOR_`.
    ///   - time: When the certificates must be valid, in seconds since 1970.
    /// - Throws: `CKR_OPERATION_ACTIVE`; `CKR_ARGUMENTS_BAD` for modes and flags that are not known or do not go
    ///   together, and for a store that cannot be read; `CKR_DATA_INVALID` for a malformed message.
    package func verifyMessageInit(
        _ handle: CK_SESSION_HANDLE, _ message: [UInt8], trusting store: MessageStore, mode: CK_ULONG,
        flags: CK_FLAGS, time: Int
    ) throws(CKError) {
        let trusted = try withSession(handle) { session throws(CKError) in
            guard session.messageVerification == nil else { throw .operationActive }
            try Self.checkMessageFlags(flags, mode: mode)
            guard flags & CKF_VENDOR_USE_TRUSTED_CERTS_FROM_TOKEN != 0 else { return store.trusted }
            guard store.trusted.isEmpty else {
                throw .argumentsBad("the store has trusted certificates, and the flags want the token's")
            }
            return try session.trustedCertificates()
        }
        let trust = try store.trust(in: trusted, mode: mode, flags: flags)
        let signedData: SignedData
        do { signedData = try SignedData(ber: message.span) } catch { throw .dataInvalid }
        let operation = try MessageVerification(signedData, trusting: trust, flags: flags, time: time)
        try withSession(handle) { session throws(CKError) in
            guard session.messageVerification == nil else { throw .operationActive }
            session.messageVerification = operation
        }
    }

    private static func checkMessageFlags(_ flags: CK_FLAGS, mode: CK_ULONG) throws(CKError) {
        let known =
            CKF_VENDOR_DO_NOT_USE_INTERNAL_CMS_CERTS | CKF_VENDOR_ALLOW_PARTIAL_CHAINS
            | CKF_VENDOR_CHECK_SIGNATURE_ONLY | CKF_VENDOR_USE_TRUSTED_CERTS_FROM_TOKEN
        let checksSignatureOnly = flags & CKF_VENDOR_CHECK_SIGNATURE_ONLY != 0
        guard flags & ~known == 0,
            !checksSignatureOnly || flags == CKF_VENDOR_CHECK_SIGNATURE_ONLY && mode == OPTIONAL_CRL_CHECK
        else {
            throw .argumentsBad("the flags \(hex: flags) are not known, or do not go together with mode \(mode)")
        }
    }

    /// Verifies a message with its content.
    ///
    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED`, for a message without content too; `CKR_SIGNATURE_INVALID`.
    package func verifyMessage(_ handle: CK_SESSION_HANDLE) throws(CKError) -> VerifiedMessage {
        let (operation, content) = try withSession(handle) { session throws(CKError) in
            guard let operation = session.messageVerification, let content = operation.content else {
                throw .operationNotInitialised
            }
            session.messageVerification = nil
            return (operation, content)
        }
        try operation.update(content.span)
        return try operation.finish()
    }

    /// Processes a part of the content of a detached message.
    ///
    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED`, for a message with content too.
    package func verifyMessageUpdate(_ handle: CK_SESSION_HANDLE, _ data: Span<UInt8>) throws(CKError) {
        let operation = try withSession(handle) { session throws(CKError) in try session.detachedVerification() }
        try operation.update(data)
    }

    /// Verifies a message whose content came in parts.
    ///
    /// - Throws: As ``verifyMessageUpdate(_:_:)``; `CKR_SIGNATURE_INVALID`.
    package func verifyMessageFinal(_ handle: CK_SESSION_HANDLE) throws(CKError) -> VerifiedMessage {
        let operation = try withSession(handle) { session throws(CKError) in
            let operation = try session.detachedVerification()
            session.messageVerification = nil
            return operation
        }
        return try operation.finish()
    }
}

extension Session {
    fileprivate func detachedVerification() throws(CKError) -> MessageVerification {
        guard let operation = messageVerification, operation.content == nil else { throw .operationNotInitialised }
        return operation
    }

    /// The certificates on the token that are marked as trusted.
    fileprivate func trustedCertificates() throws(CKError) -> [[UInt8]] {
        try slot.refreshObjects()
        var template = Attributes()
        template.set(CKA_CLASS, CKO_CERTIFICATE)
        template.set(CKA_TRUSTED, true)
        template.set(CKA_TOKEN, true)
        let handles = try slot.visibleObjects(matching: template)
        try slot.readValues(of: handles)
        return try handles.map { handle throws(CKError) in try slot.objects[handle].attributes[CKA_VALUE] }
            .compactMap(\.self)
    }
}

extension MessageStore {
    /// - Throws: `CKR_ARGUMENTS_BAD` for a mode that is not known, and if something cannot be read.
    fileprivate func trust(in trusted: [[UInt8]], mode: CK_ULONG, flags: CK_FLAGS) throws(CKError) -> TrustStore {
        var trust = TrustStore(trusted: trusted, certificates: certificates, revocationLists: revocationLists)
        switch mode {
        case OPTIONAL_CRL_CHECK: trust.revocationCheck = .none
        case LEAF_CRL_CHECK: trust.revocationCheck = .leaf
        case ALL_CRL_CHECK: trust.revocationCheck = .all
        default: throw .argumentsBad("the mode \(mode) is not known")
        }
        trust.allowsPartialPaths = flags & CKF_VENDOR_ALLOW_PARTIAL_CHAINS != 0
        do { try trust.requireReadable() } catch {
            throw .argumentsBad("a certificate or a list of revoked ones in the store cannot be read")
        }
        return trust
    }
}
