// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import Locking
import TestSupport
import Testing

@Suite("Keys, certificates and other objects of a token")
struct ObjectCommandTests {
    /// A machine whose token has Ann's GOST key with its certificate, and Ben's RSA key with his.
    static func machine() async throws -> TestMachine {
        let machine = try TestMachine()
        for name in ["ann", "ben"] {
            try machine.copy("\(name).pfx")
            let status = try await machine.type(
                "key import ~/\(name).pfx --password-source env:SECRET --pin-source env:PIN", isShown: false
            ).status
            #expect(status == .done)
        }
        return machine
    }

    @Test("list: everything with the PIN, and what is public without")
    func list() async throws {
        let empty = try TestMachine()
        try await empty.type("list --pin-source env:PIN")
        try await empty.type("list --public", .russian)
        try await empty.type("list --pin-source env:WRONG")
        try await empty.type("list")
        try await empty.type("list", .russian)
        try empty.screen.expect("list-empty")
        let machine = try await Self.machine()
        try await machine.type("list --pin-source env:PIN")
        try await machine.type("list", answers: [EmulatedReader.userPIN], .russian)
        try await machine.type("list --pin-source env:PIN --json")
        try await machine.type("list --public")
        try await machine.type("list --public --json")
        try await machine.type("list")
        try await machine.type("list --pin-source env:PIN --uris")
        try machine.screen.expect("list")
    }

    @Test("key generate: of each kind, with an id of its own")
    func generate() async throws {
        let machine = try TestMachine()
        try await machine.type("key generate --pin-source env:PIN --label mine")
        try await machine.type("key generate --pin-source env:PIN --kind gost512 --id 0a:0b --json")
        try await machine.type("key generate --pin-source env:PIN --kind p256 --label 'Key 2'", .russian)
        try await machine.type("key generate --pin-source env:PIN --id 0a0b")
        try await machine.type("key generate --pin-source env:PIN --id 0a0b", .russian)
        try await machine.type("key generate --id xyz")
        // A token keeps identifiers of 255 bytes.
        let long = String(repeating: "0a", count: 255)
        let made = try await machine.type("key generate --pin-source env:PIN --id \(long)", isShown: false)
        let uri = try await machine.type("key file \(long) --pin-source env:PIN --json", isShown: false)
        let tooLong = try await machine.type("key generate --pin-source env:PIN --id \(long)0a", isShown: false)
        #expect(made.status == .done && uri.status == .done && tooLong.status == .usage)
        try await machine.type("key generate --kind dsa", .russian)
        try await machine.type("key generate --pin-source env:WRONG")
        try await machine.type("key")
        try machine.screen.expect("key-generate")
    }

    @Test("key import: a PFX file with a key and its certificate")
    func importKey() async throws {
        let machine = try TestMachine()
        try machine.copy("ann.pfx")
        try machine.copy("ben.pfx")
        try machine.copy("ann.pem")
        let command = "--password-source env:SECRET --pin-source env:PIN"
        try await machine.type("key import ~/ann.pfx \(command)")
        try await machine.type("key import ~/ann.pfx \(command)")
        try await machine.type("key import ~/ben.pfx \(command) --label mine --json")
        try await machine.type("key import ~/ben.pfx --password-source env:PIN --pin-source env:PIN")
        try await machine.type("key import ~/ben.pfx --password-source env:PIN --pin-source env:PIN", .russian)
        try await machine.type("key import ~/ann.pem \(command)")
        try await machine.type("key import ~/ann.pem \(command)", .russian)
        try await machine.type("key import ~/none \(command)")
        try await machine.type("key import ~/ben.pfx", answers: ["secret"])
        try await machine.type("key import ~/ben.pfx \(command) --agree")
        try await machine.type("key import ~/ben.pfx \(command) --agree", .russian)
        try machine.screen.expect("key-import")
    }

