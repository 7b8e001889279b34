// SPDX-License-Identifier: Apache-2.0
package import Translation

extension TokenManager {
    /// Finds a token.
    ///
    /// Each attempt looks at all tokens, in the order of their readers.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts; at least one is made.
    ///   - delay: The wait between two attempts.
    ///   - predicate: Whether a token is the one that is wanted. It can end the search by setting `stop`; then no further
    ///     token and no further attempt follows. If it returns true, too, the token is found.
    /// - Throws: ``KanalError/notFound`` after the last attempt; ``KanalError/notStarted(_:)`` if there is nothing to
    ///   search; ``KanalError/cancelled``.
    public func find(
        attempts: Int = 1, delay: Duration = .seconds(1),
        where predicate: (_ token: Token, _ stop: inout Bool) -> Bool = { _, _ in true }
    ) async throws(KanalError) -> Token {
        for attempt in 1...max(attempts, 1) {
            if attempt > 1 {
                do { try await Task.sleep(for: delay) } catch { throw .cancelled }
            }
            var stop = false
            for token in try await allTokens() {
                if predicate(token, &stop) { return token }
                guard !stop else { throw .notFound }
            }
        }
        throw .notFound
    }

    /// Finds the token with a name: its serial number in hexadecimal or decimal digits, its label, its reader's name, or a
    /// `pkcs11:` URI (RFC 7512).
    ///
    /// - Throws: ``KanalError/ambiguous(_:)`` if several tokens have this name; ``KanalError/invalidArgument(_:)`` for a
    ///   malformed URI; what ``find(attempts:delay:where:)`` throws.
    public func find(named name: String) async throws(KanalError) -> Token {
        let uri = TokenURI.isURI(name) ? try TokenURI(name) : nil
        let found = try await allTokens().filter { token in
            uri?.isOf(token.information) ?? token.information.isNamed(name)
        }
        guard let token = found.first else { throw .notFound }
        guard found.count == 1 else { throw .ambiguous(found.map { Explanation($0.information.caption) }) }
        return token
    }
}

extension TokenInformation: CustomStringConvertible {
    /// The serial number in hexadecimal digits, as it is printed on the token: its last four bytes.
    public var serialText: String {
        serialNumber.suffix(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Serial number, label and reader, for people.
    public var description: String { caption.description }

    package var caption: Phrase {
        let serial = serialText.isEmpty ? Phrase("unknown") : Phrase(verbatim: serialText)
        return "\(serial) \"\(label ?? "")\" in \(reader)"
    }

    /// Whether the token can be meant by a name.
    func isNamed(_ name: String) -> Bool {
        let digits = name.lowercased()
        let number = serialNumber.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let hexadecimal = digits.hasPrefix("0x") ? String(digits.dropFirst(2)) : digits
        let isSerial =
            !serialNumber.isEmpty
            && (hexadecimal == serialText || UInt64(hexadecimal, radix: 16) == number && hexadecimal.count > 8
                || UInt64(name) == number || UInt64(name) == number & 0xFFFF_FFFF)
        return isSerial || label == name || reader == name
    }
}
