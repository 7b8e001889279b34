// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import Testing

@Suite("Signatures of files")
struct SignatureCommandTests {
    private let machine: TestMachine

    init() async throws {
        machine = try await ObjectCommandTests.machine()
        for name in ["ca.pem", "ann.pem"] { try machine.copy(name) }
        try machine.write("text\n", "text")
        try machine.write("other\n", "other")
    }

    @Test("sign, verify: a signature alone, by the token's key and by a file's")
    func alone() async throws {
        try await machine.type("sign --pin-source env:PIN --key ann ~/text ~/other")
        try await machine.type("verify --pin-source env:PIN --key ann ~/text ~/other")
        try await machine.type("verify --certificate ~/ann.pem ~/text --json")
        try await machine.type("verify --certificate ~/ann.pem ~/text", .russian)
        try await machine.type("key export --pin-source env:PIN --output ~/ann.pub ann", isShown: false)
        try await machine.type("verify --public-key ~/ann.pub --signature ~/text.sig -", input: Array("text\n".utf8))
        try machine.write("changed\n", "text")
        try await machine.type("verify --certificate ~/ann.pem ~/text ~/other ~/none")
        try await machine.type("verify --certificate ~/ann.pem ~/text ~/other", .russian)
        try await machine.type("verify --certificate ~/ann.pem ~/text --json")
        try machine.screen.expect("sign-verify")
    }

    @Test("sign: where results go, and files that cannot be read")
    func results() async throws {
        try await machine.type("sign --pin-source env:PIN --key ann ~/none ~/text")
        try await machine.type("sign --pin-source env:PIN --key ann ~/none ~/text", .russian)
        try await machine.type("sign --pin-source env:PIN --key ann ~/none ~/text --json")
        try await machine.type("sign --pin-source env:PIN --key ann -", input: Array("text\n".utf8))
        try await machine.type("sign --pin-source env:PIN --key ben --algorithm rsa-pss-sha256 ~/text -o ~/signature")
        try await machine.type("sign --pin-source env:PIN --key ben ~/text -o ~/text")
        try await machine.type("sign --pin-source env:PIN --key ben --algorithm gost ~/text")
        try await machine.type("sign --pin-source env:PIN ~/text", .russian)
        try await machine.type("sign --pin-source env:PIN --key eve ~/text")
        try await machine.type("sign --pin-source env:WRONG ~/text")
        try await machine.type("sign")
        try await machine.type("sign --json -", .russian)
        try await machine.type("sign --detached ~/text")
        try await machine.type("sign --cms --algorithm gost ~/text")
        try await machine.type("sign -o ~/x ~/text ~/other")
        try machine.screen.expect("sign-results")
    }

    @Test("sign --cms, verify --cms: signed messages")
    func messages() async throws {
        machine.screen.maskTimes()
        try await machine.type("sign --cms --pin-source env:PIN --key ann ~/text")
        try await machine.type("verify --cms --ca ~/ca.pem ~/text.p7m -o ~/content")
        #expect(try machine.read("content") == Array("text\n".utf8))
        try await machine.type("verify --cms --ca ~/ca.pem ~/text.p7m --json")
        try await machine.type("verify --cms --ca ~/ca.pem ~/text.p7m", .russian)
        try await machine.type("sign --cms --detached --pin-source env:PIN --key ann ~/other --json")
        try await machine.type("verify --cms --ca ~/ca.pem ~/other.p7s")
        try machine.write("changed\n", "other")
        try await machine.type("verify --cms --ca ~/ca.pem ~/other.p7s")
        try await machine.type("verify --cms --ca ~/ca.pem ~/other.p7s", .russian)
        try await machine.type("verify --cms --ca ~/ann.pem ~/text.p7m")
        try await machine.type("verify --cms --signature-only ~/text.p7m")
        try await machine.type("verify --cms --ca ~/ca.pem ~/text ~/text.p7m")
        try await machine.type("verify --cms ~/text.p7m")
        try await machine.type("verify --ca ~/ca.pem ~/text", .russian)
        try await machine.type("verify --cms --ca ~/none ~/text.p7m")
        try await machine.type("verify -")
        try machine.screen.expect("messages")
    }

