// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct ImportKey: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "import",
            abstract: translated("Put the keys of a file onto the token, with their certificates."),
            discussion: translated(
                """
                The file is a PFX (PKCS #12), or a key of PKCS #8, in PEM or DER. The keys cannot be read back. The file \
                stays where it is.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: .saying(
            "The source of the file's password: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask)",
            valueName: "source"),
        completion: .sources)
    var passwordSource: SecretSource?

    @Option(
        help: .saying("The file of the key's certificate, if the file of the key has none.", valueName: "file"),
        completion: .file(), transform: FileName.argument)
    var certificate: String?

    @Option(
        help: .saying("A name for the keys. (default: what the file calls them, or the subject)", valueName: "text"))
    var label: String?

    @Flag(help: .saying("Allow key agreement, too, which encrypted messages need."))
    var agree = false

    @Argument(
        help: .saying("The PFX file (PKCS #12), or a key of PKCS #8.", valueName: "file"),
        completion: .file(extensions: ["pfx", "p12", "key", "pem"]), transform: FileName.argument)
    var file: String

    /// Files that are longer are refused anyway.
    private static let limit = 1 << 20

    func run() async throws {
        let token = try await token.find()
        let (opened, name) = try keys()
        let (file, label, agree) = (file, label ?? name, agree)
        let keys = try await pin.perform(on: token) { session in
            let progress = ProgressLine("The keys are stored…")
            defer { progress.end() }
            do { return try session.importKeys(of: opened, label: label, agrees: agree) } catch {
                guard case .invalidArgument(let reason)? = error as? KanalError else { throw error }
                throw CommandError(.failed, "\(file): \(reason.phrase)")
            }
        }
        let serial = token.information.serialText
        try output.show(KeyReport(keys: keys.map { KeyEntry($0, serial: serial) }))
    }

    /// The keys of the file, and a name for those that have none.
    private func keys() throws -> (KeyFile, name: String?) {
        let certificate = try certificate.map { (try PEM.certificate.readOne($0), $0) }
        let summary = try certificate.map { try CertificateSummary.read($0.0, from: $0.1) }
        var bytes = try InputFile(file).all(limit: Self.limit)
        defer { bytes.wipe() }
        if PEM.isText(bytes) { bytes = try PEM.privateKey.one(of: bytes, from: file) }
        let question = SecretQuestion(
            prompt: "Password of \(file.printable): ", source: passwordSource, option: "--password-source",
            canBeEmpty: true)
        let password = HeldPIN(KeyFile.hasPassword(bytes) ? try question.answer() : Secret(count: 0))
        let progress = ProgressLine("The file is opened…")
        defer { progress.end() }
        do {
            let opened = try password.with {
                try KeyFile(bytes, password: $0, certificate: certificate?.0) { done, total in
                    progress.update("The file is opened: \(100 * done / max(total, 1)) %")
                    return !Task.isCancelled
                }
            }
            return (opened, KeyFile.hasNames(bytes) ? nil : summary?.subject["CN"])
        } catch {
            switch error as? KanalError {
            case .passwordIncorrect?:
                throw CommandError(
                    .wrongPIN, "the password of \(file) is wrong, or the file is damaged",
                    of: KanalError.passwordIncorrect(triesLeft: nil))
            case .invalidArgument(let reason)?: throw CommandError(.failed, "\(file): \(reason.phrase)")
            default: throw error
            }
        }
    }
}