    @Test("key import: a key of PKCS #8 in PEM or DER, bare or under a password, and its certificate")
    func importPrivateKey() async throws {
        let openssl = try OpenSSL()
        guard OpenSSL.hasGOST else { return }
        let machine = try TestMachine()
        let kinds = ["gost2012_256 -pkeyopt paramset:TCA", "gost2001 -pkeyopt paramset:A", "rsa:2048"]
        let forms = ["", "-topk8 -v2 aes-256-cbc -passout pass:secret", "-topk8 -outform DER -nocrypt"]
        for (number, (kind, form)) in zip(kinds, forms).enumerated() {
            try openssl.run(
                "req -x509 -newkey \(kind) -nodes -keyout key -out certificate -subj /CN=Anna\(number)")
            try openssl.run("pkcs8 -in key -out file \(form.isEmpty ? "-topk8 -nocrypt" : form)")
            try Data(openssl.read("file")).write(to: URL(filePath: machine.path("key\(number)")))
            try Data(openssl.read("certificate")).write(to: URL(filePath: machine.path("certificate\(number)")))
        }
        let pin = "--pin-source env:PIN"
        try await machine.type("key import ~/key0 \(pin) --certificate ~/certificate1")
        try await machine.type("key import ~/key1 --certificate ~/certificate1 \(pin) --password-source env:PIN")
        for number in kinds.indices {
            let done = try await machine.type(
                "key import ~/key\(number) --certificate ~/certificate\(number) \(pin) --password-source env:SECRET",
                isShown: false)
            #expect(done.status == .done)
            let text = String(decoding: done.output, as: UTF8.self)
            #expect(text.contains("Anna\(number)"))
            #expect(text.contains(["GOST R 34.10-2012, 256 bits", "GOST R 34.10-2001", "RSA, 2048 bits"][number]))
        }
        let listed = try await machine.type("list \(pin) --json", isShown: false).output
        #expect(String(decoding: listed, as: UTF8.self).components(separatedBy: "\"hasPrivateKey\" : true").count == 4)
        try openssl.run("rsa -in key -traditional -out old")
        try Data(openssl.read("old")).write(to: URL(filePath: machine.path("old")))
        try await machine.type("key import ~/old \(pin)")
        try await machine.type("key import ~/old \(pin)", .russian)
        try machine.screen.expect("key-import-pkcs8")
    }

    @Test("key import: an empty password comes from every source", arguments: ["env:EMPTY", "file:"])
    func emptyPassword(source: String) async throws {
        let openssl = try OpenSSL()
        try openssl.run("req -x509 -newkey \(OpenSSL.p256) -nodes -keyout key -out certificate -subj /CN=Own")
        try openssl.run("pkcs12 -export -inkey key -in certificate -out file -passout pass:")
        let machine = try TestMachine()
        machine.variables["EMPTY"] = ""
        try Data(openssl.read("file")).write(to: URL(filePath: machine.path("own.pfx")))
        try Data("\n".utf8).write(to: URL(filePath: machine.path("line")))
        let given = source == "file:" ? "file:" + machine.path("line") : source
        let command = "key import ~/own.pfx --password-source \(given) --pin-source env:PIN"
        #expect(try await machine.type(command, isShown: false).status == .done)
    }

    @Test("key export, key file: the public half, and a file that stands for the key")
    func export() async throws {
        let machine = try await Self.machine()
        try await machine.type("key export --pin-source env:PIN ann")
        try await machine.type("key export --pin-source env:PIN ann --json")
        try await machine.type("key export --pin-source env:PIN ann --der")
        try await machine.type("key export --pin-source env:PIN ben -o ~/ben.pub")
        #expect(try machine.read("ben.pub").starts(with: "-----BEGIN PUBLIC KEY-----\n".utf8))
        try await machine.type("key export --pin-source env:PIN")
        try await machine.type("key export --pin-source env:PIN eve", .russian)
        try await machine.type("key export --der --json ann")
        try await machine.type("key file --pin-source env:PIN ann")
        try await machine.type("key file --pin-source env:PIN ann --json")
        try await machine.type("key file --pin-source env:PIN ben --output ~/none/ben.key")
        try await machine.type("key file --pin-source env:PIN ben --output ~/ben.key", .russian)
        #expect(try machine.read("ben.key").starts(with: "-----BEGIN PKCS#11 PROVIDER URI-----\n".utf8))
        try machine.screen.expect("key-export")
    }

    @Test("key delete: with consent; the certificate stays")
    func delete() async throws {
        let machine = try await Self.machine()
        try await machine.type("key delete --pin-source env:PIN ann")
        try await machine.type("key delete --pin-source env:PIN ann", answers: ["no"])
        try await machine.type("key delete --pin-source env:PIN ann", answers: ["no"], .russian)
        try await machine.type("key delete ann", answers: ["yes", EmulatedReader.userPIN])
        try await machine.type("key delete --pin-source env:PIN ann --yes")
        try await machine.type("key delete --pin-source env:PIN ben --yes --json")
        try await machine.type("key delete --pin-source env:PIN ben --yes", .russian)
        try await machine.type("key delete")
        try await machine.type("list --pin-source env:PIN")
        try machine.screen.expect("key-delete")
    }