    @Test("verify --cms: the forms in which programs write messages, and a time of one's own")
    func forms() async throws {
        machine.screen.maskTimes()
        try await machine.type("sign --cms --pin-source env:PIN --key ann ~/text", isShown: false)
        try await machine.type("sign --cms --detached --pin-source env:PIN --key ann ~/other", isShown: false)
        let (attached, detached) = (try machine.read("text.p7m"), try machine.read("other.p7s"))
        try machine.write(Data(attached).base64EncodedString(), "bare.p7m")
        try machine.write("\u{FEFF}" + pem(attached).replacingOccurrences(of: "\n", with: "\r\n"), "marked.p7m")
        try machine.write("Signed on Monday.\n\n" + pem(attached), "text-before.p7m")
        let lines = Data(attached).base64EncodedString(options: .lineLength76Characters)
        let opaque = "MIME-Version: 1.0\nContent-Type: application/pkcs7-mime;\n smime-type=signed-data\n"
        try machine.write(opaque + "Content-Transfer-Encoding: base64\n\n" + lines + "\n", "opaque.eml")
        for ending in ["sig", "sgn"] { try machine.write(pem(detached), "other.\(ending)") }
        // An attached message beside a file of its name is verified by itself.
        try machine.write(pem(attached), "other.pdf.p7s")
        try machine.write("unsigned\n", "other.pdf")
        let names = "bare.p7m marked.p7m opaque.eml other.sig other.sgn other.pdf.p7s"
        let files = names.split(separator: " ").map { "~/\($0)" }.joined(separator: " ")
        try await machine.type("verify --cms --ca ~/ca.pem \(files)")
        // Nobody has signed the text.
        try await machine.type("verify --cms --ca ~/ca.pem ~/text-before.p7m")
        try await machine.type("verify --cms --ca ~/ca.pem ~/text-before.p7m", .russian)
        try await machine.type("verify --cms --ca ~/ca.pem ~/text-before.p7m -o ~/within")

        // A content that is in the message and beside it has to be one.
        try machine.copy("chain-ber.p7b")
        try await machine.type("verify --cms --ca ~/chain-ber.p7b ~/text.p7m")
        try await machine.type("verify --cms --ca ~/ca.pem --content ~/text ~/text.p7m")
        try await machine.type("verify --cms --ca ~/ca.pem --content ~/other ~/text.p7m")

        try machine.write("lines\r\n", "mail")
        try await machine.type("sign --cms --detached --pin-source env:PIN --key ann ~/mail", isShown: false)
        let signature = Data(try machine.read("mail.p7s")).base64EncodedString(options: .lineLength76Characters)
        func mail(_ content: String) -> String {
            """
            MIME-Version: 1.0
            Content-Type: multipart/signed; protocol="application/pkcs7-signature"; boundary="=-x"

            A message of several parts.
            --=-x
            \(content)
            --=-x
            Content-Type: application/pkcs7-signature; name="smime.p7s"
            Content-Transfer-Encoding: base64

            \(signature)
            --=-x--

            """
        }
        try machine.write(mail("lines\n"), "clear.eml")
        try machine.write(mail("changed\n"), "changed.eml")
        try await machine.type("verify --cms --ca ~/ca.pem ~/clear.eml -o ~/content")
        #expect(try machine.read("content") == Array("lines\r\n".utf8))
        try await machine.type("verify --cms --ca ~/ca.pem ~/changed.eml")

        try await machine.type("verify --cms --ca ~/ca.pem --at 2001-01-01 ~/text.p7m")
        try await machine.type("verify --cms --ca ~/ca.pem --at 2001-01-01 ~/text.p7m", .russian)
        try await machine.type("verify --cms --ca ~/ca.pem --at 2100-01-01T12:00:00Z ~/text.p7m")
        try await machine.type("verify --cms --ca ~/ca.pem --at monday ~/text.p7m", .russian)
        try machine.screen.expect("message-forms")
    }

