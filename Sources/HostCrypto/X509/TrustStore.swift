/// Whom one trusts, and what helps to find a way there: certificates, and lists of those that are revoked.
///
/// A path is as RFC 5280, 6.1, has it, without policies and constraints of names: a certificate with critical ones is
/// not understood.
public struct TrustStore: Sendable {
    /// Of which certificates a list must tell that they are not revoked. Where there is a list it always counts.
    public enum RevocationCheck: Sendable {
        case none, leaf, all
    }

    /// In DER.
    public var trusted: [[UInt8]]
    public var certificates: [[UInt8]]
    public var revocationLists: [[UInt8]]
    public var revocationCheck = RevocationCheck.none
    /// Whether a path may end at a trusted certificate that others have issued.
    public var allowsPartialPaths = false

    public init(trusted: [[UInt8]], certificates: [[UInt8]] = [], revocationLists: [[UInt8]] = []) {
        self.trusted = trusted
        self.certificates = certificates
        self.revocationLists = revocationLists
    }

    /// Throws unless every certificate and list can be read.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    public func requireReadable() throws(HostCryptoError) {
        for der in trusted + certificates { _ = try PathCertificate(der: der, time: 0) }
        for der in revocationLists { _ = try RevocationList(der: der, time: 0) }
    }

    /// Whether a path leads from a certificate that signs messages to a trusted one.
    ///
    /// - Parameters:
    ///   - certificate: In DER.
    ///   - time: When all of it must be valid, in seconds since 1970.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for the certificate, a trusted one or a list: any other that cannot be
    ///   read is of no help; ``HostCryptoError/libraryFailure``.
    public func trusts(_ certificate: [UInt8], at time: Int) throws(HostCryptoError) -> Bool {
        let leaf = try PathCertificate(der: certificate, time: time)
        guard leaf.signsMessages else { return false }
        var search = try PathSearch(self, time: time)
        return try search.leads(from: leaf, authorities: 0, path: [])
    }
}

/// The search for a path, depth first.
private struct PathSearch {
    private let trusted: [PathCertificate]
    private let candidates: [PathCertificate]
    private let lists: [RevocationList]
    private let store: TrustStore
    /// How many signatures are still verified: those of whoever made the certificates must not keep the host busy.
    private var patience = 64

    /// The greatest number of certificates between the first and the trusted one.
    private static let maximumLength = 8

    init(_ store: TrustStore, time: Int) throws(HostCryptoError) {
        self.store = store
        trusted = try store.trusted.map { der throws(HostCryptoError) in try PathCertificate(der: der, time: time) }
        candidates = trusted + store.certificates.compactMap { try? PathCertificate(der: $0, time: time) }
        lists = try store.revocationLists.map { der throws(HostCryptoError) in
            try RevocationList(der: der, time: time)
        }
    }

    /// - Parameters:
    ///   - authorities: How many certificates of authorities that others issued lie behind.
    ///   - path: The certificates on the way here.
    mutating func leads(
        from certificate: PathCertificate, authorities: Int, path: [[UInt8]]
    ) throws(HostCryptoError) -> Bool {
        guard certificate.isInTime, certificate.isUnderstood else { return false }
        if store.trusted.contains(certificate.der), certificate.isSelfIssued || store.allowsPartialPaths { return true }
        guard path.count < Self.maximumLength else { return false }
        let path = path + [certificate.der]
        for issuer in candidates where issuer.fields.subject == certificate.fields.issuer {
            guard issuer.isAuthority, issuer.pathLength ?? authorities >= authorities, !path.contains(issuer.der),
                let key = issuer.key, try isSigned(certificate.fields, with: key),
                try isNotRevoked(certificate, by: issuer, key, isLeaf: path.count == 1)
            else { continue }
            let further = issuer.isSelfIssued ? authorities : authorities + 1
            if try leads(from: issuer, authorities: further, path: path) { return true }
        }
        return false
    }

    private mutating func isSigned(
        _ certificate: Certificate, with key: PublicKeyInfo
    ) throws(HostCryptoError) -> Bool {
        patience -= 1
        guard patience >= 0 else { return false }
        return try certificate.isSigned(with: key)
    }

    private mutating func isNotRevoked(
        _ certificate: PathCertificate, by issuer: PathCertificate, _ key: PublicKeyInfo, isLeaf: Bool
    ) throws(HostCryptoError) -> Bool {
        var isListed = false
        for list in lists where list.isUsable && list.issuer == issuer.fields.subject && issuer.signsLists {
            patience -= 1
            guard patience >= 0 else { return false }
            guard try list.isSigned(with: key) else { continue }
            if list.names(certificate) { return false }
            isListed = true
        }
        switch store.revocationCheck {
        case .none: return true
        case .leaf: return isListed || !isLeaf
        case .all: return isListed
        }
    }
}
