// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Terminal
import Translation

/// A signature without anything around it, and the file that was signed, as the names and contents of files say.
struct FoundSignature: Sendable {
    /// The file that was signed.
    let content: String
    private let place: String

    private static let limit = 1 << 16

    /// - Parameters:
    ///   - file: The signed file, or the file of the signature with the signed one beside it.
    ///   - name: The file of the signature, if it is named.
    /// - Throws: ``CommandError`` for a signed message, whose signers have to be trusted.
    init(of file: String, named name: String?) throws {
        (content, place) = Self.files(file, name)
        let message = [place, file] + ["p7s", "sgn"].map { "\(file).\($0)" }
        let candidates = name != nil || InputFile.isRegular(place) ? [place] : message
        if let message = candidates.first(where: MessageFile.isMessage) {
            throw CommandError(
                .usage,
                "\(message.printable) is a signed message: name the trusted certificates with --ca, or use --signature-only",
                remedy: "--ca")
        }
    }

    private static func files(_ file: String, _ name: String?) -> (content: String, signature: String) {
        let beside = name ?? file + ".sig"
        guard name == nil, !InputFile.isRegular(beside) else { return (file, beside) }
        for ending in [".sig", ".sgn"] where file.hasSuffix(ending) {
            let content = String(file.dropLast(ending.count))
            if InputFile.isRegular(content) { return (content, file) }
        }
        return (file, beside)
    }

    /// Whether both files can be read.
    var isReadable: Bool {
        do throws(SystemError) {
            for file in [content, place] { try InputFile.check(file) }
            return true
        } catch {
            return false
        }
    }

    /// The signature, which may be in base64.
    func value() throws -> [UInt8] {
        let bytes = try InputFile(place).all(limit: Self.limit)
        return PEM.decoded(bytes.withoutByteOrderMark[...]) ?? bytes
    }
}

extension MessageFile {
    /// Whether a regular file begins as a signed message does, in one of its forms.
    static func isMessage(_ file: String) -> Bool {
        guard file != "-", InputFile.isRegular(file), let first = try? InputFile(file).next(limit: PEM.startLimit)
        else { return false }
        let start = first.withoutByteOrderMark
        if isSignedData(start[...]) { return true }
        guard start.first != 0x30 else { return false }
        return PEM.message.isNamed(in: start) || SignedMail.isMail(start)
            || isSignedData((PEM.decodedStart(of: start) ?? [])[...])
    }

    /// Whether bytes begin with a ContentInfo of SignedData (RFC 5652, 3 and 5.1).
    private static func isSignedData(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == 0x30, let length = bytes.dropFirst().first else { return false }
        return bytes.dropFirst(length > 0x80 ? 2 + Int(length & 0x7F) : 2).starts(with: signedData)
    }

    /// 1.2.840.113549.1.7.2
    private static let signedData: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2]

    /// The file with the content of a message that does not contain it, by the name of the message's.
    static func contentBeside(_ file: String) -> String? {
        guard let ending = [".p7s", ".sig", ".sgn"].first(where: file.hasSuffix) else { return nil }
        let name = String(file.dropLast(ending.count))
        return (try? InputFile(name)) == nil ? nil : name
    }

    /// The file with a message beside another file.
    static func messageBeside(_ file: String) -> String? {
        [".p7s", ".sig", ".sgn"].map { file + $0 }.first(where: isMessage)
    }
}
