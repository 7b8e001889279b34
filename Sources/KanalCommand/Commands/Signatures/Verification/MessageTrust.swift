// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KanalKit
import Terminal
import Translation

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

    @OptionGroup var online: OnlineOptions

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

    var isGiven: Bool {
        !ca.isEmpty || hasStates || online.offline || signatureOnly || lenient || at != nil || content != nil
    }

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
        verifier.online = online.answers
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
