// SPDX-License-Identifier: Apache-2.0

/// Whom one trusts, and what helps to find a way there: certificates, and lists of those that are revoked.
///
/// A path is as RFC 5280, 6.1, has it, without policies and constraints of names: a certificate with critical ones is
/// not understood.
package struct TrustStore: Sendable {
    /// The certificates of which a list or a response must state that they are not revoked. A list that names one as
    /// revoked always counts, also if it is out of date, unless a current list does not name it any more.
    package enum RevocationCheck: Sendable {
        case none, leaf, all
    }

    /// In DER.
    package var trusted: [[UInt8]] { didSet { contents = nil } }
    package var certificates: [[UInt8]] { didSet { contents = nil } }
    package var revocationLists: [[UInt8]] { didSet { contents = nil } }
    /// Responses about certificates, each an OCSPResponse or a BasicOCSPResponse (RFC 6960, 4.2.1). A response that is wrong
    /// or out of date counts for nothing.
    package var ocspResponses: [[UInt8]] = [] { didSet { contents = nil } }
    package var revocationCheck = RevocationCheck.none
    /// Whether a list or a response must also state that a path's first certificate is not revoked if it is valid now and has
    /// an address for that, for callers that fetch them.
    package var asksAddresses = false
    /// The values that a message brings for its paths, beside these.
    package var values = MessageValues()
    /// Whether a path may end at a trusted certificate that others have issued.
    package var allowsPartialPaths = false
    /// The contents, once read by ``requireReadable()``.
    private var contents: Contents?
    /// Findings of the messages before, which copies of the store share.
    let known = KnownCertificates()

    package init(trusted: [[UInt8]], certificates: [[UInt8]] = [], revocationLists: [[UInt8]] = []) {
        self.trusted = trusted
        self.certificates = certificates
        self.revocationLists = revocationLists
    }

    /// The same trust, with nothing but what a message brings, and with a statement for each certificate.
    package var ofMessageAlone: TrustStore {
        var store = self
        (store.certificates, store.revocationLists, store.ocspResponses) = ([], [], [])
        store.revocationCheck = .all
        return store
    }

    /// Reads everything, once for any number of messages.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding`` for anything that cannot be read;
    ///   ``HostCryptoError/libraryFailure``.
    package mutating func requireReadable() throws(HostCryptoError) {
        try LibraryContext.require()
        let contents = try Contents(self)
        guard contents.certificates.count == certificates.count,
            (contents.trusted + contents.certificates).allSatisfy(\.isReadable)
        else { throw .invalidEncoding }
        self.contents = contents
    }

    /// The store with further certificates, lists and responses. Items that were read already are not read again.
    ///
    /// - Throws: As ``requireReadable()``.
    package func adding(
        certificates: [[UInt8]], lists: [[UInt8]], responses: [[UInt8]]
    ) throws(HostCryptoError) -> TrustStore {
        var added = TrustStore(trusted: [], certificates: certificates, revocationLists: lists)
        added.ocspResponses = responses
        let contents = Contents(try read(), try added.read())
        var store = self
        store.certificates += certificates
        store.revocationLists += lists
        store.ocspResponses += responses
        store.contents = contents
        return store
    }

    /// - Throws: ``HostCryptoError/invalidEncoding`` for a trusted certificate, a list or a response that cannot be read;
    ///   ``HostCryptoError/libraryFailure``.
    func read() throws(HostCryptoError) -> Contents { if let contents { contents } else { try Contents(self) } }

    /// The contents of a store, once read.
    final class Contents: Sendable {
        let trusted: [Certificate]
        /// Those that can be read.
        let certificates: [Certificate]
        let lists: [RevocationList]
        let responses: [OCSPResponse]

        fileprivate init(_ first: Contents, _ second: Contents) {
            trusted = first.trusted + second.trusted
            certificates = first.certificates + second.certificates
            lists = first.lists + second.lists
            responses = first.responses + second.responses
        }

        fileprivate init(_ store: TrustStore) throws(HostCryptoError) {
            trusted = try store.trusted.map { der throws(HostCryptoError) in try Certificate(der: der.span) }
            certificates = store.certificates.compactMap { try? Certificate(der: $0.span) }
            lists = try store.revocationLists.map { der throws(HostCryptoError) in try RevocationList(der: der) }
            responses = try store.ocspResponses.map { der throws(HostCryptoError) in
                guard let response = (try? OCSPResponse(reply: der)) ?? (try? OCSPResponse(der: der)) else {
                    throw .invalidEncoding
                }
                return response
            }
        }
    }

    /// Whether a path leads from a certificate that signs messages to a trusted one. At most 72 signatures are verified.
    ///
    /// - Parameters:
    ///   - certificate: In DER.
    ///   - time: When all of it must be valid, in seconds since 1970.
    /// - Throws: ``HostCryptoError/invalidEncoding`` for the certificate, a trusted one or a list: any other that cannot be
    ///   read is of no help; ``HostCryptoError/libraryFailure``.
    package func trusts(_ certificate: [UInt8], at time: Int) throws(HostCryptoError) -> Bool {
        try path(from: certificate, at: time).evidence != nil
    }

    /// The path from a certificate to a trusted one, or the reason why none is found. At most 72 signatures are verified.
    ///
    /// - Parameters:
    ///   - certificate: In DER.
    ///   - purpose: The use of its signatures.
    ///   - time: When all of it must be valid, in seconds since 1970.
    ///   - knownUntil: The later time at which one looks back at it, if it is a past one.
    /// - Throws: As ``trusts(_:at:)``.
    package func path(
        from certificate: [UInt8], for purpose: PathPurpose = .messages, at time: Int, knownUntil: Int? = nil
    ) throws(HostCryptoError) -> PathOutcome {
        let leaf = try Certificate(der: certificate.span)
        let limit = SignerVerification.signatureLimit(signers: 1)
        let search = try PathSearch(
            self, further: [leaf.der], purpose: purpose, time: time, knownUntil: knownUntil, signatureLimit: limit)
        let candidates = search.candidates(.issuer(leaf.issuer, serialNumber: leaf.serialNumber))
        guard let candidate = candidates.first(where: { $0.certificate.der == leaf.der }) else {
            return .notFound(PathFault(.noPath, leaf.der))
        }
        return try search.path(from: candidate)
    }
}
