// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import KanalKit
import Locking
import Terminal
import Translation

/// A file with a signed message, in one of the forms that programs write: BER, PEM, base64 without lines around it, S/MIME.
struct MessageFile {
    /// The beginning of the message in BER, and the file with the rest of it.
    private let first: [UInt8]
    private let rest: InputFile?
    /// The content that an S/MIME file has beside the message (multipart/signed).
    let content: [UInt8]?
    /// The form that the file has the message in; nil for a mail.
    let encoding: SignatureEncoding?
    /// Whether the file has nothing but the message in it. The fields of a mail are not looked at.
    let isAlone: Bool

    /// - Throws: ``CommandError`` if the file is text without a message, or with several.
    init(_ input: InputFile, _ file: String) throws {
        let first = try input.next() ?? []
        guard first.isText else {
            (self.first, rest, content, encoding, isAlone) = (first, input, nil, .binary, true)
            return
        }
        var text = first
        while let piece = try input.next() {
            guard text.count + piece.count <= PEM.limit else {
                throw CommandError(.failed, "\(file) is too long for a message in PEM: write it in DER")
            }
            text += piece
        }
        let mail = SignedMail(text.withoutByteOrderMark)
        self.first = try mail?.message ?? PEM.message.one(of: text, from: file)
        (rest, content) = (nil, mail?.content)
        encoding = mail == nil ? .text(SignatureText(of: text)) : nil
        isAlone = mail != nil || PEM.message.isAlone(in: text.withoutByteOrderMark)
    }

    /// The message, piece by piece.
    ///
    /// - Parameter tell: Called with the number of bytes that were read.
    func source(_ tell: @escaping @Sendable (Int) -> Void) -> ByteSource { ByteSource(first: first, rest, tell) }

    /// The whole message.
    func bytes() throws -> [UInt8] { try first + (rest?.all(limit: PEM.limit) ?? []) }
}

/// The content that a message must have in it: a file's.
final class ExpectedContent: Sendable {
    private let file: InputFile
    /// The bytes of the file that were read and not compared yet.
    private let pending = Lock<ArraySlice<UInt8>>([])

    init(_ file: InputFile) { self.file = file }

    /// - Throws: `MessageFault.ownContent` if the next bytes of the file are not these.
    func compare(_ piece: [UInt8]) throws {
        try pending.withLock { pending in
            var rest = piece[...]
            while !rest.isEmpty {
                if pending.isEmpty { pending = try file.next()?[...] ?? [] }
                let count = min(pending.count, rest.count)
                guard count > 0, pending.prefix(count).elementsEqual(rest.prefix(count)) else {
                    throw KanalError.messageRefused(.ownContent)
                }
                pending = pending.dropFirst(count)
                rest = rest.dropFirst(count)
            }
        }
    }

    /// - Throws: `MessageFault.ownContent` unless the file ends here.
    func end() throws {
        let isAtEnd = try pending.withLock { pending in try pending.isEmpty && file.next() == nil }
        guard isAtEnd else { throw KanalError.messageRefused(.ownContent) }
    }
}

/// The place of a content that is verified while it is written. A pipe or a device gets it behind that.
final class VerifiedContent: Sendable {
    private let result: ResultFile
    private let place: String
    private let held = Lock<[UInt8]>([])

    init(_ result: ResultFile, _ place: String) { (self.result, self.place) = (result, place) }

    func write(_ piece: [UInt8]) throws {
        guard result.isWrittenDirectly else { return try result.write(piece) }
        try held.withLock { held in
            guard held.count + piece.count <= PEM.limit else {
                throw CommandError(
                    .failed, "the content is too long for \(place.printable): write it to a file, with --output")
            }
            held += piece
        }
    }

    /// Gives the content to its place.
    func finish() throws {
        let held = held.withLock { $0 }
        if !held.isEmpty { try result.write(held) }
        try result.finish()
    }
}

/// A signed mail (S/MIME, RFC 8551, 3.5).
struct SignedMail {
    /// The message in BER.
    let message: [UInt8]
    /// The content of a clear-signed mail, with the line ends that were signed (RFC 5751, 3.1.1).
    let content: [UInt8]?

