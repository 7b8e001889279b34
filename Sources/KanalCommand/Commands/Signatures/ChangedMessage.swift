// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// The signed message of a file that gets something added, and the file that it is written to then.
struct ChangedMessage {
    let message: ExistingMessage
    let result: SignatureFile

    /// - Parameters:
    ///   - file: The message, or the file that has its message beside it, as "kanal verify" finds it.
    ///   - content: The file with the content, if it is named.
    ///   - known: Further certificates in DER.
    ///   - destination: The file for the result; nil for the place of the message.
    ///   - replaces: Whether a file other than the message's may be replaced.
    init(
        _ file: String, content: String?, known: [[UInt8]], destination: String?, replaces: Bool, _ number: Int,
        _ progress: BatchProgress
    ) throws {
        let isContent = content == nil && InputFile.isRegular(file) && !MessageFile.isMessage(file)
        let beside = isContent ? MessageFile.messageBeside(file) : nil
        let name = beside ?? file
        let input = try InputFile(name)
        let read = try MessageFile(input, name)
        guard let encoding = read.encoding else {
            throw CommandError(.failed, "\(name.printable) is a mail: use a message in DER, PEM or base64")
        }
        // Text, and what comes by a pipe, is kept; all else is read twice.
        let whole = encoding.isText || !InputFile.isRegular(name) ? try read.bytes() : nil
        let tell = progress.begin(number, input)
        let open: @Sendable (String) throws -> ByteSource = { name in
            let input = try InputFile(name)
            return input.source(progress: progress.begin(number, input))
        }
        var message = ExistingMessage(content: try content.map(open)) {
            if let whole { return ByteSource(first: whole, nil, tell) }
            return try InputFile(name).source(progress: tell)
        }
        message.findContent = { try open(try Self.contentFile(beside == nil ? nil : file, of: name)) }
        message.certificates = known
        self.message = message
        result = SignatureFile(
            try Destination(
                destination ?? name, replaces: destination == nil || replaces, isText: encoding.isText,
                replacesInput: destination == nil),
            encoding)
    }

    /// The file with the content of a message that does not have it.
    private static func contentFile(_ file: String?, of message: String) throws -> String {
        if let name = file ?? MessageFile.contentBeside(message) { return name }
        throw CommandError(
            .failed,
            "the content of \(message.printable) is neither in it nor in a file of its name: --content names the file",
            remedy: "--content")
    }
}
