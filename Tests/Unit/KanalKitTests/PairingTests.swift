// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Secrets
import TestSupport
import Testing

@Suite("Pairings and keys from files, in Swift")
struct PairingTests {
    @Test("Both sides list the pairing; one that this machine forgets wants its activation again")
    func machine() async throws {
        let machine = try Machine()
        #expect(try await machine.manager.pairedTokens().isEmpty)
        let token = try await machine.token()
        let paired = try await machine.manager.pairedTokens()
        #expect(paired.map(\.serialNumber) == [token.information.serialNumber])
        let hosts = try await token.perform { session in try session.pairedHosts() }
        #expect(hosts.map(\.label) == ["test"] && hosts.allSatisfy { $0.isSelf && $0.isActive })
        try await machine.manager.removePairing(try #require(paired.first))
        #expect(try await machine.manager.pairedTokens().isEmpty)
        await #expect(throws: KanalError.notActivated) { try await token.perform { _ in } }
        try await token.activate(password: ActivationPassword(EmulatedReader.password))
        try await token.perform { _ in }
    }

    @Test("A host that the token forgot is refused at its next opening")
    func revoked() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        try await token.perform { session in
            for host in try session.pairedHosts() { try session.unpair(host) }
        }
        #expect(try await machine.manager.pairedTokens().isEmpty)
        await #expect(throws: KanalError.notActivated) { try await token.perform { _ in } }
    }

    @Test("A host that another has removed from the token is refused, told why, and can be activated again")
    func revokedByOfficer() async throws {
        let lost = try Machine(label: "lost")
        let token = try await lost.token()
        try await token.perform { _ in }
        let other = try Machine(sharing: lost.reader, label: "other")
        try await other.token().perform(as: .securityOfficer, pin: Machine.officerPIN) { session in
            let hosts = try session.pairedHosts()
            #expect(Set(hosts.map(\.label)) == ["lost", "other"])
            try session.unpair(try #require(hosts.first { $0.label == "lost" }))
        }
        lost.reader.removeCard()
        lost.reader.insertCard()
        await #expect(throws: KanalError.pairingRevoked) { try await token.perform { _ in } }
        try await token.activate(password: ActivationPassword(EmulatedReader.password))
        try await token.perform { _ in }
    }

    @Test("A token with sixteen hosts takes no further one, and tells how one is removed")
    func seventeenth() async throws {
        let first = try Machine()
        _ = try await first.token()
        for number in 2...16 { _ = try await Machine(sharing: first.reader, label: "\(number)").token() }
        let last = try await Machine(sharing: first.reader, label: "17").manager.find()
        let error = await #expect(throws: KanalError.self) {
            try await last.activate(password: ActivationPassword(EmulatedReader.password))
        }
        guard case .refused(code: "CKR_DEVICE_MEMORY", let reason)? = error else {
            Issue.record("another refusal: \(String(describing: error))")
            return
        }
        for command in ["kanal pairings hosts", "kanal pairings revoke"] {
            #expect(reason.description.contains(command))
        }
        let hosts = try await first.manager.find().perform { session in try session.pairedHosts() }
        #expect(hosts.count == 16 && hosts.allSatisfy { $0.label != "17" })
    }