    /// Whether text begins with the fields of a signed mail.
    static func isMail(_ start: [UInt8]) -> Bool {
        guard let type = MailPart(start[...])?.fields["content-type"] else { return false }
        let types = ["multipart/signed", "application/pkcs7-mime", "application/x-pkcs7-mime"]
        return types.contains(MailPart.value(of: type))
    }

    /// - Returns: nil for text that is not a signed mail.
    init?(_ text: [UInt8]) {
        guard let mail = MailPart(text[...]), let type = mail.fields["content-type"] else { return nil }
        switch MailPart.value(of: type) {
        case "multipart/signed":
            guard let boundary = MailPart.parameter("boundary", of: type) else { return nil }
            let parts = mail.parts(between: boundary)
            guard parts.count == 2, let signature = MailPart(parts[1])?.decoded else { return nil }
            message = signature
            content = Self.canonical(parts[0])
        case "application/pkcs7-mime", "application/x-pkcs7-mime":
            guard let decoded = mail.decoded else { return nil }
            message = decoded
            content = nil
        default:
            return nil
        }
    }

    /// Text whose lines end with CR and LF.
    private static func canonical(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(text.count)
        for byte in text {
            if byte == 0x0A, lines.last != 0x0D { lines.append(0x0D) }
            lines.append(byte)
        }
        return lines
    }
}

/// A part of a mail: fields, an empty line, and a body (RFC 2045, 3).
private struct MailPart {
    /// By their names in small letters.
    let fields: [String: String]
    let body: ArraySlice<UInt8>

    /// - Returns: nil if the text does not begin with fields.
    init?(_ text: ArraySlice<UInt8>) {
        var rest = text
        var fields: [String: String] = [:]
        var name: String?
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A }
            rest = rest.dropFirst(line.count + 1)
            let words = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            if words.isEmpty { break }
            if words.first == " " || words.first == "\t" {
                guard let name else { return nil }
                fields[name]? += words
            } else {
                guard let colon = words.firstIndex(of: ":") else { return nil }
                let field = words[..<colon].lowercased()
                fields[field] = String(words[words.index(after: colon)...])
                name = field
            }
        }
        guard !fields.isEmpty else { return nil }
        self.fields = fields
        body = rest
    }

    /// The body without its transfer encoding; nil for base64 that cannot be read.
    var decoded: [UInt8]? {
        guard let encoding = fields["content-transfer-encoding"], Self.value(of: encoding) == "base64" else {
            return Array(body)
        }
        return PEM.decoded(body)
    }

    /// The parts between the lines of a boundary. The line end before such a line belongs to it (RFC 2046, 5.1.1).
    func parts(between boundary: String) -> [ArraySlice<UInt8>] {
        let delimiter = Array("--\(boundary)".utf8)
        var parts: [ArraySlice<UInt8>] = []
        var (begin, place) = (Int?.none, body.startIndex)
        while place < body.endIndex {
            let line = body[place...].prefix { $0 != 0x0A }
            let next = min(line.endIndex + 1, body.endIndex)
            if line.starts(with: delimiter) {
                if let begin {
                    var part = body[begin..<max(begin, place)]
                    if part.last == 0x0A { part = part.dropLast() }
                    if part.last == 0x0D { part = part.dropLast() }
                    parts.append(part)
                }
                if line.dropFirst(delimiter.count).starts(with: Array("--".utf8)) { break }
                begin = next
            }
            place = next
        }
        return parts
    }

    /// The value of a field without parameters, in small letters.
    static func value(of field: String) -> String {
        (field.split(separator: ";").first ?? "").trimmed.lowercased()
    }

    /// A parameter of a field, without quotation marks.
    static func parameter(_ name: String, of field: String) -> String? {
        for parameter in field.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed.lowercased() == name else { continue }
            return parts[1].trimmed.filter { $0 != "\"" }
        }
        return nil
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension [UInt8] {
    /// Whether the bytes are text. All else that has a message in it begins with a SEQUENCE.
    fileprivate var isText: Bool { !isEmpty && first != 0x30 }
}
