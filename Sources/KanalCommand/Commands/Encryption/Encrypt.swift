// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

struct Encrypt: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "encrypt",
            abstract: translated("Encrypt files to the holders of certificates."),
            discussion: translated(
                """
                The encrypted message is written to FILE.enc. Each recipient can open it alone, whatever kinds of keys \
                the others have: GOST, RSA, or elliptic curves. No token is needed. The message does not name its \
                sender: sign the file first, with "kanal sign --cms", if the recipients have to know.

                The default cipher is the strongest that all recipients can be assumed to support: kuznyechik-omac for \
                GOST keys, gost28147 if one of the keys is of 2001, and aes256-gcm if any key is of a different kind. \
                kuznyechik, magma, gost28147 and aes256-cbc have no authentication code: changes on the way go \
                unnoticed.

                --for chooses a form that another program can open: aes256-gcm for openssl, which its gost engine \
                opens, too; aes256-cbc without OAEP for gpgsm and nss.
                """))
    }

    @OptionGroup var output: OutputOptions
    @OptionGroup var form: EncryptionForm

    @Option(
        help: .saying("A file with certificates of recipients, in PEM or DER.", valueName: "file"),
        completion: .file(), transform: FileName.argument)
    var to: [String] = []

    @Flag(help: .saying("Encrypt although a recipient's certificate has expired, or is not valid yet."))
    var expired = false

    @OptionGroup var place: ResultPlaceOption

    @OptionGroup var input: InputFiles
    var files: [String] { input.files }

    func validate() throws {
        try input.require(isOfOne: place.destination != nil, "standard input and --output go with one file")
        guard !to.isEmpty else { throw ValidationError(translated("name the recipients' certificates with --to")) }
        try input.validate(output, destination: place.destination)
    }

    func run() async throws {
        let encryptor = try form.encryptor(to: certificates())
        let progress = BatchProgress(.encryption, count: files.count)
        defer { progress.end() }
        var batch = Batch<EncryptedFile>(files)
        let (named, replaces, cipher) = (place.destination, place.replacing.overwrite, form.name(of: encryptor))
        await batch.attemptAll { number, file in
            let input = try InputFile(file)
            let destination = try Destination(named ?? (file == "-" ? "-" : file + ".enc"), replaces: replaces)
            let isCounted = input.length.map { $0 < 1 << 32 } ?? false
            let source = input.source(
                isCounted: isCounted, pieceSize: InputFile.pieceSize, progress: progress.begin(number, input))
            try await encryptor.encrypt(source) { try destination.write($0) }
            try destination.finish()
            return EncryptedFile(file, message: destination.name, cipher: cipher)
        } failed: { file, _, text in
            EncryptedFile(file, error: text)
        }
        if place.destination ?? files[0] != "-" {
            try output.show(EncryptedFiles(files: batch.results), endingWith: batch.error(.encryption))
        }
        try batch.finish(.encryption)
    }

    /// The recipients' certificates.
    private func certificates() throws -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for file in to {
            for value in try PEM.certificate.read(file) {
                let summary = try CertificateSummary.read(value, from: file)
                if !expired { try Self.requireValid(summary, file) }
                certificates.append(value)
            }
        }
        return certificates
    }

    private static func requireValid(_ summary: CertificateSummary, _ file: String) throws {
        switch summary.validity(at: Timestamp.now.seconds) {
        case .valid, .expiring: break
        case .expired:
            let day = summary.notAfter.map { Timestamp($0).day } ?? ""
            throw CommandError(
                .failed,
                """
                \(file.printable): the certificate expired on \(day): ask the recipient for a new one, or say --expired
                """, remedy: "--expired")
        case .notYetValid:
            let day = summary.notBefore.map { Timestamp($0).day } ?? ""
            throw CommandError(
                .failed,
                "\(file.printable): the certificate is not valid before \(day): --expired takes it all the same",
                remedy: "--expired")
        }
    }
}

/// The cipher of messages, and how their keys are encrypted.
struct EncryptionForm: ParsableArguments {
    @Option(
        help: .saying("The cipher of the content. (default: the strongest for all recipients)", valueName: "cipher"))
    var cipher: CipherName?

    @Option(
        name: .customLong("for"), help: .saying("The program that will open the messages.", valueName: "program"))
    var program: ReadingProgram?

    @Option(help: .saying("The padding of keys for RSA recipients. (default: oaep)", valueName: "padding"))
    var padding: PaddingName?

    /// - Parameter certificates: The recipients'.
    func encryptor(to certificates: [[UInt8]]) throws -> MessageEncryptor {
        var encryptor = try MessageEncryptor(to: certificates)
        if program == .nss {
            let isForeign = certificates.contains { certificate in
                guard let key = try? PublicKey(of: certificate), case .rsa = key.kind else { return true }
                return false
            }
            if isForeign { throw CommandError(.usage, "nss opens messages with keys of RSA only") }
        }
        if program == .gpgsm || program == .nss {
            guard padding != .oaep, [nil, .aes256CBC].contains(cipher) else {
                throw CommandError(.usage, "--for gpgsm and --for nss go with aes256-cbc and pkcs1 only")
            }
            encryptor.padding = .pkcs1
            encryptor.cipher = .aes256CBC
        } else {
            if padding == .pkcs1 { encryptor.padding = .pkcs1 }
            encryptor.cipher = cipher?.cipher ?? (program == .openssl ? .aes256GCM : nil)
        }
        return encryptor
    }

    func name(of encryptor: MessageEncryptor) -> String {
        let cipher = encryptor.cipher ?? encryptor.strongestCipher
        return CipherName.allCases.first { $0.cipher == cipher }?.rawValue ?? ""
    }
}

/// A cipher as it is typed.
enum CipherName: String, CaseIterable, ExpressibleByArgument {
    case kuznyechikOMAC = "kuznyechik-omac"
    case kuznyechik
    case magmaOMAC = "magma-omac"
    case magma
    case gost28147
    case aes256GCM = "aes256-gcm"
    case aes256CBC = "aes256-cbc"

    var cipher: MessageCipher {
        switch self {
        case .kuznyechikOMAC: .kuznyechikOMAC
        case .kuznyechik: .kuznyechik
        case .magmaOMAC: .magmaOMAC
        case .magma: .magma
        case .gost28147: .gost28147
        case .aes256GCM: .aes256GCM
        case .aes256CBC: .aes256CBC
        }
    }
}

/// A program that opens messages.
enum ReadingProgram: String, CaseIterable, ExpressibleByArgument {
    case openssl, gpgsm, nss
}

/// How keys are padded for RSA.
enum PaddingName: String, CaseIterable, ExpressibleByArgument {
    case oaep, pkcs1
}

/// The result for a file to be encrypted.
struct EncryptedFile: Encodable, Sendable {
    let file: String
    let message: String?
    let cipher: String?
    let error: String?

    init(_ file: String, message: String? = nil, cipher: String? = nil, error: String? = nil) {
        (self.file, self.message, self.cipher, self.error) = (file.shownName, message?.shownName, cipher, error)
    }
}

private struct EncryptedFiles: Report {
    let files: [EncryptedFile]

    func text(_ style: Style) -> String {
        files.compactMap { file in file.message.map { $0.printable + "\n" } }.joined()
    }
}