    @Test("cert show, cert export: what certificates say, without a PIN")
    func show() async throws {
        let machine = try await Self.machine()
        try await machine.type("cert show")
        try await machine.type("cert show ann", .russian)
        try await machine.type("cert show ben --json")
        try await machine.type("cert show eve")
        try await machine.type("cert export")
        try await machine.type("cert export ann")
        try await machine.type("cert export ann --json")
        try await machine.type("cert export ann --der --output ~/ann.der", .russian)
        try await machine.type("cert export ann --der")
        try await machine.type("cert")
        try machine.screen.expect("cert-show")
        let empty = try TestMachine()
        try await empty.type("cert show")
        try await empty.type("cert export", .russian)
        try empty.screen.expect("cert-none")
    }

    @Test("cert import, verify: certificates in a message without signers (.p7b), in PEM, DER, BER and base64")
    func certificatesOfMessages() async throws {
        for form in ["chain.p7b", "chain.der", "chain-ber.p7b", "chain-ber.der"] {
            let machine = try TestMachine()
            for name in ["ca.pem", "chain.p7b", "chain-ber.p7b"] { try machine.copy(name) }
            for (text, bytes) in [("chain.p7b", "chain.der"), ("chain-ber.p7b", "chain-ber.der")] {
                let lines = String(decoding: try machine.read(text), as: UTF8.self).split(separator: "\n")
                let base64 = lines.filter { !$0.hasPrefix("-----") }.joined()
                try Data(base64Encoded: base64)?.write(to: URL(filePath: machine.path(bytes)))
            }
            try FileManager.default.copyItem(atPath: machine.path(form), toPath: machine.path("certificates"))
            try await machine.type("cert import --pin-source env:PIN ~/certificates")
            try machine.screen.expect("cert-import-message")
        }
        let machine = try TestMachine()
        try machine.write("-----BEGIN PKCS7-----\nMAA=\n-----END PKCS7-----\n", "none.p7b")
        try await machine.type("cert import --pin-source env:PIN ~/none.p7b")
        try machine.screen.expect("cert-import-none")
    }

    @Test("cert import: beside its key, and an authority's with an id of its own")
    func importCertificate() async throws {
        let machine = try TestMachine()
        for name in ["ca.pem", "ann.pem"] { try machine.copy(name) }
        try await machine.type("cert import --pin-source env:PIN ~/ca.pem")
        try await machine.type("cert import --pin-source env:PIN ~/ann.pem --id 0a0b --label Ann --json")
        try await machine.type("cert import --pin-source env:PIN ~/ann.pem")
        try await machine.type("cert import --pin-source env:PIN ~/ann.pem", .russian)
        try await machine.type("cert import --pin-source env:PIN ~/none")
        try machine.write("-----BEGIN CERTIFICATE-----\n", "cut")
        try await machine.type("cert import --pin-source env:PIN ~/cut")
        try machine.write("-----BEGIN X-----\n-----END X-----\n", "other")
        try await machine.type("cert import --pin-source env:PIN ~/other", .russian)
        try await machine.type("cert import --pin-source env:WRONG ~/ann.pem")
        let other = try TestMachine()
        for name in ["ca.pem", "ann.pem"] { try other.copy(name) }
        let (authority, person) = (try other.read("ca.pem"), try other.read("ann.pem"))
        try other.write(String(decoding: authority + person + authority, as: UTF8.self), "bundle")
        try await other.type("cert import --pin-source env:PIN ~/ca.pem", isShown: false)
        try await other.type("cert import --pin-source env:PIN ~/bundle")
        try await other.type("cert import --pin-source env:PIN ~/bundle", .russian)
        let third = try TestMachine()
        try third.write(String(decoding: authority + person + authority, as: UTF8.self), "bundle")
        try await third.type("cert import --pin-source env:PIN ~/bundle --json")
        // A token that leaves with the second certificate: so many files are made for one.
        let made = Lock(0)
        let fifth = try TestMachine()
        try fifth.copy("ca.pem")
        fifth.reader.onResponse { _, instruction, response in
            if instruction == 0xE0 { made.withLock { $0 += 1 } }
            return response
        }
        try await fifth.type("cert import --pin-source env:PIN ~/ca.pem", isShown: false)
        let fourth = try TestMachine()
        try fourth.write(String(decoding: authority + person + authority, as: UTF8.self), "bundle")
        fourth.reader.onResponse { [reader = fourth.reader] _, instruction, response in
            guard instruction == 0xE0 else { return response }
            made.withLock { $0 -= 1 }
            let left = made.withLock { $0 }
            if left < 0 { reader.removeCard() }
            return response
        }
        try await fourth.type("cert import --pin-source env:PIN ~/bundle")
        try other.screen.expect("cert-import-bundle")
        try third.screen.expect("cert-import-bundle-json")
        try fourth.screen.expect("cert-import-bundle-absent")
        try machine.screen.expect("cert-import")
    }

