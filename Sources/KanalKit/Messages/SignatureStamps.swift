// SPDX-License-Identifier: Apache-2.0
import HostCrypto

/// The time stamps of a message's signatures, as they are verified one after the other.
struct SignatureStamps {
    /// Whom one trusts; nil if no path to a trusted certificate is asked for.
    let store: TrustStore?
    let usesMessage: Bool
    /// In seconds since 1970.
    let now: Int
    private let message: SignedData
    /// The digests of the content, and the content itself if it is known.
    private let digests: [DigestAlgorithm: [UInt8]]
    private let content: [UInt8]?
    /// The certificates that came with the message, in DER.
    private let certificates: [[UInt8]]
    /// The number of stamps of the message that are still looked at. The sender chooses how many there are.
    private var left = Self.limit

    static let limit = 32

    init(
        of message: SignedData, _ digests: [DigestAlgorithm: [UInt8]], content: [UInt8]?, store: TrustStore?,
        usesMessage: Bool, now: Int
    ) {
        (self.message, self.digests, self.content) = (message, digests, content)
        (self.store, self.usesMessage, self.now) = (store, usesMessage, now)
        certificates = usesMessage ? message.certificates : []
    }

    /// The stamps of a signature, good or not, and what they prove.
    struct Findings {
        var all: [TimeStamp] = []
        /// The last second at which the earliest good one can have been made.
        var proven: Int?
        /// Whether the signature has a good stamp, and the whole message, too.
        var isStamped = false, isArchived = false
        /// Whether there is a good one of the references, and one of the signature with them.
        var isReferenced = false, isReferencedWhole = false

        /// Adds a good stamp.
        fileprivate mutating func prove(_ token: TimeStampToken) {
            proven = min(proven ?? token.time.latest, token.time.latest)
        }

        /// - Parameters:
        ///   - isNamed: Whether references name the path.
        ///   - isValued: Whether the message has it all in it.
        func level(isNamed: Bool, isValued: Bool) -> SignatureLevel {
            guard isStamped else { return .bes }
            guard !isArchived else { return .a }
            guard isNamed else { return .t }
            guard isValued else { return isReferenced || isReferencedWhole ? .x : .c }
            return isReferencedWhole ? .xLongType1 : .xLong
        }
    }

    /// - Parameter certificate: The signer's, in DER.
    /// - Throws: `HostCryptoError.libraryFailure`.
    mutating func findings(
        of signer: SignedData.Signer, _ certificate: [UInt8]
    ) throws(HostCryptoError) -> Findings {
        var findings = Findings()
        try addStamps(.signature, .signatureTimeStamp, of: signer, to: &findings)
        try addStamps(.signatureAndReferences, .signatureAndReferencesTimeStamp, of: signer, to: &findings)
        try addStamps(.references, .referencesTimeStamp, of: signer, to: &findings)
        try addArchiveStamps(of: signer, certificate, to: &findings)
        if signer.hasFormerArchiveTimeStamp {
            findings.all.append(TimeStamp(unreadable: .notSupported, .formerArchive))
        }
        return findings
    }

    /// Adds the stamps of a signature, or of a signer's references.
    private mutating func addStamps(
        _ kind: TimeStamp.Kind, _ attribute: LongTermAttribute, of signer: SignedData.Signer,
        to findings: inout Findings
    ) throws(HostCryptoError) {
        let tokens = try tokens(kind, in: &findings) { limit throws(TimeStampFault) in
            guard let values = try? signer.values(of: attribute, limit: limit) else { throw .malformed }
            return values
        }
        for token in tokens {
            do throws(TimeStampFault) {
                let isOfSignature = attribute == .signatureTimeStamp
                guard let bytes = isOfSignature ? signer.signature : try? signer.stampedBytes(by: attribute) else {
                    throw .malformed
                }
                let authority = try verify(token, try digest(of: bytes, token.digest))
                findings.all.append(TimeStamp(token, kind, .success(authority)))
                switch attribute {
                case .referencesTimeStamp: findings.isReferenced = true
                case .signatureTimeStamp: findings.isStamped = true
                default: findings.isReferencedWhole = true
                }
                // Without the signature a stamp proves nothing about its time.
                if attribute != .referencesTimeStamp { findings.prove(token) }
            } catch {
                findings.all.append(TimeStamp(token, kind, .failure(try TimeStamp.Fault(error))))
            }
        }
    }

    private mutating func addArchiveStamps(
        of signer: SignedData.Signer, _ certificate: [UInt8], to findings: inout Findings
    ) throws(HostCryptoError) {
        let tokens = try tokens(.archive, in: &findings) { limit throws(TimeStampFault) in
            try signer.archiveTimeStamps(limit: limit)
        }
        // Further signers bring certificates of their own.
        let isAlone = message.signers.count == 1
        var incomplete: [(token: TimeStampToken, authority: StampAuthority)] = []
        for token in tokens {
            do throws(TimeStampFault) {
                let stamp = try ArchiveTimeStamp(token)
                let elements = try ArchivedElements(message, signer)
                guard let contentDigest = try contentDigest(token.digest) else { throw .notSupported }
                let imprint = try stamp.imprint(of: signer, contentDigest: contentDigest, elements)
                let authority = try verify(token, imprint)
                guard try !stamp.isIncomplete(for: elements, isNeeded: { isAlone || $0 == certificate }) else {
                    incomplete.append((token, authority))
                    continue
                }
                findings.all.append(TimeStamp(token, .archive, .success(authority)))
                findings.prove(token)
                findings.isArchived = true
            } catch {
                findings.all.append(TimeStamp(token, .archive, .failure(try TimeStamp.Fault(error))))
            }
        }
        // An earlier one need not cover what a later one does.
        for (token, authority) in incomplete {
            findings.all.append(
                TimeStamp(token, .archive, findings.isArchived ? .success(authority) : .failure(.incomplete)))
            if findings.isArchived { findings.prove(token) }
        }
    }

    /// The stamps of an attribute that can be read. The others are added with their fault.
    private mutating func tokens(
        _ kind: TimeStamp.Kind, in findings: inout Findings, _ values: (Int) throws(TimeStampFault) -> [[UInt8]]
    ) throws(HostCryptoError) -> [TimeStampToken] {
        let found: [[UInt8]]
        do throws(TimeStampFault) { found = try values(left) } catch {
            findings.all.append(TimeStamp(unreadable: .malformed, kind))
            return []
        }
        left -= found.count
        var tokens: [TimeStampToken] = []
        for bytes in found {
            do throws(TimeStampFault) { tokens.append(try TimeStampToken(bytes)) } catch {
                findings.all.append(TimeStamp(unreadable: try TimeStamp.Fault(error), kind))
            }
        }
        return tokens
    }

    private func verify(_ token: TimeStampToken, _ imprint: [UInt8]) throws(TimeStampFault) -> StampAuthority {
        try token.verify(imprint: imprint, trusting: store, usesOwn: usesMessage, further: certificates, now: now)
    }

    /// - Returns: nil for a content that is not known any more, and was not hashed by this function.
    private func contentDigest(_ algorithm: DigestAlgorithm) throws(TimeStampFault) -> [UInt8]? {
        if let known = digests[algorithm] { return known }
        guard let content else { return nil }
        return try digest(of: content, algorithm)
    }

    private func digest(of bytes: [UInt8], _ algorithm: DigestAlgorithm) throws(TimeStampFault) -> [UInt8] {
        do throws(HostCryptoError) { return try Digest.digest(bytes.span, algorithm) } catch { throw .failure(error) }
    }
}
