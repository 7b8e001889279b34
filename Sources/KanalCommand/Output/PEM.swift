// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import KanalKit
import Terminal
import Translation

/// Data in DER, or as text between two lines that name its kind (RFC 7468).
enum PEM: String {
    case certificate = "CERTIFICATE"
    case certificationRequest = "CERTIFICATE REQUEST"
    case message = "CMS"
    case publicKey = "PUBLIC KEY"
    /// A file that holds the URI of a key on a token, as OpenSSL's providers have it.
    case keyURI = "PKCS#11 PROVIDER URI"
    case revocationList = "X509 CRL"
    case ocspResponse = "OCSP RESPONSE"
    /// Of PKCS #8.
    case privateKey = "PRIVATE KEY"

    /// The most bytes of a file that is read as a whole.
    static let limit = 64 << 20

    /// The bytes of a file within which the first line of PEM is looked for.
    static let startLimit = 1 << 16

    /// The names that older programs write.
    private var names: [String] {
        switch self {
        case .certificate: [rawValue, "X509 CERTIFICATE", "TRUSTED CERTIFICATE"] + Self.message.names
        case .certificationRequest: [rawValue, "NEW CERTIFICATE REQUEST"]
        case .message: [rawValue, "PKCS7"]
        case .publicKey, .keyURI, .revocationList, .ocspResponse: [rawValue]
        case .privateKey: [rawValue, "ENCRYPTED PRIVATE KEY"]
        }
    }

    private var absent: Phrase {
        switch self {
        case .certificate: "has no certificate in it"
        case .certificationRequest: "has no request for a certificate in it"
        case .message: "has no message in it"
        case .publicKey: "has no public key in it"
        case .keyURI: "has no URI of a key in it"
        case .revocationList: "has no list of revoked certificates in it"
        case .ocspResponse: "has no response about certificates in it"
        case .privateKey: "has no private key of PKCS #8 in it, as \"openssl pkcs8 -topk8\" writes one"
        }
    }

    private var several: Phrase {
        switch self {
        case .certificate: "has more than one certificate in it"
        case .certificationRequest: "has more than one request for a certificate in it"
        case .message: "has more than one message in it"
        case .publicKey: "has more than one public key in it"
        case .keyURI: "has more than one URI of a key in it"
        case .revocationList: "has more than one list of revoked certificates in it"
        case .ocspResponse: "has more than one response about certificates in it"
        case .privateKey: "has more than one private key in it"
        }
    }

    /// DER as text.
    func text(_ der: [UInt8]) -> String {
        let digits = Array(Data(der).base64EncodedString())
        let lines = stride(from: 0, to: digits.count, by: 64).map { String(digits[$0..<min($0 + 64, digits.count)]) }
        return (["-----BEGIN \(rawValue)-----"] + lines + ["-----END \(rawValue)-----", ""]).joined(separator: "\n")
    }

    /// Everything of this kind that a file has in it, in DER, and for certificates also the messages' (.p7b). Text
    /// without lines that name its kind is base64 of one; a file that is not text is taken as DER.
    ///
    /// - Throws: ``CommandError`` if there is nothing, or it is damaged.
    func contents(of bytes: [UInt8], from file: String) throws -> [[UInt8]] {
        let found = try encoded(in: bytes, from: file)
        guard self == .certificate else { return found }
        let certificates = found.flatMap { CertificateBundle.certificates(in: $0) ?? [$0] }
        guard !certificates.isEmpty else { throw CommandError(.failed, "\(file) \(absent)") }
        return certificates
    }

