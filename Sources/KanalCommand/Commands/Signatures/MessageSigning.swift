// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Locking
import Terminal
import Translation

/// Signed messages of files, all under one login.
struct MessageSigning {
    let files: [String]
    let signers: MessageSigners
    let isDetached: Bool
    let output: OutputOptions
    let places: SignaturePlaces
    /// The authority that stamps the signatures, if one does.
    let authority: TimeStampAuthority?
    /// Raises the messages to X Long type 1, if that is wanted.
    let raiser: MessageRaiser?

    /// Longer content is split into pieces in its message.
    private static let longest = 1 << 32 - 1

    func run(
        on token: Token, _ secrets: KeyUseOptions, _ batch: Batch<SignedFile>
    ) async throws -> Batch<SignedFile> {
        let signers = signers
        return try await secrets.perform(on: token) { session in
            try signers.find(in: session)
        } then: { found in
            let progress = BatchProgress(.signing, count: files.count)
            defer { progress.end() }
            var batch = batch
            for (number, file) in files.enumerated() {
                await batch.attempt(file) {
                    let input = try InputFile(file)
                    let destination = try places.open(for: file)
                    let isCounted = input.length.map { $0 <= Self.longest } ?? false
                    let source = input.source(
                        isCounted: isDetached || isCounted, progress: progress.begin(number, input))
                    let draft = Lock<[UInt8]>([])
                    let isRaised = raiser != nil
                    try await token.signMessage(
                        of: source, by: found.signers, certificates: found.certificates, isDetached: isDetached,
                        stampedBy: authority,
                        output: { piece in
                            if isRaised { draft.withLock { $0 += piece } } else { try destination.write(piece) }
                        })
                    let content = isDetached && isRaised ? try InputFile(file).source() : nil
                    try await raiser?.raise(
                        ExistingMessage(draft.withLock { $0 }, content: content), to: .xLongType1,
                        output: { try destination.write($0) })
                    try destination.finish()
                    return SignedFile(file, signature: destination.name)
                } failed: {
                    SignedFile(file, error: $1)
                }
            }
            if !batch.results.isEmpty { try found.warn(of: token, output) }
            return batch
        }
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
            let found = try MessageSigning.certificates(of: session, named: name, with: with, expired: expired)
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
}
