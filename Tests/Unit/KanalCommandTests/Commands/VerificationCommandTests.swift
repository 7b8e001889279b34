// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import TestSupport
import Testing

@Suite("Files that are verified, and batches of them")
struct VerificationCommandTests {
    private let machine: TestMachine

    init() async throws {
        machine = try await ObjectCommandTests.machine()
        for name in ["ca.pem", "ann.pem"] { try machine.copy(name) }
        for name in ["text", "other", "third"] { try machine.write("\(name)\n", name) }
    }

    @Test("verify: the content of a file says whether it is a signature, in base64 or not, or a signed message")
    func kinds() async throws {
        machine.screen.maskTimes()
        try await machine.type("sign --pin-source env:PIN --key ann ~/text", isShown: false)
        try machine.write(Data(machine.read("text.sig")).base64EncodedString() + "\n", "text.sgn")
        try await machine.type("verify --certificate ~/ann.pem --signature ~/text.sgn ~/text")
        try await machine.type("verify --certificate ~/ann.pem ~/text.sig")
        try await machine.type("verify --ca ~/ca.pem ~/text")
        try await machine.type("verify --ca ~/ca.pem ~/text", .russian)
        try await machine.type("sign --cms --detached --pin-source env:PIN --key ann ~/other", isShown: false)
        try await machine.type("verify --ca ~/ca.pem ~/other ~/other.p7s")
        try machine.write(Data(machine.read("other.p7s")).base64EncodedString(), "other.sig")
        try await machine.type("verify ~/other")
        try await machine.type("verify ~/other", .russian)
        try await machine.type("verify --signature-only ~/other --json")
        try await machine.type("verify --signature-only ~/other", .russian)
        // No PIN is asked for.
        try await machine.type("verify --key ann ~/text")
        try await machine.type("verify --key ben ~/text")
        try machine.screen.expect("verify-kinds")
    }

    @Test("verify: the reason why a signer is not trusted")
    func reasons() async throws {
        machine.screen.maskTimes()
        try await machine.type("sign --cms --pin-source env:PIN --key ann ~/text", isShown: false)
        for language in [Screen.Language.english, .russian] {
            try await machine.type("verify --ca ~/ca.pem --at 2200-01-01 ~/text.p7m", language)
            try await machine.type("verify --ca ~/ann.pem ~/text.p7m", language)
        }
        try await machine.type("verify --ca ~/ca.pem --at 2001-01-01 ~/text.p7m --json", .russian)
        try await machine.type("verify --ca ~/ann.pem ~/text.p7m --json")
        try machine.screen.expect("verify-reasons")
    }

    @Test("timestamp, and verify of a file's time stamp: its time and authority, or the cause", .usesGOSTEngine)
    func timeStamps() async throws {
        machine.screen.maskTimes()
        let openssl = try OpenSSL()
        try openssl.run(
            "req -x509 -newkey rsa:2048 -nodes -keyout tsa.key -out tsa.pem -subj /CN=TSA -days 30"
                + " -addext extendedKeyUsage=critical,timeStamping -addext basicConstraints=critical,CA:false")
        try openssl.configureStamps("sha256", "ess_cert_id_alg = sha256")
        try openssl.write(Array("text\n".utf8), "text")
        try openssl.run("ts -query -data text -md_gost12_256 -cert -out query")
        try Data(openssl.stamp(openssl.read("query"))).write(to: URL(filePath: machine.path("text.tsr")))
        try Data(openssl.read("tsa.pem")).write(to: URL(filePath: machine.path("tsa.pem")))
        for language in [Screen.Language.english, .russian] {
            try await machine.type("verify --ca ~/tsa.pem ~/text.tsr", language)
            try await machine.type("verify --ca ~/tsa.pem --content ~/other ~/text.tsr", language)
            try await machine.type("verify --ca ~/ca.pem ~/text", language)
            try await machine.type("timestamp --url ftp://localhost/ --ca ~/tsa.pem ~/text", language)
            try await machine.type("timestamp --url http://localhost/ ~/text", language)
            try await machine.type("sign --timestamp http://localhost/ --ca ~/tsa.pem ~/text", language)
        }
        try await machine.type("verify --ca ~/tsa.pem ~/text --json")
        try await machine.type("verify --ca ~/tsa.pem --at 2001-01-01 ~/text.tsr --json")
        try await machine.type("timestamp --url http://localhost/ --ca ~/tsa.pem ~/none --json")
        try await machine.type("timestamp --url http://localhost/ --ca ~/tsa.pem --policy 1.2.x ~/text")
        try machine.screen.expect("time-stamps")
    }

    @Test("extend, and sign with a level: the missing authority, and a file that is no message")
    func longTerm() async throws {
        for language in [Screen.Language.english, .russian] {
            try await machine.type("extend ~/text", language)
            try await machine.type("extend --timestamp http://localhost/ ~/text", language)
            try await machine.type("extend --timestamp http://localhost/ --ca ~/ca.pem --level a ~/text", language)
            try await machine.type("extend --timestamp http://localhost/ --ca ~/ca.pem ~/text ~/none", language)
            try await machine.type("sign --level t ~/text", language)
            try await machine.type("sign --cms --level xlt1 ~/text", language)
            try await machine.type(
                "sign --cms --level bes --timestamp http://localhost/ --ca ~/ca.pem ~/text", language)
        }
        try await machine.type("extend --timestamp http://localhost/ --ca ~/ca.pem ~/text --json")
        try machine.write("", "large")
        try FileHandle(forWritingTo: URL(filePath: machine.path("large"))).truncate(atOffset: 64 << 20 | 1)
        for language in [Screen.Language.english, .russian] {
            try await machine.type(
                "sign --pin-source env:PIN --key ann --cms --level xlt1 --timestamp http://localhost/ --ca ~/ca.pem ~/large",
                language)
        }
        try machine.screen.expect("long-term")
    }

