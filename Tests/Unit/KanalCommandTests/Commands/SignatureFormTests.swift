// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalCommand
import Testing

@Suite("Forms and names of signatures")
struct SignatureFormTests {
    private let machine: TestMachine

    init() async throws {
        machine = try await ObjectCommandTests.machine()
        for name in ["ca.pem", "ann.pem"] { try machine.copy(name) }
        try machine.write("text\n", "text")
        try machine.write("other\n", "other")
    }

    @Test("Text around a signed message, which nobody has signed, is no part of what is good")
    func textAround() async throws {
        try await machine.type("sign --pin-source env:PIN --key ann --cms ~/text", isShown: false)
        let digits = Data(try machine.read("text.p7m")).base64EncodedString()
        let message = "\n-----BEGIN CMS-----\n\(digits)\n-----END CMS-----\n"
        for (text, isAlone) in [
            (message, true), ("\r\n\(message)\r\n \n", true), ("Pay 1 rouble\(message)", false),
            ("\(message)Pay 1 rouble\n", false), ("%PDF-1.7\(message)%%EOF\n", false),
        ] {
            try machine.write(text, "around")
            let (status, _) = try await machine.type("verify --ca ~/ca.pem ~/around", isShown: false)
            #expect((status == .done) == isAlone, "\(text.prefix(20))")
            let (written, _) = try await machine.type(
                "verify --ca ~/ca.pem ~/around -o ~/content --overwrite", isShown: false)
            #expect(written == .done)
            #expect(try machine.read("content") == Array("text\n".utf8))
        }
    }

    @Test("sign --base64, --extension: text, and names by which verify finds messages")
    func base64() async throws {
        machine.screen.maskTimes()
        let sign = "sign --pin-source env:PIN --key ann"
        try await machine.type("\(sign) --cms --detached --base64 --extension .sig ~/text ~/other")
        try await machine.type("\(sign) --cms --detached --base64 --extension .sig ~/text ~/other --skip-signed")
        try await machine.type("\(sign) --cms --detached --base64 --extension .sig ~/text", .russian)
        try await machine.type("\(sign) --cms --extension sgn --overwrite ~/other")
        try expectLine("text.sig")
        try await machine.type("verify --ca ~/ca.pem ~/text ~/other ~/text.sig ~/other.sgn")
        try await machine.type("\(sign) --base64 ~/other -o ~/alone.sig")
        try expectLine("alone.sig")
        try await machine.type("verify --certificate ~/ann.pem --signature ~/alone.sig ~/other")
        // A message with its content in it, beside the file.
        for name in ["text.sig", "other.sig", "other.sgn"] { try machine.write("", name) }
        try await machine.type("\(sign) --cms --base64 --extension .sgn --overwrite ~/other")
        try await machine.type("verify --ca ~/ca.pem ~/other")
        try machine.write("changed\n", "other")
        try await machine.type("verify --ca ~/ca.pem ~/other")
        try await machine.type("\(sign) --extension .sig ~/text")
        try await machine.type("\(sign) --cms --extension .pdf ~/text")
        try await machine.type("\(sign) --cms --extension .sig -o ~/x ~/text", .russian)
        try await machine.type("\(sign) --esia --base64 ~/text", .russian)
        try machine.screen.expect("sign-forms")
    }

    @Test("Base64 is the same however long the content is, and ends with a line break on standard output alone")
    func lengths() async throws {
        for count in [0, 1, 2, 3, 100_000] {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            try machine.write(String(decoding: content.map { $0 & 0x7F }, as: UTF8.self), "long")
            let sign = "sign --cms --base64 --pin-source env:PIN --key ann"
            try await machine.type("\(sign) ~/long -o ~/long.sig --overwrite", isShown: false)
            try expectLine("long.sig")
            try await machine.type("verify --ca ~/ca.pem ~/long.sig -o ~/content --overwrite", isShown: false)
            #expect(try machine.read("content") == machine.read("long"))
            let (_, output) = try await machine.type("\(sign) -", input: try machine.read("long"), isShown: false)
            let isWhole = Data(base64Encoded: Data(output.dropLast())).map { $0.count > content.count } == true
            #expect(output.last == 0x0A && isWhole)
        }
    }

    /// A file has one line of base64 in it, and nothing else.
    private func expectLine(_ name: String) throws {
        let text = try machine.read(name)
        #expect(Data(base64Encoded: Data(text)) != nil && !text.contains(0x0A))
    }
}
