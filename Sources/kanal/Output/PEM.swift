// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Terminal
import Translation

/// What is written in DER, or as text between two lines that say what it is (RFC 7468).
enum PEM: String {
    case certificate = "CERTIFICATE"
    case certificationRequest = "CERTIFICATE REQUEST"
    case message = "CMS"
    case publicKey = "PUBLIC KEY"
    case revocationList = "X509 CRL"

    /// The most octets of a file that is read as a whole.
    static let limit = 64 << 20

    /// The names that older programs write.
    private var names: [String] {
        switch self {
        case .certificate: [rawValue, "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        case .certificationRequest: [rawValue, "NEW CERTIFICATE REQUEST"]
        case .message: [rawValue, "PKCS7"]
        case .publicKey, .revocationList: [rawValue]
        }
    }

    private var absent: Phrase {
        switch self {
        case .certificate: "has no certificate in it"
        case .certificationRequest: "has no request for a certificate in it"
        case .message: "has no signed message in it"
        case .publicKey: "has no public key in it"
        case .revocationList: "has no list of revoked certificates in it"
        }
    }

    private var several: Phrase {
        switch self {
        case .certificate: "has more than one certificate in it"
        case .certificationRequest: "has more than one request for a certificate in it"
        case .message: "has more than one signed message in it"
        case .publicKey: "has more than one public key in it"
        case .revocationList: "has more than one list of revoked certificates in it"
        }
    }

    /// DER as text.
    func text(_ der: [UInt8]) -> String {
        let digits = Array(Data(der).base64EncodedString())
        let lines = stride(from: 0, to: digits.count, by: 64).map { String(digits[$0..<min($0 + 64, digits.count)]) }
        return (["-----BEGIN \(rawValue)-----"] + lines + ["-----END \(rawValue)-----", ""]).joined(separator: "\n")
    }

    /// Everything of this kind that a file has in it, in DER. A file that is no text is taken as it is.
    ///
    /// - Throws: ``CommandError`` if there is nothing, or it is damaged.
    func contents(of octets: [UInt8], from file: String) throws -> [[UInt8]] {
        guard Self.isText(octets) else { return [octets] }
        var found: [[UInt8]] = []
        var (name, digits) = (String?.none, "")
        for line in String(decoding: octets, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = String(line.filter { !$0.isWhitespace || $0 == " " }.reversed().drop { $0 == " " }.reversed())
            if let begun = line.between("-----BEGIN ", "-----") {
                (name, digits) = (begun, "")
            } else if let ended = line.between("-----END ", "-----") {
                guard ended == name, let der = Data(base64Encoded: digits), !der.isEmpty else {
                    throw CommandError(.failed, "\(file) is damaged")
                }
                if names.contains(ended) { found.append(Array(der)) }
                name = nil
            } else if name != nil {
                digits += line
            }
        }
        guard name == nil else { throw CommandError(.failed, "\(file) is cut") }
        guard !found.isEmpty else { throw CommandError(.failed, "\(file) \(absent)") }
        return found
    }

    /// Whether octets are text with PEM in it. DER of everything here begins with a SEQUENCE, and may have such text within.
    static func isText(_ octets: [UInt8]) -> Bool {
        guard octets.first != 0x30 else { return false }
        let mark = Array("-----BEGIN ".utf8)
        return octets.prefix(1 << 16).indices.contains { octets[$0...].starts(with: mark) }
    }

    /// Reads everything of this kind from a file.
    func read(_ path: String) throws -> [[UInt8]] {
        let octets = try InputFile(path).all(limit: Self.limit)
        return try contents(of: octets, from: path)
    }

    /// Reads a file that has one of this kind in it.
    func readOne(_ path: String) throws -> [UInt8] {
        let all = try read(path)
        guard let first = all.first, all.count == 1 else {
            throw CommandError(.failed, "\(path) \(several)")
        }
        return first
    }
}

extension String {
    /// What stands between a beginning and an end of the line; nil if it has not both.
    fileprivate func between(_ start: String, _ end: String) -> String? {
        guard hasPrefix(start), hasSuffix(end), count >= start.count + end.count else { return nil }
        return String(dropFirst(start.count).dropLast(end.count))
    }
}
