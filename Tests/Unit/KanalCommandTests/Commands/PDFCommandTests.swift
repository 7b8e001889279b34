// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalCommand
import Testing

@Suite("PDF files")
struct PDFCommandTests {
    private let machine: TestMachine

    init() async throws {
        machine = try await ObjectCommandTests.machine()
        try machine.copy("ca.pem")
    }

    /// The numbers of a range in order.
    private struct Places {
        let begin, end, tail: Int
    }

    /// A signed file: its bytes around the string of /Contents, and the digits of the string.
    private struct Document {
        var head = "%PDF-1.7\n1 0 obj <</Type /Sig /ByteRange "
        /// The numbers and brackets, by the places of the string and the length of the tail.
        var range: (Places) -> String = { "[0 \($0.begin) \($0.end) \($0.tail)]" }
        var name = " /Contents "
        var tail = ">> endobj\n%%EOF\n"
        var digits: (_ message: String) -> String = { $0 }
        /// The digits that there is space for.
        var space = 12_000
        /// The bytes that there are for the numbers.
        static let width = 64

        /// The signed bytes, before the string and behind it.
        private var before: String {
            let begin = head.utf8.count + Self.width + name.utf8.count
            let numbers = range(Places(begin: begin, end: begin + space + 2, tail: tail.utf8.count))
            return head + numbers + String(repeating: " ", count: Self.width - numbers.utf8.count) + name
        }

        var signed: [UInt8] { Array((before + tail).utf8) }

        func bytes(with message: [UInt8]) -> [UInt8] {
            let digits = digits(message.map { String(format: "%02X", $0) }.joined())
            let string = "<" + digits + String(repeating: "0", count: space - digits.utf8.count) + ">"
            return Array((before + string + tail).utf8)
        }
    }

    /// The bytes of files whose messages are of all of them but the string.
    private func bytes(of documents: [Document]) async throws -> [[UInt8]] {
        for (number, document) in documents.enumerated() { try machine.write(document.signed, "signed\(number)") }
        let names = documents.indices.map { "~/signed\($0)" }.joined(separator: " ")
        try await machine.type(
            "sign --cms --detached --pades --pin-source env:PIN --key ann --overwrite \(names)", isShown: false)
        return try documents.enumerated().map { number, document in
            document.bytes(with: try machine.read("signed\(number).p7s"))
        }
    }

    private func bytes(of document: Document) async throws -> [UInt8] { try await bytes(of: [document])[0] }

    private struct Results: Decodable {
        struct File: Decodable { let isValid: Bool }
        let files: [File]
    }

    /// The numbers of the files that are accepted.
    private func accepted(_ files: [[UInt8]]) async throws -> [Int] {
        for (number, bytes) in files.enumerated() { try machine.write(bytes, "file\(number).pdf") }
        let names = files.indices.map { "~/file\($0).pdf" }.joined(separator: " ")
        let (_, output) = try await machine.type("verify --pdf --ca ~/ca.pem --json \(names)", isShown: false)
        let results = try JSONDecoder().decode(Results.self, from: Data(output)).files
        #expect(results.count == files.count)
        return results.indices.filter { results[$0].isValid }
    }

    @Test("verify --pdf: the signer, and each cause for which a file is refused")
    func screens() async throws {
        let good = try await bytes(of: Document())
        var files = ["good": good, "unsigned": Array("%PDF-1.7\n%%EOF\n".utf8), "text": Array("text\n".utf8)]
        files["appended"] = good + Array("2 0 obj null endobj\n".utf8)
        files["truncated"] = good.dropLast(3)
        files["other"] = good.dropLast() + Array(" ".utf8)
        files["twice"] = try await bytes(of: Document(tail: "(/ByteRange)>> endobj\n%%EOF\n"))
        files["numbers"] = try await bytes(of: Document(range: { _ in "[0 12 -3 4]" }))
        files["place"] = try await bytes(of: Document(name: " /Content "))
        files["message"] = try await bytes(of: Document(digits: { "04" + $0.dropFirst(2) }))
        for (name, bytes) in files { try machine.write(bytes, "\(name).pdf") }
        try await machine.type("verify --pdf --ca ~/ca.pem ~/good.pdf")
        try await machine.type("verify --pdf --signature-only ~/good.pdf --json")
        for language in [Screen.Language.english, .russian] {
            for name in files.keys.sorted() where name != "good" {
                try await machine.type("verify --pdf --ca ~/ca.pem ~/\(name).pdf", language)
            }
            try await machine.type("verify --pdf --ca ~/ca.pem --content ~/text.pdf ~/good.pdf", language)
            try await machine.type("sign --pades --cms ~/good.pdf", language)
        }
        try machine.screen.expect("pdf")
    }