    @Test("A channel that cannot be opened, and is not tried for a while, is told as such: the token is there")
    func backingOff() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        machine.reader.removeCard()
        machine.reader.insertCard()
        machine.reader.onResponse { _, instruction, response in
            instruction == 0x86 ? Response(response.status, data: response.data.map { ~$0 }) : response
        }
        var reasons: [String] = []
        for _ in 0..<6 {
            let error = await #expect(throws: KanalError.self) { try await token.perform { _ in } }
            reasons.append(error?.description ?? "")
            #expect(try await machine.manager.find() === token)
        }
        let start = "the token's secure channel cannot be opened: "
        #expect(reasons.first == start + "malformed response in pairing or opening")
        #expect(
            reasons.last
                == start + "the secure channel could not be opened several times, and is not tried for a while")
        #expect(!reasons.contains(KanalError.tokenAbsent.description))
        machine.reader.onResponse(nil)
        machine.time.pass(.seconds(5))
        try await token.perform { _ in }
    }

    @Test("A token that another program keeps for itself is not taken for absent")
    func held() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        machine.reader.removeCard()
        machine.reader.insertCard()
        machine.reader.onRequest { _ throws(LinkError) in throw .sharingViolation }
        let error = await #expect(throws: KanalError.self) { try await token.perform { _ in } }
        #expect(error == .refused(code: "CKR_DEVICE_ERROR", reason: "another program holds the card for itself"))
        machine.reader.onRequest(nil)
        try await token.perform { _ in }
    }

    @Test("A password that the security officer has made activates the token on another machine")
    func newPassword() async throws {
        let machine = try Machine()
        let token = try await machine.token()
        let text = try await token.perform(as: .securityOfficer, pin: Machine.officerPIN) { session in
            try session.generateActivationPassword(of: .capitals).withBytes { [UInt8](copying: $0) }
        }
        #expect(text.count == 19)
        let other = try Machine(sharing: machine.reader, label: "other")
        let found = try await other.manager.find()
        try await found.activate(password: ActivationPassword(bytes: text.span))
        try await found.perform { _ in }
    }

    @Test(
        "A key of a file that the program has made is put onto the token, and signs what the program verifies",
        arguments: [
            (
                "gost2012_256 -pkeyopt paramset:A", "-keypbe gost89 -certpbe gost89 -macalg md_gost12_512",
                "md_gost12_256", KeyKind.gost256
            ),
            ("gost2012_512 -pkeyopt paramset:A", "", "md_gost12_512", .gost512),
            ("gost2001 -pkeyopt paramset:A", "", "md_gost94", .gost2001),
            ("rsa:2048", "", "sha256", .rsa(bits: 2048)),
        ])
    func file(_ key: String, _ options: String, _ digest: String, _ kind: KeyKind) async throws {
        let openssl = try OpenSSL()
        guard OpenSSL.hasGOST else { return }
        try openssl.run("req -x509 -newkey \(key) -nodes -keyout key -out certificate -subj /CN=Own")
        try openssl.run(
            "pkcs12 -export -inkey key -in certificate -name own -passout pass:secret \(options) -out file")
        let file = try openssl.read("file")
        let machine = try Machine()
        let token = try await machine.token()
        await #expect(throws: KanalError.passwordIncorrect(triesLeft: nil)) {
            try await token.perform(pin: Machine.pin) { session in
                _ = try session.importPFX(file, password: PIN("another"))
            }
        }
        let message = Array("message".utf8)
        let (signature, info) = try await token.perform { session in
            let pairs = try session.importPFX(file, password: PIN("secret"))
            #expect(pairs.map(\.label) == ["own"])
            #expect(try session.keyPairs().map(\.kind) == [kind])
            #expect(try session.certificates().map(\.hasPrivateKey) == [true])
            let pair = try #require(pairs.first)
            let objects = try session.keyPairs().count + session.certificates().count + session.otherObjects().count
            let present = KanalError.invalidArgument("the key own (\(pair.id.hex)) of the file is on the token already")
            #expect(throws: present) { _ = try session.importPFX(file, password: PIN("secret"), label: "again") }
            #expect(
                try session.keyPairs().count + session.certificates().count + session.otherObjects().count == objects)
            let signature = try session.sign(message.span, with: pair)
            #expect(try session.verify(signature, of: message.span, with: pair))
            return (signature, try session.publicKeyInfo(of: pair))
        }
        let publicKey = try PublicKey(info: info)
        #expect(publicKey.kind == kind)
        let parts = Lock([message])
        #expect(try await publicKey.verify(signature, of: ByteSource { parts.withLock { $0.popLast() } }))
        try openssl.write(message, "message")
        try openssl.write(signature, "signature")
        try openssl.run("x509 -in certificate -pubkey -noout -out public")
        try openssl.run("pkey -pubin -in public -outform DER -out info")
        #expect(try openssl.read("info") == info)
        try openssl.run("dgst -\(digest) -verify public -signature signature message")
    }
}
