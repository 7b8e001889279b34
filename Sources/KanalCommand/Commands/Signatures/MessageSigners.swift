// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Locking
import Terminal
import Translation

/// The certificates to sign messages with, by the options.
struct MessageSigners: Sendable {
    /// The names of keys or their certificates; empty for the only one.
    let names: [String]
    /// The names of further certificates of the token.
    let with: [String]
    /// Whether certificates may be expired.
    let expired: Bool
    /// Whether all certificates up to the root that are known go with the message.
    let hasChain: Bool
    /// Certificates of files.
    let known: [[UInt8]]

    struct Found: Sendable {
        let signers: [TokenCertificate]
        /// Further certificates that go with the message.
        let certificates: [[UInt8]]

        /// Warns of certificates that end soon.
        func warn(of token: Token, _ output: OutputOptions) throws {
            let notices = signers.compactMap { $0.notice(at: Timestamp.now.seconds) }
            try output.warn(notices.map { Finding($0, of: token.information.serialText) })
        }
    }

    func find(in session: borrowing Session) throws -> Found {
        var signers: [TokenCertificate] = []
        var certificates: [[UInt8]] = []
        for name in names.isEmpty ? [nil] : names.map(Optional.some) {
            let found = try Self.certificates(of: session, named: name, with: with, expired: expired)
            guard !signers.contains(found.signer) else {
                throw CommandError(.usage, "--key names the certificate \(found.signer.caption) twice")
            }
            signers.append(found.signer)
            certificates = found.others.map(\.value)
        }
        if hasChain {
            let all = try session.certificates().map(\.value) + known
            certificates += try signers.flatMap { try CertificateChain.above($0.value, among: all) }
        }
        return Found(signers: signers, certificates: certificates)
    }

    /// The certificate to sign with, and those that go with it.
    ///
    /// - Parameter expired: Whether one is signed with whose period has ended, by an option; nil without such an option.
    ///   Recipients refuse such messages.
    static func certificates(
        of session: borrowing Session, named name: String?, with others: [String], expired: Bool? = nil
    ) throws -> (signer: TokenCertificate, others: [TokenCertificate]) {
        let all = try session.certificates()
        let keys = try session.keyPairs()
        let signers = all.filter(\.hasPrivateKey)
        guard !signers.isEmpty else {
            throw CommandError(
                .failed, "no certificate on the token has its key there: \"kanal cert request\" asks for one")
        }
        // A key's name means its certificate.
        let ofKey = keys.filter { key in name.map(key.isCalled) ?? false }
        let byKey = signers.filter { certificate in ofKey.contains { $0.id == certificate.id } }
        let signer =
            byKey.count == 1 && !signers.contains { certificate in name.map(certificate.isCalled) ?? false }
            ? byKey[0] : try signers.only(named: name, .signingCertificate, by: "--key")
        if expired != true, case .certificateExpired(let certificate)? = signer.notice(at: Timestamp.now.seconds) {
            let way: Phrase = expired == nil ? "" : ", and --expired signs nevertheless"
            throw CommandError(
                .failed,
                """
                the certificate \(signer.caption) expired on \(certificate.lastDay), and recipients refuse what is signed with it: \
                "kanal cert request" asks for a new one\(way)
                """, remedy: expired == nil ? nil : "--expired")
        }
        return (signer, try others.map { try all.only(named: $0, .certificate, by: "--with") })
    }
}
