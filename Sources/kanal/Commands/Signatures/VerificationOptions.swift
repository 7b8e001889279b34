// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

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

    @Flag(help: .saying("Ask not whose certificate it is: everybody can make one of any name."))
    var signatureOnly = false

    @Flag(help: .saying("Accept messages of programs that are careless with versions and names of algorithms."))
    var lenient = false

    @Option(
        help: .saying("The file that was signed, if it is not in the message.", valueName: "file"),
        completion: .file(),
        transform: FileName.argument)
    var content: String?

    var isGiven: Bool { !ca.isEmpty || !crl.isEmpty || signatureOnly || lenient || content != nil }

    /// - Parameter files: Those with further certificates.
    func verifier(with files: [String]) throws -> MessageVerifier {
        var verifier = MessageVerifier(trusting: try certificates(ca))
        verifier.certificates = try certificates(files)
        verifier.revocationLists = try crl.flatMap { try PEM.revocationList.read($0) }
        verifier.revocationCheck = crl.isEmpty ? .none : .signers
        verifier.checksSignatureOnly = signatureOnly
        verifier.requiresOrder = !lenient
        return verifier
    }

    private func certificates(_ files: [String]) throws -> [[UInt8]] {
        try files.flatMap { file in
            let values = try PEM.certificate.read(file)
            for value in values { _ = try CertificateSummary.read(value, from: file) }
            return values
        }
    }
}
