// SPDX-License-Identifier: Apache-2.0

import Token
import Tokens

/// The keys and certificates of a token, and which belong together: ``Session/contents()``.
public struct TokenContents: Sendable, Equatable {
    /// A key pair; before the PIN, its public half.
    public struct Key: Sendable, Equatable {
        /// The kind of the pair: algorithm and size.
        public let kind: KeyKind
        /// The identifier that both halves and their certificate share.
        public let id: [UInt8]
        /// The name that it was given.
        public let label: String
    }

    /// A certificate.
    public struct Certificate: Sendable, Equatable {
        /// The identifier that it shares with its key pair.
        public let id: [UInt8]
        /// The name that it was given.
        public let label: String
        /// Its contents; nil for bytes that are not a certificate.
        public let summary: CertificateSummary?
        /// Whether its key is on the token; nil if no half is seen before the PIN.
        public let hasKey: Bool?

        /// The place of a time in its period; nil for bytes that are not a certificate.
        ///
        /// - Parameter time: In seconds since 1970.
        public func validity(at time: Int64 = CertificateValidity.now) -> CertificateValidity? {
            summary?.validity(at: time)
        }

        /// The whole days until its period ends; nil after it, or if that is unknown.
        ///
        /// - Parameter time: In seconds since 1970.
        public func daysLeft(at time: Int64 = CertificateValidity.now) -> Int? {
            CertificateValidity.daysLeft(to: summary?.notAfter, at: time)
        }

        init(_ certificate: TokenCertificate, hasKey: Bool?) {
            id = certificate.id
            label = certificate.label
            summary = try? certificate.summary()
            self.hasKey = hasKey
        }

        /// Whether it is the owner's, as far as that is seen, and not an authority's.
        var isOwn: Bool { hasKey ?? (summary?.isAuthority == false) }
    }

    /// The keys.
    public let keys: [Key]
    /// The certificates.
    public let certificates: [Certificate]

    /// - Parameter isLoggedIn: Whether private keys are seen.
    public init(
        keys: [KeyPair], certificates: [TokenCertificate], others: [OtherObject], isLoggedIn: Bool
    ) {
        let halves = others.compactMap { object -> Key? in
            guard case .publicKey(let kind) = object.kind else { return nil }
            return Key(kind: kind, id: object.id, label: object.label)
        }
        let pairs = keys.map { Key(kind: $0.kind, id: $0.id, label: $0.label) }
        self.keys = isLoggedIn ? pairs : halves
        let ids = Set(halves.map(\.id))
        self.certificates = certificates.map { certificate in
            let hasKey: Bool? =
                isLoggedIn ? certificate.hasPrivateKey : ids.contains(certificate.id) ? true : nil
            return Certificate(certificate, hasKey: hasKey)
        }
    }

    /// The keys that no certificate on the token belongs to.
    public var keysWithoutCertificate: [Key] {
        keys.filter { key in !certificates.contains { $0.id == key.id } }
    }

    /// The states that the token's owner should know of.
    ///
    /// Of several certificates of one key the best counts, so that an old one beside its successor is silent.
    ///
    /// - Parameter time: In seconds since 1970.
    public func notices(at time: Int64 = CertificateValidity.now) -> [TokenNotice] {
        var notices: [TokenNotice] = []
        var seen: [[UInt8]] = []
        for certificate in certificates where certificate.isOwn && !seen.contains(certificate.id) {
            if !certificate.id.isEmpty { seen.append(certificate.id) }
            let rivals = certificate.id.isEmpty ? [certificate] : certificates.filter { $0.id == certificate.id }
            let noticed = rivals.map { TokenNotice(certificate: $0, at: time) }
            guard !noticed.contains(nil), let best = noticed.compactMap(\.self).min(by: { $0.rank < $1.rank }) else {
                continue
            }
            notices.append(best)
        }
        notices += keysWithoutCertificate.map { .keyWithoutCertificate($0) }
        notices += certificates.filter { $0.hasKey == false && $0.summary?.isAuthority == false }
            .map { .certificateWithoutKey($0) }
        for (number, key) in keys.enumerated() where !key.label.isEmpty {
            let count = keys.count { $0.label == key.label }
            guard count > 1, keys.prefix(number).allSatisfy({ $0.label != key.label }) else { continue }
            notices.append(.keysOfOneLabel(key.label, count: count))
        }
        return notices
    }
}

extension Session {
    /// The keys and certificates on the token. Before the PIN, keys are seen by their public halves.
    public func contents() throws(KanalError) -> TokenContents {
        let (objects, login) = try call { session throws(TokensError) in
            (try session.objects(with: .certificates), try session.login)
        }
        return TokenContents(
            keys: objects.keyPairs.map { KeyPair($0) }, certificates: TokenCertificate.all(in: objects),
            others: OtherObject.all(in: objects), isLoggedIn: login == .user)
    }
}