    /// The text between the lines of this kind, or the whole of a file without such lines.
    private func encoded(in bytes: [UInt8], from file: String) throws -> [[UInt8]] {
        let bytes = bytes.withoutByteOrderMark
        guard Self.isText(bytes) else {
            // Base64 of a SEQUENCE begins with this letter.
            let bare = bytes.first { !Self.isSpace($0) } == UInt8(ascii: "M") ? Self.decoded(bytes[...]) : nil
            return [bare ?? bytes]
        }
        var found: [[UInt8]] = []
        var (name, digits) = ([UInt8]?.none, [UInt8]())
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            rest = rest.dropFirst(line.count + 1)
            if let begun = line.between(Self.begin) {
                guard name == nil else { throw CommandError(.failed, "\(file) is damaged") }
                name = Array(begun)
                digits.removeAll(keepingCapacity: true)
            } else if let ended = line.between(Self.end) {
                guard let begun = name, ended.elementsEqual(begun), let der = Data(base64Encoded: Data(digits)),
                    !der.isEmpty
                else { throw CommandError(.failed, "\(file) is damaged") }
                if names.contains(where: { $0.utf8.elementsEqual(begun) }) { found.append(Array(der)) }
                name = nil
            } else if name != nil {
                digits += line.contains(where: Self.isSpace) ? line.filter { !Self.isSpace($0) }[...] : line
            }
        }
        guard name == nil else { throw CommandError(.failed, "\(file) is truncated: no END line") }
        guard !found.isEmpty else { throw CommandError(.failed, "\(file) \(absent)") }
        return found
    }

    /// The place of the first digits of this kind in text; nil without lines around them.
    func digits(in text: [UInt8]) -> Range<Int>? {
        guard Self.isText(text) else { return nil }
        var (rest, begin) = (text[...], Int?.none)
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            rest = rest.dropFirst(line.count + 1)
            if let name = line.between(Self.begin) {
                begin = names.contains { $0.utf8.elementsEqual(name) } ? line.endIndex : nil
            } else if let begin, line.between(Self.end) != nil {
                return begin..<line.startIndex
            }
        }
        return nil
    }

    /// Whether text has nothing but white space around the lines of this kind, or no such lines.
    func isAlone(in text: [UInt8]) -> Bool {
        guard let digits = digits(in: text) else { return true }
        let first = text[..<digits.lowerBound].drop(while: Self.isSpace)
        let last = text[digits.upperBound...].drop { $0 != 0x0A && $0 != 0x0D }
        return first.starts(with: Self.begin) && !first.contains { $0 == 0x0A || $0 == 0x0D }
            && last.allSatisfy(Self.isSpace)
    }

    /// The bytes of base64, between which may be white space; nil for anything else.
    static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard let bytes = Data(base64Encoded: Data(text.filter { !isSpace($0) })), !bytes.isEmpty else { return nil }
        return Array(bytes)
    }

    /// Whether bytes are text with PEM in it. DER of everything here begins with a SEQUENCE, and may have such text
    /// within.
    static func isText(_ bytes: [UInt8]) -> Bool {
        guard bytes.first != 0x30 else { return false }
        let start = bytes.prefix(startLimit)
        return start.indices.contains { start[$0] == begin[0] && bytes[$0...].starts(with: begin) }
    }

    /// The first bytes of base64; nil if the text does not begin with any.
    static func decodedStart(of text: [UInt8]) -> [UInt8]? {
        let digits = text.lazy.filter { !isSpace($0) }.prefix(32)
        return digits.count == 32 ? decoded(Array(digits)[...]) : nil
    }

    /// Whether text has a line that begins something of this kind.
    func isNamed(in text: [UInt8]) -> Bool {
        guard Self.isText(text) else { return false }
        let lines = text.split { $0 == 0x0A || $0 == 0x0D }
        return lines.contains { line in
            line.between(Self.begin).map { name in names.contains { $0.utf8.elementsEqual(name) } } ?? false
        }
    }

    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Reads everything of this kind from a file.
    func read(_ path: String) throws -> [[UInt8]] {
        let bytes = try InputFile(path).all(limit: Self.limit)
        return try contents(of: bytes, from: path)
    }

    /// The only one of this kind that a file has in it: what is behind the first must not count as read.
    func one(of bytes: [UInt8], from file: String) throws -> [UInt8] {
        let all = try contents(of: bytes, from: file)
        guard let first = all.first, all.count == 1 else {
            throw CommandError(.failed, "\(file) \(several): put each into a file of its own")
        }
        return first
    }

    /// Reads a file that has one of this kind in it.
    func readOne(_ path: String) throws -> [UInt8] {
        try one(of: InputFile(path).all(limit: Self.limit), from: path)
    }
}

extension [UInt8] {
    /// Without the mark of UTF-8 that programs for Windows write in front of text.
    var withoutByteOrderMark: [UInt8] { starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self }
}

extension ArraySlice<UInt8> {
    /// The text between a beginning and five hyphens at the end of the line; nil without both.
    fileprivate func between(_ start: [UInt8]) -> Self? {
        guard starts(with: start) else { return nil }
        var text = dropFirst(start.count)
        while let last = text.last, PEM.isSpace(last) { text = text.dropLast() }
        return text.suffix(5).elementsEqual("-----".utf8) ? text.dropLast(5) : nil
    }
}