    @Test("verify: a file with more than the one that is verified is refused, whatever the first is")
    func behindTheFirst() async throws {
        try await machine.type("sign --cms --pin-source env:PIN --key ann ~/text", isShown: false)
        try await machine.type("sign --cms --detached --pin-source env:PIN --key ann ~/other", isShown: false)
        for name in ["text.p7m", "other.p7s"] {
            let message = try machine.read(name)
            let forged = Array(message.dropLast()) + [message.last.map { $0 ^ 1 } ?? 0]
            try machine.write(pem(message) + pem(forged), "two-\(name)")
            try machine.write("-----BEGIN CMS-----\nMIAG\n" + pem(message), "open-\(name)")
        }
        try machine.write(String(decoding: machine.read("ann.pem") + machine.read("ca.pem"), as: UTF8.self), "two.pem")
        try await machine.type("verify --cms --ca ~/ca.pem ~/two-text.p7m -o ~/content")
        #expect(throws: (any Error).self) { try machine.read("content") }
        try await machine.type("verify --cms --ca ~/ca.pem ~/two-text.p7m --json")
        try await machine.type("verify --cms --ca ~/ca.pem --content ~/other ~/two-other.p7s", .russian)
        try await machine.type("verify --cms --ca ~/ca.pem ~/open-text.p7m")
        try await machine.type("verify --certificate ~/two.pem ~/text")
        try machine.screen.expect("verify-several")
    }

    @Test("--json: the name of a file moves no cursor and turns no direction")
    func escapedNames() async throws {
        let name = "a\u{202E}b\u{9B}c"
        try machine.write("text", name)
        let (_, output) = try await machine.type("verify --cms --ca ~/ca.pem ~/\(name) --json", isShown: false)
        let text = String(decoding: output, as: UTF8.self)
        #expect(
            text.contains("a\\u202eb\\u009bc")
                && !text.unicodeScalars.contains { "\u{202E}\u{9B}".unicodeScalars.contains($0) })
    }

    private func pem(_ message: [UInt8]) -> String {
        let text = Data(message).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN CMS-----\n\(text)\n-----END CMS-----\n"
    }

    @Test("esia url, sign --esia: strings for the identity service")
    func identity() async throws {
        machine.screen.mask(pattern: "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", as: "(uuid)")
        machine.screen.mask(pattern: "client_secret=[^&\\n]*", as: "client_secret=(signature)")
        machine.screen.mask(pattern: "timestamp=[^&\\n]*", as: "timestamp=(time)")
        machine.screen.mask(pattern: "\"clientSecret\" : \"[^\"]*\"", as: "\"clientSecret\" : \"SIGNATURE\"")
        machine.screen.mask(pattern: "\\n[0-9A-Za-z_-]{86}\\n", as: "\n(signature)\n")
        let options = "--client-id APP --scope openid --redirect-uri https://app.example/back --pin-source env:PIN"
        try await machine.type("esia url \(options) --key ann")
        try await machine.type("esia url \(options) --key ann --json", .russian)
        try await machine.type("esia url \(options) --key ann --api v1 --offline --host https://test.example", .russian)
        try await machine.type("esia url \(options)")
        try await machine.type("esia url --client-id APP", .russian)
        try await machine.type("sign --esia --pin-source env:PIN --key ann -", input: Array("string".utf8))
        try await machine.type("sign --esia --pin-source env:PIN --key ann - --json", input: Array("string".utf8))
        try await machine.type("sign --esia --pin-source env:PIN --key ann ~/text")
        let exchange = "esia exchange \(options) --key ann --service-certificate ~/ann.pem --state 1"
        try await machine.type("\(exchange) 'https://app.example/back?code=x&state=2'")
        try await machine.type("\(exchange) 'https://app.example/back?error=access_denied&state=1'")
        try await machine.type("\(exchange) 'https://app.example/back?error=access_denied&state=1'", .russian)
        try await machine.type("\(exchange) --time-limit 0 x")
        try await machine.type("esia exchange --client-id APP")
        try machine.screen.expect("esia")
    }
}
