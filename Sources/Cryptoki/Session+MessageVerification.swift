public import CCryptoki
import HostCrypto

/// Verification of signed messages (CMS, RFC 5652), without the token.
extension Session {
    /// Begins to verify a message.
    ///
    /// - Parameters:
    ///   - message: SignedData in DER.
    ///   - mode: Of which certificates a list must tell that they are not revoked.
    ///   - flags: `CKF_VENDOR_`.
    ///   - time: When the certificates must be valid, in seconds since 1970.
    /// - Throws: `CKR_OPERATION_ACTIVE`; `CKR_ARGUMENTS_BAD` for modes and flags that are not known or do not go
    ///   together, and for a store that cannot be read; `CKR_DATA_INVALID` for what is no message.
    public func verifyMessageInit(
        _ message: [UInt8], trusting store: MessageStore, mode: CK_ULONG, flags: CK_FLAGS, time: Int
    ) throws(CKError) {
        guard messageVerification == nil else { throw .operationActive }
        let known =
            CKF_VENDOR_DO_NOT_USE_INTERNAL_CMS_CERTS | CKF_VENDOR_ALLOW_PARTIAL_CHAINS
            | CKF_VENDOR_CHECK_SIGNATURE_ONLY | CKF_VENDOR_USE_TRUSTED_CERTS_FROM_TOKEN
        let checksSignatureOnly = flags & CKF_VENDOR_CHECK_SIGNATURE_ONLY != 0
        guard flags & ~known == 0,
            !checksSignatureOnly || flags == CKF_VENDOR_CHECK_SIGNATURE_ONLY && mode == OPTIONAL_CRL_CHECK
        else { throw .argumentsBad }
        let trust = try trust(store, mode: mode, flags: flags)
        let policy = MessageVerification.Policy(
            usesInternalCertificates: flags & CKF_VENDOR_DO_NOT_USE_INTERNAL_CMS_CERTS == 0,
            checksSignatureOnly: checksSignatureOnly)
        let signedData: SignedData
        do {
            signedData = try SignedData(der: message.span)
        } catch {
            throw .dataInvalid
        }
        messageVerification = try MessageVerification(signedData, trusting: trust, policy, time: time)
    }

    /// Verifies a message with its content.
    ///
    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED`, for a message without content too; `CKR_SIGNATURE_INVALID`.
    public func verifyMessage() throws(CKError) -> VerifiedMessage {
        guard let operation = messageVerification, let content = operation.message.content else {
            throw .operationNotInitialised
        }
        messageVerification = nil
        try operation.update(content.span)
        return try operation.finish()
    }

    /// Takes a part of the content of a message that came without.
    ///
    /// - Throws: `CKR_OPERATION_NOT_INITIALIZED`, for a message with content too.
    public func verifyMessageUpdate(_ data: Span<UInt8>) throws(CKError) {
        try detachedVerification().update(data)
    }

    /// Verifies a message whose content came in parts.
    ///
    /// - Throws: As ``verifyMessageUpdate(_:)``; `CKR_SIGNATURE_INVALID`.
    public func verifyMessageFinal() throws(CKError) -> VerifiedMessage {
        let operation = try detachedVerification()
        messageVerification = nil
        return try operation.finish()
    }

    private func detachedVerification() throws(CKError) -> MessageVerification {
        guard let operation = messageVerification, operation.message.content == nil else {
            throw .operationNotInitialised
        }
        return operation
    }

    private func trust(_ store: MessageStore, mode: CK_ULONG, flags: CK_FLAGS) throws(CKError) -> TrustStore {
        var trusted = store.trusted
        if flags & CKF_VENDOR_USE_TRUSTED_CERTS_FROM_TOKEN != 0 {
            guard trusted.isEmpty else { throw .argumentsBad }
            trusted = try trustedCertificates()
        }
        var trust = TrustStore(
            trusted: trusted, certificates: store.certificates, revocationLists: store.revocationLists)
        switch mode {
        case OPTIONAL_CRL_CHECK: trust.revocationCheck = .none
        case LEAF_CRL_CHECK: trust.revocationCheck = .leaf
        case ALL_CRL_CHECK: trust.revocationCheck = .all
        default: throw .argumentsBad
        }
        trust.allowsPartialPaths = flags & CKF_VENDOR_ALLOW_PARTIAL_CHAINS != 0
        do { try trust.requireReadable() } catch { throw .argumentsBad }
        return trust
    }

    /// The certificates on the token that are marked as trusted.
    private func trustedCertificates() throws(CKError) -> [[UInt8]] {
        try slot.refreshObjects()
        var template = Attributes()
        template.set(CKA_CLASS, CKO_CERTIFICATE)
        template.set(CKA_TRUSTED, true)
        template.set(CKA_TOKEN, true)
        let handles = try slot.visibleObjects(matching: template)
        return try handles.map { handle throws(CKError) in try slot.objects[handle].attributes[CKA_VALUE] }
            .compactMap(\.self)
    }
}