    @Test("cert request, cert delete")
    func request() async throws {
        let machine = try await Self.machine()
        machine.screen.mask(
            pattern: "(\\n|\\\\n)[0-9A-Za-z+/=]{64}(\\n|\\\\n)[0-9A-Za-z+/=\\n\\\\]*", as: "\n(base64)\n")
        let output = try await machine.type("cert request --pin-source env:PIN --key ann --subject CN=Ann,O=Example")
            .output
        #expect(output.starts(with: "-----BEGIN CERTIFICATE REQUEST-----\n".utf8))
        try await machine.type("cert request --pin-source env:PIN --key ben --subject CN=Ben -o ~/ben.csr")
        try await machine.type("cert request --pin-source env:PIN --subject CN=Ann")
        try await machine.type("cert request --key ann --subject Ann")
        try await machine.type("cert request --key ann --subject Ann", .russian)
        try await machine.type("cert request --key ann --subject CN=Ann --extension keyUsage")
        for (subject, element) in [
            ("INNLE=7701234567", [0x2A, 0x85, 0x03, 0x64, 4, 0x12, 10] + Array("7701234567".utf8)),
            ("CN=#1e020041", [0x55, 4, 3, 0x1E, 2, 0, 0x41]), ("CN=\\#1e", [0x55, 4, 3, 0x0C, 3] + Array("#1e".utf8)),
            ("CN=IA5String:a", [0x55, 4, 3, 0x16, 1, 0x61]),
            ("CN=\\IA5String:a", [0x55, 4, 3, 0x0C, 11] + Array("IA5String:a".utf8)),
        ] {
            let command = "cert request --pin-source env:PIN --key ann --der --subject '\(subject)'"
            let options = "--overwrite -o ~/types.csr"
            let status = try await machine.type("\(command) \(options)", isShown: false).status
            #expect(status == .done, "\(subject): \(machine.messages)")
            #expect(try machine.read("types.csr").contains(element), "\(subject)")
        }
        try await machine.type("cert delete ann --pin-source env:PIN")
        try await machine.type("cert delete ann --pin-source env:PIN", answers: ["no"], .russian)
        try await machine.type("cert delete ann --pin-source env:PIN", answers: ["yes"])
        try await machine.type("cert delete ann --pin-source env:PIN --yes")
        try await machine.type("cert delete ben --pin-source env:PIN --yes --json")
        try machine.screen.expect("cert-request")
    }

    @Test("cert request for a login by Kerberos has the principal's names, as OpenSSL writes them")
    func kerberosRequest() async throws {
        let machine = try await Self.machine()
        let command = "cert request --key ann --subject CN=Ann"
        let profile = "--profile pkinit --principal"
        let (status, _) = try await machine.type(
            "\(command) --pin-source env:PIN --der -o ~/login.csr \(profile) ann@EXAMPLE.ORG", isShown: false)
        #expect(status == .done)
        let request = try machine.read("login.csr")
        // subjectAltName = otherName:1.3.6.1.5.2.2;SEQUENCE:…, otherName:1.3.6.1.4.1.311.20.2.3;UTF8:ann@EXAMPLE.ORG
        let names = [UInt8](
            hex: """
                3050A02D06062B0601050202A0233021A00D1B0B4558414D504C452E4F5247A110300EA003020101A10730051B03616E6E\
                A01F060A2B060104018237140203A0110C0F616E6E404558414D504C452E4F5247
                """)
        #expect(request.contains(names))
        // id-pkinit-KPClientAuth.
        #expect(request.contains([0x06, 0x07, 0x2B, 0x06, 0x01, 0x05, 0x02, 0x03, 0x04]))
        for rest in [
            "--profile pkinit", "--principal ann@EXAMPLE.ORG", "\(profile) ann", "\(profile) a@b@C",
            "\(profile) анна@C",
            "\(profile) ann@C --extension extendedKeyUsage=clientAuth",
        ] {
            try await machine.type("\(command) \(rest)")
        }
        try machine.screen.expect("cert-request-profile")
    }
}
