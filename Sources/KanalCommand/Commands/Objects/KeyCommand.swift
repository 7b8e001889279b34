// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

struct KeyCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "key",
            abstract: translated("Generate, import and delete keys, and export public keys."),
            discussion: translated(
                "A key is named by its label, or by its id in hexadecimal digits. \"kanal list\" shows both."),
            subcommands: [GenerateKey.self, ImportKey.self, ExportKey.self, WriteKeyFile.self, DeleteKey.self])
    }
}

struct GenerateKey: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "generate",
            abstract: translated("Make a key pair on the token. The private key never leaves it."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions

    @Option(help: .saying("gost256, gost512, rsa1024, rsa2048 or p256.", valueName: "kind"))
    var kind = KeyKindName(.gost256)

    @Option(help: .saying("Its id, in hexadecimal digits. (default: the first that is free)", valueName: "id"))
    var id: Identifier?

    @Option(help: .saying("Its name.", valueName: "text"))
    var label = ""

    @Flag(help: .saying("Allow key agreement, too, which encrypted messages need."))
    var agree = false

    func run() async throws {
        let (kind, given, label, agree) = (kind.kind, id?.bytes, label, agree)
        let token = try await token.find()
        let key = try await pin.perform(on: token) { session in
            let ids = try session.keyPairs().map(\.id) + session.certificates().map(\.id)
            let id = given ?? ids.unused
            guard given == nil || !ids.contains(id) else {
                throw CommandError(
                    .failed, "there is a key or a certificate with the id \(id.hexadecimal) already")
            }
            let progress = ProgressLine("The token makes the key…")
            defer { progress.end() }
            return try session.generateKeyPair(kind, id: id, label: label, canAgree: agree)
        }
        try output.show(KeyReport(keys: [KeyEntry(key, serial: token.information.serialText)]))
        try output.hint(.requestCertificate(key: key.argument))
    }
}

struct ExportKey: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "export", abstract: translated("Write a public key (SubjectPublicKeyInfo)."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var result: EncodedOutput

    @Argument(help: .saying("The key's label or id. (default: the only key)", valueName: "key"))
    var key: String?

    func validate() throws { try result.validate(with: output) }

    func run() async throws {
        try result.check()
        let key = key
        let info = try await pin.perform(on: try await token.find()) { session in
            let pair = try session.keyPairs().only(named: key, .key)
            return try session.publicKeyInfo(of: pair)
        }
        try result.write(info, as: .publicKey, output)
    }
}

struct WriteKeyFile: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "file",
            abstract: translated("Write a file that stands for a key, for programs that read key files only."),
            discussion: translated(
                """
                It holds the key's pkcs11: URI, and no secret. OpenSSL's providers kanal and pkcs11-provider take it \
                in place of a private key, so that web servers and others use the key on the token.

                The provider kanal gives the PIN of its settings to the token of such a file only if SERIAL beside it \
                is the serial number of this token, which "kanal info" shows. Without SERIAL the program asks for the \
                PIN, or fails.
                """))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var result: EncodedOutput

    @Argument(help: .saying("The key's label or id. (default: the only key)", valueName: "key"))
    var key: String?

    func validate() throws { try result.validate(with: output) }

    func run() async throws {
        try result.check()
        let (key, token) = (key, try await token.find())
        let pair = try await pin.perform(on: token) { session in try session.keyPairs().only(named: key, .key) }
        let uri = ObjectURI(.privateKey, id: pair.id, label: pair.label, serial: token.information.serialText)
        try result.write(uri.file, as: .keyURI, output)
    }
}

struct DeleteKey: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete", abstract: translated("Delete a key pair from the token. It cannot be restored."))
    }

    @OptionGroup var token: TokenOptions
    @OptionGroup var pin: PINOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: ConfirmationOptions

    @Argument(help: .saying("The key's label or id.", valueName: "key"))
    var key: String

    func run() async throws {
        let (name, token) = (key, try await token.find())
        // The private half is not seen before the login; the question is about the name.
        try confirmation.require(
            """
            The key \(name) of the token \(token.information.caption) will be lost for ever: nobody can sign with it \
            again, nor read what was encrypted for it. Certificates of it stay.
            """)
        let key = try await pin.perform(on: token) { session in
            let key = try session.keyPairs().only(named: name, .key)
            try session.delete(key)
            return key
        }
        try output.show(DeletedReport(id: key.id.hexadecimal, label: key.label))
    }
}

/// Keys that are on the token now.
struct KeyReport: Report {
    let keys: [KeyEntry]

    func text(_ style: Style) -> String {
        var table = Table(["key", "id", "kind"])
        for key in keys { table.add([key.label, key.id, translated(key.kindText)]) }
        return table.text(style)
    }
}

/// A key or a certificate that is gone.
struct DeletedReport: Report {
    let id: String
    let label: String

    func text(_ style: Style) -> String { "" }
}
