// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalCommand
import Testing

@Suite("Messages with several signers")
struct CoSigningCommandTests {
    private let machine: TestMachine

    init() async throws {
        machine = try await ObjectCommandTests.machine()
        machine.screen.maskTimes()
        for name in ["ca.pem", "ann.pem"] { try machine.copy(name) }
        try machine.write("text\n", "text")
        try machine.write("other\n", "other")
    }

    @Test("sign --add: a further signer, in the encoding that the message has")
    func add() async throws {
        let sign = "sign --pin-source env:PIN --key ann"
        try await machine.type("\(sign) --cms --detached --extension .sig ~/text", isShown: false)
        try await machine.type("\(sign) --cms ~/other", isShown: false)
        let detached = try machine.read("text.sig")
        try await machine.type("\(sign) --add ~/text.sig")
        #expect(try machine.read("text.sig") == detached)
        try await machine.type("\(sign) --add --again ~/text")
        try await machine.type("verify --ca ~/ca.pem ~/text")
        try await machine.type("\(sign) --add --again ~/other.p7m -o ~/both --json")
        try await machine.type("\(sign) --add --again ~/other.p7m -o ~/both", .russian)
        try await machine.type("verify --ca ~/ca.pem ~/both -o ~/content")
        try await machine.type("\(sign) --add --content ~/text ~/other.p7m")
        try await machine.type("\(sign) --add ~/other", .russian)
        try machine.write(Data(detached).base64EncodedString(), "alone.sig")
        try await machine.type("\(sign) --add ~/alone.sig")
        try await machine.type("\(sign) --add --content ~/other ~/alone.sig", .russian)
        try await machine.type("\(sign) --add --base64 ~/text.sig")
        try await machine.type("\(sign) --again --cms ~/text", .russian)
        try await machine.type("\(sign) --cms --key ann --overwrite ~/other", .russian)
        try await machine.type("\(sign) --with ann --key ben ~/other")
        try await machine.type("\(sign) --key ben ~/other")
        try machine.screen.expect("sign-add")
    }

    @Test("A message comes by standard input, and a mail is refused")
    func inputs() async throws {
        let sign = "sign --pin-source env:PIN --key ann"
        try await machine.type("\(sign) --cms ~/text", isShown: false)
        let message = try machine.read("text.p7m")
        for input in [message, Array(Data(message).base64EncodedString().utf8)] {
            let (status, output) = try await machine.type("\(sign) --add --again -", input: input, isShown: false)
            #expect(status == .done && (output.first == 0x30) == (input.first == 0x30))
            let (_, report) = try await machine.type("verify --ca ~/ca.pem -", input: output, isShown: false)
            #expect(String(decoding: report, as: UTF8.self).split(separator: "signed by").count == 3)
        }
        let fields = "MIME-Version: 1.0\nContent-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n"
        try machine.write(fields + Data(message).base64EncodedString(), "text.eml")
        let before = try machine.read("text.eml")
        try await machine.type("\(sign) --add --again ~/text.eml")
        try await machine.type("\(sign) --add --again ~/text.eml", .russian)
        #expect(try machine.read("text.eml") == before)
        try machine.screen.expect("sign-add-mail")
    }

    @Test("sign --countersign: of each signer, or of one; verify shows them under the signer")
    func countersign() async throws {
        let sign = "sign --pin-source env:PIN --key ann"
        try await machine.type("\(sign) --cms ~/text", isShown: false)
        try await machine.type("\(sign) --countersign --signer Eve ~/text.p7m")
        try await machine.type("\(sign) --countersign --signer Ann ~/text.p7m")
        try await machine.type("verify --ca ~/ca.pem ~/text.p7m")
        try await machine.type("verify --ca ~/ca.pem ~/text.p7m", .russian)
        try await machine.type("verify --ca ~/ca.pem ~/text.p7m --json")
        try await machine.type("\(sign) --countersign ~/text.p7m", .russian)
        var message = Data(try machine.read("text.p7m"))
        message[message.count - 1] ^= 1
        try machine.write(message.base64EncodedString(), "wrong.p7m")
        try await machine.type("verify --ca ~/ca.pem ~/wrong.p7m")
        try await machine.type("\(sign) --add --countersign ~/text.p7m", .russian)
        try await machine.type("\(sign) --cms --signer Ann ~/text", .russian)
        try machine.screen.expect("countersign")
    }

    @Test("A message keeps its lines of base64, and the text around them")
    func encodings() async throws {
        let sign = "sign --pin-source env:PIN --key ann"
        try await machine.type("\(sign) --cms --detached ~/text", isShown: false)
        let message = Data(try machine.read("text.p7s"))
        let forms: [(before: String, width: Int?, lineBreak: String, after: String)] = [
            ("", nil, "\n", ""), ("", nil, "\n", "\n"), ("\u{FEFF}", nil, "\n", ""), ("", 64, "\n", "\n"),
            ("", 76, "\r\n", "\r\n"), ("Monday\n-----BEGIN CMS-----\n", 64, "\n", "\n-----END CMS-----\n"),
            ("-----BEGIN PKCS7-----\r\n", 60, "\r\n", "\r\n-----END PKCS7-----\r\n"),
        ]
        for form in forms {
            func text(_ message: Data) -> Data {
                let digits = Array(message.base64EncodedString())
                let width = form.width ?? digits.count
                let lines = stride(from: 0, to: digits.count, by: width).map { String(digits[$0...].prefix(width)) }
                return Data((form.before + lines.joined(separator: form.lineBreak) + form.after).utf8)
            }
            try machine.write(String(decoding: text(message), as: UTF8.self), "text.p7s")
            try await machine.type("\(sign) --add --again ~/text.p7s", isShown: false)
            let result = Data(try machine.read("text.p7s"))
            let digits = result.dropFirst(form.before.utf8.count).dropLast(form.after.utf8.count)
            let both = try #require(Data(base64Encoded: digits.filter { $0 != 0x0A && $0 != 0x0D }))
            #expect(both.count > message.count + 300 && text(both) == result)
            let (status, _) = try await machine.type("verify --ca ~/ca.pem ~/text", isShown: false)
            #expect(status == .done)
        }
    }
}
