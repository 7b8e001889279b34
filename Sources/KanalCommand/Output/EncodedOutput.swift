// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Terminal
import Translation

/// The destination of a result in DER, and whether it is written as text.
struct EncodedOutput: ParsableArguments {
    @Flag(help: .saying("Write DER instead of PEM."))
    var der = false

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: .saying("The file to write to. (default: standard output)", valueName: "file"), completion: .file(),
        transform: FileName.argument)
    var file: String?

    @OptionGroup var replacing: OverwriteOption

    /// Refuses what cannot be had together.
    func validate(with output: OutputOptions) throws {
        guard !der || !output.json || file != nil else {
            throw ValidationError(translated("--der and --json exclude each other"))
        }
    }

    /// Finds out whether the result can be written, before a PIN is asked for.
    func check() throws {
        try replacing.check(file)
        if der, file == nil { try OutputStream.output.requireBinary() }
    }

    /// Writes the result: the file as a whole or not at all.
    func write(_ bytes: [UInt8], as kind: PEM, _ output: OutputOptions) throws {
        let text = kind.text(bytes)
        if let file {
            let result = try replacing.open(file)
            try result.write(der ? bytes : Array(text.utf8))
            try result.finish()
        } else if der {
            return try OutputStream.output.writeBinary(bytes)
        }
        try output.show(EncodedReport(pem: text, file: file?.shownName))
    }
}

/// Something in DER that was written.
private struct EncodedReport: Report {
    let pem: String
    let file: String?

    func text(_ style: Style) -> String { file == nil ? pem : "" }
}

extension OutputStream {
    /// Writes binary data, unless to a terminal.
    func writeBinary(_ bytes: [UInt8]) throws {
        try requireBinary()
        try write(bytes)
    }

    /// Refuses a terminal, which binary data is not for.
    func requireBinary() throws {
        guard style.width == nil else {
            throw CommandError(.usage, "the result is not text for a terminal: name a file with --output")
        }
    }
}