    @Test("A message with --pades names no time, and goes beside a content, with one signer and without references")
    func signing() async throws {
        machine.screen.maskTimes()
        try machine.write("text\n", "text")
        let sign = "sign --cms --detached --pin-source env:PIN"
        try await machine.type("\(sign) --key ann --pades ~/text", isShown: false)
        let (_, output) = try await machine.type(
            "verify --ca ~/ca.pem ~/text --json", isShown: false)
        #expect(!String(decoding: output, as: UTF8.self).contains("signingTime"))
        for options in [
            "--key ann --key ben --pades", "--key ann --pades --esia",
            "--key ann --pades --level xlt1 --timestamp http://localhost/ --ca ~/ca.pem",
        ] {
            let (status, _) = try await machine.type("\(sign) \(options) ~/text --overwrite", isShown: false)
            #expect(status == .usage, "\(options)")
        }
    }

    @Test("White space of PDF is where ISO 32000-2 allows it, and digits are in capitals or small letters")
    func spellings() async throws {
        let space = "\u{0}\t\n\u{C}\r "
        let documents = [
            Document(head: "%PDF-1.7\n<</ByteRange", name: "/Contents"),
            Document(
                head: "%PDF-1.7\n<</ByteRange\(space)",
                range: { "[\(space)0\(space)\($0.begin)\(space)\($0.end)\(space)\($0.tail)\(space)]" },
                name: "/Contents\(space)"),
            Document(digits: { $0.lowercased() }),
        ]
        #expect(try await accepted(bytes(of: documents)) == [0, 1, 2])
    }

    @Test(
        "A range that is not four numbers, or leaves out other bytes than the string, is refused, however it is signed")
    func ranges() async throws {
        let ranges: [(Places) -> String] = [
            { "[0 \($0.begin) \($0.end)]" }, { "[0 \($0.begin) \($0.end) \($0.tail) 0]" },
            { "0 \($0.begin) \($0.end) \($0.tail)" }, { "[0 \($0.begin) \($0.end) \($0.tail)" },
            { "[+0 \($0.begin) \($0.end) \($0.tail)]" }, { "[-0 \($0.begin) \($0.end) \($0.tail)]" },
            { "[0 \($0.begin) \($0.end) \($0.tail).0]" },
            { "[0 \($0.begin) \($0.end) 7 0 R]" }, { "[0 \($0.begin) %\n\($0.end) \($0.tail)]" },
            { "[1 \($0.begin - 1) \($0.end) \($0.tail)]" }, { "[0 \($0.begin + 1) \($0.end) \($0.tail)]" },
            { "[0 \($0.begin - 1) \($0.end) \($0.tail)]" },
            { "[0 \($0.begin) \($0.end - 1) \($0.tail + 1)]" }, { "[0 \($0.begin) \($0.end + 1) \($0.tail - 1)]" },
            { "[0 \($0.begin) \($0.begin) \($0.end - $0.begin + $0.tail)]" },
            { "[0 \($0.end) \($0.begin) \($0.end - $0.begin + $0.tail)]" },
            { "[0 \($0.begin) \($0.begin + 1) \($0.end - $0.begin + $0.tail - 1)]" },
            { "[0 0 \($0.end) \($0.tail)]" }, { "[0 \($0.begin) \($0.end + $0.tail) 0]" },
            { "[0 \(Int.max) \(Int.max) \($0.tail)]" }, { "[0 \($0.begin) \($0.end) \(UInt64.max)]" },
            { _ in "[999999999999 999999999999 999999999999 999999999999]" },
            { "[0 \($0.begin) \($0.end) 18446744073709551616\($0.tail)]" }, { _ in "[]" }, { _ in "" },
        ]
        #expect(try await accepted(bytes(of: ranges.map { Document(range: $0) })) == [])
        let texts = ["%PDF-/ByteRange", "%PDF-/ByteRange[", "%PDF-/ByteRange[0 0 0 29]    ", "%PDF-", "%PDF", ""]
        #expect(try await accepted(texts.map { Array($0.utf8) }) == [])
    }

    @Test("A string with anything else than one message and zeros is refused, as is a change of any part")
    func strings() async throws {
        let changes: [(String) -> String] = [
            { "G" + $0.dropFirst() }, { $0 + "00>  /A <" }, { $0 + " " }, { $0 + "1" },
            { $0 + String(repeating: "0", count: 7000) + "1" },
            { $0.dropLast(2) + "" }, { _ in "" }, { _ in "30" }, { _ in "3080" }, { _ in "3085" }, { _ in "30FF" },
            { _ in "3084FFFFFFFF" }, { _ in "3003020100" }, { "30 " + $0.dropFirst(3) },
        ]
        var documents = changes.map { change in
            Document(digits: { String(change($0).prefix(Document().space)) })
        }
        documents.append(Document(space: 12_001))
        #expect(try await accepted(bytes(of: documents)) == [])
        let good = try await bytes(of: Document())
        let begin = try #require(good.firstIndex(of: UInt8(ascii: "["))) + Document.width + Document().name.utf8.count
        let end = begin + Document().space + 2
        let places = Array(0..<begin) + [begin, begin + 1, end - 2, end - 1] + Array(end..<good.count)
        let changed = places.map { place in good.indices.map { good[$0] ^ ($0 == place ? 1 : 0) } }
        #expect(try await accepted([good] + changed) == [0])
    }
}
