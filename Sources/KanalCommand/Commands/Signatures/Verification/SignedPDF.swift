// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Locking
import Secrets
import Terminal
import Translation

/// A PDF file with one signature, which covers all of it but the message in the hexadecimal string of /Contents (ISO 32000-2,
/// 12.8.1).
///
/// The document is not read. All of its bytes are signed but the string, which has digits in it and nothing else: whatever a
/// program makes of the file, the signer has signed it. So a second /ByteRange is refused wherever it is, also in a comment
/// or a string, as are other spellings of the name.
struct SignedPDF {
    /// The message in DER, without the zeros behind it.
    let message: [UInt8]
    private let bytes: [UInt8]
    /// The place of the string.
    private let string: Range<Int>

    private static let limit = 256 << 20
    /// The most digits of a string. Signatures of today have less than a hundredth of them.
    private static let digitLimit = 16 << 20
    /// The bytes of a piece.
    private static let pieceSize = 1 << 20

    /// - Throws: ``CommandError`` unless the file has one signature, and the signature covers all of the file.
    init(_ input: InputFile, _ file: String) throws {
        guard input.length ?? 0 <= Self.limit else {
            throw CommandError(.failed, "\(file) is too long for a PDF file that is verified: more than 256 MiB")
        }
        bytes = try input.all(limit: Self.limit)
        guard bytes.starts(with: "%PDF-".utf8) else {
            throw CommandError(.failed, "\(file) is not a PDF file: it does not begin with %PDF-")
        }
        let places = bytes.places(of: Array("/ByteRange".utf8), limit: 2)
        guard let place = places.first else {
            throw CommandError(
                .failed, "\(file) has no signature in it: there is no /ByteRange. Verify one beside it without --pdf")
        }
        guard places.count == 1 else {
            throw CommandError(
                .failed,
                "\(file) has /ByteRange more than once, as with several signatures: verify it with a program that reads PDF"
            )
        }
        guard let range = ByteRange(bytes[place...].dropFirst("/ByteRange".utf8.count)) else {
            throw CommandError(
                .failed, "the /ByteRange of \(file) is not four numbers in brackets: have the file signed again")
        }
        guard range.end >= bytes.count else {
            throw CommandError(
                .failed,
                """
                \(file) was changed after it had been signed: \(bytes.count - range.end) bytes were appended. Verify the \
                version before, which "head -c \(range.end)" writes
                """)
        }
        guard range.end == bytes.count else {
            throw CommandError(
                .failed, "\(file) is truncated: \(range.end - bytes.count) of the bytes that were signed are missing")
        }
        guard range.isFromBeginning, let digits = bytes.hexadecimalString(range.omitted) else {
            throw CommandError(
                .failed,
                """
                the /ByteRange of \(file) leaves out something else than the hexadecimal string of /Contents: have the file \
                signed again
                """)
        }
        guard let message = Self.message(digits) else {
            throw CommandError(
                .failed,
                "the /Contents of \(file) is not a message in DER with zeros behind it: have the file signed again")
        }
        (self.message, string) = (message, range.omitted)
    }

    /// The signed bytes: those before and behind the string.
    ///
    /// - Parameter tell: Called with the number of bytes that were passed on.
    func signed(_ tell: @escaping @Sendable (_ done: Int) -> Void) -> ByteSource {
        let rest = Lock([bytes[..<string.lowerBound], bytes[string.upperBound...]])
        return ByteSource { done, _ in
            tell(done)
        } next: {
            rest.withLock { rest in
                guard let place = rest.firstIndex(where: { !$0.isEmpty }) else { return nil }
                defer { rest[place] = rest[place].dropFirst(Self.pieceSize) }
                return Array(rest[place].prefix(Self.pieceSize))
            }
        }
    }

    /// The message that hexadecimal digits begin with; nil if there is none, or if more than zeros is behind it.
    private static func message(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        guard digits.count <= digitLimit, let bytes = [UInt8](hexadecimal: digits), bytes.first == 0x30,
            let length = bytes.dropFirst().first.map(Int.init)
        else { return nil }
        // A length in bytes of its own; one of no bytes is indefinite.
        let more = length < 0x80 ? 0 : length & 0x7F
        guard length < 0x80 || (1...4).contains(more) else { return nil }
        let rest = bytes.dropFirst(2)
        let count = more == 0 ? length : rest.prefix(more).reduce(0) { $0 << 8 | Int($1) }
        guard rest.count - more >= count else { return nil }
        let end = 2 + more + count
        return bytes[end...].allSatisfy { $0 == 0 } ? Array(bytes[..<end]) : nil
    }
}

/// The signed parts of a file: for each, where it begins and how many bytes it has.
private struct ByteRange {
    let isFromBeginning: Bool
    /// The place of what is between them.
    let omitted: Range<Int>
    /// The end of the second.
    let end: Int

    /// Far more than four numbers need.
    private static let limit = 256
    /// The most digits of a number, with which no sum overflows.
    private static let digitLimit = 12

    /// - Returns: nil unless the text begins with four numbers in brackets, and the second part is behind the first.
    init?(_ text: ArraySlice<UInt8>) {
        var rest = text.prefix(Self.limit).drop(while: \.isSpace)
        guard rest.popFirst() == UInt8(ascii: "[") else { return nil }
        var numbers: [Int] = []
        while numbers.count < 4 {
            rest = rest.drop(while: \.isSpace)
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            guard digits.count <= Self.digitLimit, let number = Int(String(decoding: digits, as: UTF8.self)) else {
                return nil
            }
            numbers.append(number)
            rest = rest.dropFirst(digits.count)
        }
        guard rest.drop(while: \.isSpace).first == UInt8(ascii: "]") else { return nil }
        let (begin, second) = (numbers[0] + numbers[1], numbers[2])
        guard begin <= second else { return nil }
        isFromBeginning = numbers[0] == 0
        (omitted, end) = (begin..<second, second + numbers[3])
    }
}

extension [UInt8] {
    /// The places where other bytes are, up to a number of them.
    fileprivate func places(of other: [UInt8], limit: Int) -> [Int] {
        var places: [Int] = []
        for place in indices where self[place] == other.first {
            guard self[place...].starts(with: other) else { continue }
            places.append(place)
            if places.count == limit { break }
        }
        return places
    }

    /// The digits of a hexadecimal string behind the name /Contents; nil if something else is in this place.
    fileprivate func hexadecimalString(_ place: Range<Int>) -> ArraySlice<UInt8>? {
        let name = self[..<place.lowerBound].reversed().drop(while: \.isSpace)
        let string = self[place]
        guard name.starts(with: "/Contents".utf8.reversed()), string.count >= 2, string.first == UInt8(ascii: "<"),
            string.last == UInt8(ascii: ">")
        else { return nil }
        return string.dropFirst().dropLast()
    }
}

extension UInt8 {
    /// Whether this is white space of PDF (ISO 32000-2, 7.2.3).
    fileprivate var isSpace: Bool { [0x00, 0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(self) }
}
