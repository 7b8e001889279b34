// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KanalKit
import Terminal
import Translation

/// The verification of signed messages of files.
struct MessageVerification {
    let files: [String]
    let verifier: MessageVerifier
    /// The signed file, if one is named.
    let content: String?
    /// The destination of a message's content.
    let place: String?
    let replacing: OverwriteOption

    func run() async -> Batch<VerifiedFile> {
        let progress = BatchProgress(.verification, count: files.count)
        defer { progress.end() }
        var batch = Batch<VerifiedFile>(files)
        for (number, file) in files.enumerated() {
            await batch.attempt(file) {
                if let stamp = try await verifyStamp(file, number, progress) {
                    return VerifiedFile(
                        file, isTrustChecked: !verifier.checksSignatureOnly, timeStamp: VerifiedFile.Stamp(stamp))
                }
                let signers = try await namingRemedies { try await verify(file, number, progress) }
                return VerifiedFile(
                    file, signers: signers.map(VerifiedFile.Signer.init), isTrustChecked: !verifier.checksSignatureOnly)
            } failed: {
                VerifiedFile(
                    file, signers: VerifiedFile.claimed(by: $0), isTrustChecked: !verifier.checksSignatureOnly,
                    error: $1)
            }
        }
        return batch
    }

    private func verify(_ file: String, _ number: Int, _ progress: BatchProgress) async throws -> [MessageSigner] {
        if content == nil, place == nil, InputFile.isRegular(file), !MessageFile.isMessage(file) {
            if let message = MessageFile.messageBeside(file) {
                return try await verify(message, of: file, number, progress)
            }
            if InputFile.isRegular(file + ".sig") {
                throw CommandError(
                    .failed,
                    """
                    \(file.printable).sig is a signature alone: verify it by --certificate, --public-key or --key, without \
                    --ca
                    """)
            }
        }
        if let content { return try await verify(file, of: content, number, progress) }
        let input = try InputFile(file)
        // The content of a rejected message is never revealed.
        let result = try place.map { try replacing.open($0) }
        let message = try MessageFile(input, file)
        if let content = message.content {
            let signers = try verifier.verify(message.bytes(), content: content).signers
            try result?.write(content)
            try result?.finish()
            return signers
        }
        do {
            let source = message.source(progress.begin(number, input))
            let signers = try await verifier.verify(source) { piece in try result?.write(piece) }
            try result?.finish()
            return signers
        } catch KanalError.messageRefused(.noContent) {
            guard place == nil, let beside = MessageFile.contentBeside(file) else {
                throw KanalError.messageRefused(.noContent)
            }
            return try await verifyDetached(try InputFile(file), file, beside, number, progress)
        }
    }

    /// Verifies a message whose content is in a file, and may be in it as well.
    private func verify(
        _ file: String, of content: String, _ number: Int, _ progress: BatchProgress
    ) async throws -> [MessageSigner] {
        do {
            return try await verifyDetached(try InputFile(file), file, content, number, progress)
        } catch KanalError.messageRefused(.ownContent) where file != "-" {
            return try await verifyAttached(file, content)
        }
    }

    /// Verifies a message whose content is in it, and in a file as well.
    private func verifyAttached(_ file: String, _ content: String) async throws -> [MessageSigner] {
        let expected = ExpectedContent(try InputFile(content))
        let message = try MessageFile(try InputFile(file), file)
        let signers = try await verifier.verify(message.source { _ in }) { piece in try expected.compare(piece) }
        try expected.end()
        return signers
    }

    private func verifyDetached(
        _ input: InputFile, _ file: String, _ content: String, _ number: Int, _ progress: BatchProgress
    ) async throws -> [MessageSigner] {
        let message = try MessageFile(input, file).bytes()
        let content = try InputFile(content)
        return try await verifier.verify(
            message, content: content.source(progress: progress.begin(number, content)))
    }

    /// Names the options that accept what only an orderly message has, and certificates that are valid at another time.
    private func namingRemedies(_ body: () async throws -> [MessageSigner]) async throws -> [MessageSigner] {
        do { return try await body() } catch KanalError.messageRefused(.notInOrder) {
            throw CommandError(
                .failed,
                "\(KanalError.messageRefused(.notInOrder).explanation); --lenient accepts the message all the same",
                of: KanalError.messageRefused(.notInOrder), remedy: "--lenient")
        } catch KanalError.messageRefused(.untrusted(let signers)) where signers.contains(where: \.isOfAnotherTime) {
            let refusal = KanalError.messageRefused(.untrusted(signers))
            throw CommandError(
                .failed, "\(refusal.explanation): --at verifies for another time", of: refusal, remedy: "--at")
        }
    }
}