    @Test("sign: no signature is replaced unasked, and a batch ends with its sum")
    func batches() async throws {
        try await machine.type("sign --pin-source env:PIN --key ann ~/text")
        let signature = try machine.read("text.sig")
        // No PIN is asked for.
        try await machine.type("sign --key ann ~/text")
        try await machine.type("sign --key ann ~/text", .russian)
        try await machine.type("sign --skip-signed ~/text --json")
        try await machine.type("sign --pin-source env:PIN --key ann ~/none ~/text ~/other")
        #expect(try machine.read("text.sig") == signature)
        try await machine.type("sign --pin-source env:PIN --key ann --overwrite ~/text")
        #expect(try machine.read("text.sig") != signature)
        try await machine.type("sign --pin-source env:PIN --key ann --skip-signed ~/text ~/other ~/third")
        try await machine.type("sign --pin-source env:PIN --key ann --cms ~/text -o ~/third")
        try await machine.type("sign --overwrite --skip-signed ~/text", .russian)
        try machine.screen.expect("sign-batches")
    }

    @Test("sign: a batch whose token leaves says what is without a signature, and how to go on")
    func interrupted() async throws {
        for language in [Screen.Language.english, .russian] {
            try await leave(at: "pipe-\(language)", "", language)
            machine.reader.insertCard()
            try await machine.type("sign --pin-source env:PIN --key ann --skip-signed ~/text ~/other", language)
            for name in ["text", "other"] { try FileManager.default.removeItem(atPath: machine.path(name + ".sig")) }
        }
        try await leave(at: "pipe", " --json", .english)
        try machine.screen.expect("sign-interrupted")
    }

    /// Signs three files, the second of which is a pipe whose content comes when the token has left.
    private func leave(at pipe: String, _ options: String, _ language: Screen.Language) async throws {
        let (path, reader) = (machine.path(pipe), machine.reader)
        let made = unsafe mkfifo(path, 0o600)
        #expect(made == 0)
        let thread = Thread {
            let descriptor = unsafe open(path, O_WRONLY)
            reader.removeCard()
            close(descriptor)
        }
        thread.start()
        try await machine.type("sign --pin-source env:PIN --key ann ~/text ~/\(pipe) ~/other\(options)", language)
    }

    @Test("--json: error.id of many files has the reason that all of them have failed for")
    func commonReason() async throws {
        machine.screen.maskTimes()
        try await machine.type("sign --cms --pin-source env:PIN --key ann ~/text ~/other", isShown: false)
        for (line, id, remedy) in [
            ("sign --key ann ~/none ~/neither", "file.missing", nil), ("sign --key ann ~/none", "file.missing", nil),
            ("sign --cms --key ann ~/text ~/other", "result.exists", "--overwrite"),
            ("sign --cms --key ann ~/text ~/none", "failed", nil),
            ("sign --cms --key ann ~/third ~/text --pin-source env:PIN", "failed", nil),
            ("sign --cms --key ann ~/third ~/none --skip-signed", "failed", nil),
            ("verify --ca ~/ann.pem ~/text.p7m ~/other.p7m", "message.untrusted", nil),
            ("verify --ca ~/ca.pem --at 2200-01-01 ~/text.p7m ~/other.p7m", "message.untrusted", "--at"),
            ("verify --ca ~/ann.pem ~/text.p7m ~/none", "failed", nil),
            ("verify --ca ~/ca.pem ~/text.p7m ~/none", "failed", nil),
        ] as [(String, String, String?)] {
            let (status, output) = try await machine.type(line + " --json", isShown: false)
            let result = try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any]
            let error = try #require(result?["error"] as? [String: Any], "\(line)")
            #expect(error["id"] as? String == id && error["remedy"] as? String == remedy, "\(line): \(error)")
            #expect(status == (line.hasPrefix("verify") && !line.hasSuffix("none") ? .unknown : .failed))
        }
        try await machine.type("verify --ca ~/ann.pem ~/text.p7m ~/other.p7m --json")
        try await machine.type("sign --cms --key ann ~/text ~/other --json", .russian)
        try machine.screen.expect("errors-json-files")
    }

    @Test(
        "A time has a zone, and nothing behind it",
        arguments: [
            "2026-03-31T12:00:00", "2026-03-31T12:00", "'2026-03-31 12:00:00'", "2026-03-31T12:00:00Zulu",
            "2026-03-31T",
            "20260331",
        ])
    func times(_ time: String) async throws {
        let machine = try TestMachine()
        try machine.write("text", "text")
        #expect(try await machine.type("verify --ca ~/text --at \(time) ~/text", isShown: false).status == .usage)
        #expect(machine.messages.contains("2026-03-31T12:00:00Z"))
    }

    @Test("--json: an error is an object, too, after which nothing follows")
    func errors() async throws {
        let empty = try TestMachine([nil])
        try await empty.type("info --json")
        try await empty.type("info --json", .russian)
        try empty.screen.expect("errors-json-absent")
        try await machine.type("sign --pin-source env:WRONG ~/text --key ann --json", .russian)
        try await machine.type("sign --pin-source env:PIN ~/text --json")
        try await machine.type("cert export nobody --json")
        try await machine.type("sign --json")
        try await machine.type("verify --cms --json ~/text")
        try await machine.type("key import ~/none --json")
        for _ in 0..<9 { try await machine.type("sign --pin-source env:WRONG ~/text --key ann --json", isShown: false) }
        try await machine.type("sign --pin-source env:WRONG ~/text --key ann --json")
        try machine.screen.expect("errors-json")
    }
}
