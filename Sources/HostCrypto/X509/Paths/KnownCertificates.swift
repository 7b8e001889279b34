// SPDX-License-Identifier: Apache-2.0
import Locking

/// Findings about certificates that any number of messages can use: all messages of a sender bring the same chain.
///
/// They follow from the bytes of certificates and keys alone. Whether a certificate is valid at a time, may issue another and is
/// not revoked is looked at for each message.
package final class KnownCertificates: Sendable {
    private struct Findings {
        var details: [Octets: PathCertificate] = [:]
        var links: Set<Link> = []
    }

    /// A certificate that is signed with a key.
    private struct Link: Hashable {
        let certificate, key: Octets
    }

    private let findings = Lock(Findings())

    /// The greatest number of findings that are kept, of each kind, and the greatest size of their certificates in bytes. The
    /// sender of a message chooses its certificates.
    private static let (limit, sizeLimit) = (64, 16 << 10)

    package init() {}

    /// The fields of a certificate, as known, or else as they are read.
    ///
    /// - Throws: As `PathCertificate.init(_:)`.
    func details(of certificate: Certificate) throws(HostCryptoError) -> PathCertificate {
        guard certificate.der.count <= Self.sizeLimit else { return try PathCertificate(certificate) }
        let key = Octets(certificate.der)
        if let known = findings.withLock({ $0.details[key] }) { return known }
        let details = try PathCertificate(certificate)
        findings.withLock { findings in
            if findings.details.count >= Self.limit { findings.details.removeAll(keepingCapacity: true) }
            findings.details[key] = details
        }
        return details
    }

    /// Whether a certificate is signed with a key: as known, or else as `body` finds.
    ///
    /// - Parameter key: A SubjectPublicKeyInfo in DER.
    func isSigned(
        _ certificate: Certificate, with key: [UInt8], or body: () throws(HostCryptoError) -> Bool
    ) throws(HostCryptoError) -> Bool {
        guard certificate.der.count <= Self.sizeLimit, key.count <= Self.sizeLimit else { return try body() }
        let link = Link(certificate: Octets(certificate.der), key: Octets(key))
        if findings.withLock({ $0.links.contains(link) }) { return true }
        guard try body() else { return false }
        findings.withLock { findings in
            if findings.links.count >= Self.limit { findings.links.removeAll(keepingCapacity: true) }
            findings.links.insert(link)
        }
        return true
    }
}

/// Bytes as a key of tables. They are hashed as a whole: an array hashes them one by one, in many times the time.
struct Octets: Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