/// A detached signature, and the options of its verification.
struct SignatureAlone: ParsableArguments {
    @Option(
        help: .saying("The file of the signature. (default: FILE.sig)", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var signature: String?

    @Option(
        name: [.short, .long],
        help: .saying("The key of the token, its label or id. (default: the only one)", valueName: "key"))
    var key: String?

    @Option(
        help: .saying("A file with the public key.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var publicKey: String?

    @Option(help: .saying("How the key signs, for keys with a choice.", valueName: "algorithm"))
    var algorithm: AlgorithmName?

    var isGiven: Bool { signature != nil || key != nil || publicKey != nil || algorithm != nil }
}

/// Whose signed messages are accepted, and which.
struct MessageTrust: ParsableArguments {
    @Option(
        help: .saying("A file with certificates that are trusted.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var ca: [String] = []

    @Option(
        help: .saying("A file with lists of revoked certificates.", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var crl: [String] = []

    @Option(
        help: .saying(
            "A file with a response of an authority about certificates (OCSP), as \"openssl ocsp -respout\" writes it.",
            valueName: "file"), completion: .file(), transform: FileName.argument)
    var ocsp: [String] = []

    @Flag(help: .saying("Do not check whose certificate it is. Anyone can make a certificate with any name."))
    var signatureOnly = false

    @Flag(help: .saying("Accept messages of programs that are careless with versions and names of algorithms."))
    var lenient = false

    @Option(
        help: .saying(
            "The time at which the certificates must be valid, as 2026-03-31 or 2026-03-31T12:00:00Z. (default: now)",
            valueName: "time"),
        transform: MomentArgument.seconds)
    var at: Int64?

    @Option(
        help: .saying("The file that was signed, if it is not in the message.", valueName: "file"),
        completion: .file(),
        transform: FileName.argument)
    var content: String?

    var isGiven: Bool { !ca.isEmpty || hasStates || signatureOnly || lenient || at != nil || content != nil }

    /// Whether lists or responses are given.
    private var hasStates: Bool { !crl.isEmpty || !ocsp.isEmpty }

    /// - Parameter files: Those with further certificates.
    func verifier(with files: [String]) throws -> MessageVerifier {
        var verifier = MessageVerifier(trusting: try Self.certificates(ca))
        verifier.certificates = try Self.certificates(files)
        verifier.revocationLists = try crl.flatMap { try PEM.revocationList.read($0) }
        verifier.ocspResponses = try ocsp.flatMap { try PEM.ocspResponse.read($0) }
        verifier.revocationCheck = hasStates ? .signers : .none
        verifier.checksSignatureOnly = signatureOnly
        verifier.requiresOrder = !lenient
        verifier.time = at
        return verifier
    }

    static func certificates(_ files: [String]) throws -> [[UInt8]] {
        try files.flatMap { file in
            let values = try PEM.certificate.read(file)
            for value in values { _ = try CertificateSummary.read(value, from: file) }
            return values
        }
    }
}

/// The result for a file whose signature was verified.
struct VerifiedFile: Encodable, Sendable {
    struct Signer: Encodable, Sendable {
        let subject: String?
        let subjectText: Phrase?
        let issuer: String?
        let serialNumber: String?
        let signingTime: String?
        let distrust: Distrust?
        /// nil if there are none.
        let countersignatures: [Countersigner]?
        /// "BES" or "T", of CAdES; nil for another form.
        let level: String?
        /// The time before which a good time stamp proves the signature to have been made.
        let provenTime: String?
        let timeStamps: [Stamp]?

        private enum CodingKeys: CodingKey {
            case subject, issuer, serialNumber, signingTime, distrust, countersignatures, level, provenTime, timeStamps
        }
    }
    }

    /// A countersignature of a signer.
    struct Countersigner: Encodable, Sendable {
        let subject: String?
        let issuer: String?
        let serialNumber: String?
        let signingTime: String?
        /// Whether the signature is good, whoever's it is.
        let isValid: Bool
        let distrust: Distrust?
        let error: String?
        /// The reason why it counts for nothing, for people.
        fileprivate let doubt: Phrase?

        private enum CodingKeys: String, CodingKey {
            case subject, issuer, serialNumber, signingTime, isValid, distrust, error
        }
    }

    /// The reason why a signer is not trusted.
    struct Distrust: Encodable, Sendable {
        let reason: String
        let time: String?
        /// The subject of the certificate that is at fault.
        let subject: String?
    }

    let file: String
    let isValid: Bool
    /// The signers of a message. In a rejected one their names are mere claims.
    let signers: [Signer]
    /// Whether a path to a trusted certificate was asked for; nil for a signature alone.
    let isTrustChecked: Bool?
    /// The time stamp of the file, which has no signers.
    let timeStamp: Stamp?
    let error: String?

    init(
        _ file: String, signers: [Signer] = [], isTrustChecked: Bool? = nil, timeStamp: Stamp? = nil,
        error: String? = nil
    ) {
        (self.file, isValid, self.timeStamp) = (file.shownName, error == nil, timeStamp)
        (self.signers, self.isTrustChecked, self.error) = (signers, isTrustChecked, error)
    }
}

extension VerifiedFile.Signer {
    init(_ signer: MessageSigner) {
        let summary = try? CertificateSummary(of: signer.certificate)
        subject = summary?.subject.description
        subjectText = summary?.subject.phrase
        issuer = summary?.issuer.description
        serialNumber = summary?.serialNumber.hexadecimal
        signingTime = signer.signingTime.map { Timestamp($0).text }
        distrust = signer.distrust.map(VerifiedFile.Distrust.init)
        let all = signer.countersignatures.map(VerifiedFile.Countersigner.init)
        countersignatures = all.isEmpty ? nil : all
        level =
            switch signer.level {
            case .bes: "BES"
            case .t: "T"
            case nil: nil
            }
        provenTime = signer.provenTime.map { Timestamp($0).text }
        timeStamps = signer.timeStamps.isEmpty ? nil : signer.timeStamps.map(VerifiedFile.Stamp.init)
    }
}

extension VerifiedFile.Countersigner {
    fileprivate init(_ countersignature: Countersignature) {
        let summary = countersignature.certificate.flatMap { try? CertificateSummary(of: $0) }
        subject = summary?.subject.description
        issuer = summary?.issuer.description
        serialNumber = summary?.serialNumber.hexadecimal
        signingTime = countersignature.signingTime.map { Timestamp($0).text }
        isValid = countersignature.fault == nil
        distrust = countersignature.distrust.map(VerifiedFile.Distrust.init)
        error = countersignature.fault?.description.printable
        doubt = countersignature.fault?.explanation ?? countersignature.distrust?.explanation
    }

    fileprivate var text: String {
        let time: Phrase = signingTime.map { ", who says it was at \($0)" } ?? ""
        let subject = subject.map { Phrase(verbatim: $0.printable) } ?? Phrase("an unknown subject")
        let doubt: Phrase = doubt.map { "; not trusted: \($0)" } ?? ""
        return "    " + translated("countersigned by \(subject)\(time)\(doubt)").printable + "\n"
    }
}

extension VerifiedFile.Distrust {
    init(_ distrust: KanalKit.Distrust) {
        let (name, time): (String, Int64?) =
            switch distrust.reason {
            case .expired(let time): ("expired", time)
            case .notYetValid(let time): ("notYetValid", time)
            case .revoked(let time): ("revoked", time)
            case .listMissing: ("listMissing", nil)
            case .listOutdated(let time): ("listOutdated", time)
            case .notForSigning: ("notForSigning", nil)
            case .notUnderstood: ("notUnderstood", nil)
            case .unknownIssuer: ("unknownIssuer", nil)
            case .noPath: ("noPath", nil)
            }
        reason = name
        self.time = time.map { Timestamp($0).text }
        subject = (try? CertificateSummary(of: distrust.certificate))?.subject.description
    }
}

extension VerifiedFile {
    /// The signers that a message claims to have whose signatures are good, and which is not accepted.
    static func claimed(by error: any Error) -> [Signer] {
        let refusal = ((error as? CommandError)?.cause ?? error) as? KanalError
        guard case .messageRefused(.untrusted(let signers))? = refusal else { return [] }
        return signers.map(Signer.init)
    }
}

extension MessageSigner {
    /// Whether the certificate at fault is valid at another time.
    fileprivate var isOfAnotherTime: Bool {
        switch distrust?.reason {
        case .expired, .notYetValid: true
        default: false
        }
    }
}

struct VerifiedFiles: Report {
    let files: [VerifiedFile]

    func text(_ style: Style) -> String {
        files.map { file in
            let verdict =
                file.isValid ? style.text(translated("good"), .good) : style.text(translated("not accepted"), .bad)
            let signers = file.signers.map { signer in
                let time: Phrase = signer.signingTime.map { ", who says it was at \($0)" } ?? ""
                let subject: Phrase = signer.subjectText ?? "an unknown subject"
                let countersignatures = (signer.countersignatures ?? []).map(\.text).joined()
                return "  " + translated("signed by \(subject)\(time)").printable + signer.levelText + "\n"
                    + signer.stampLines(isTrustChecked: file.isTrustChecked == true) + countersignatures
            }
            let isUnasked = file.isValid && file.isTrustChecked == false
            let trust = isUnasked ? " " + translated("(trust was not asked for)") : ""
            return "\(file.file.printable): \(verdict)\(trust)\n" + (file.isValid ? signers.joined() : "")
                + (file.timeStamp?.line ?? "")
        }.joined()
    }
}
