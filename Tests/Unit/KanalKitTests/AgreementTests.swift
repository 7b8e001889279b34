// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalKit
import Secrets
import TestSupport
import Testing

@Suite("Secrets by a token's keys, in Swift")
struct AgreementTests {
    @Test(
        "A token's key agrees on what the program agrees on",
        arguments: [
            (KeyKind.p256, KeyAgreement.ecdh, "EC -pkeyopt ec_paramgen_curve:P-256", ""),
            (.gost256, .vko256(ukm: ukm), "gost2012_256 -pkeyopt paramset:A", "-pkeyopt vko:256"),
            (.gost512, .vko256(ukm: ukm), "gost2012_512 -pkeyopt paramset:A", "-pkeyopt vko:256"),
            (.gost512, .vko512(ukm: ukm), "gost2012_512 -pkeyopt paramset:A", "-pkeyopt vko:512"),
        ])
    func agreement(_ kind: KeyKind, _ agreement: KeyAgreement, _ algorithm: String, _ derivation: String) async throws {
        let openssl = try OpenSSL()
        guard OpenSSL.hasGOST || kind == .p256 else { return }
        try openssl.run("genpkey -algorithm \(algorithm) -out key")
        try openssl.run("pkey -in key -pubout -outform DER -out theirs")
        let theirs = try openssl.read("theirs")
        let machine = try Machine(.usb)
        let token = try await machine.token()
        let (ours, secret) = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(kind, id: [1], label: "key", canAgree: true)
            let secret = try session.agree(by: agreement, with: theirs, using: pair)
            return (try session.publicKeyInfo(of: pair), secret.withBytes { [UInt8](copying: $0) })
        }
        try openssl.write(ours, "ours")
        let ukm = derivation.isEmpty ? "" : "-pkeyopt ukmhex:\(Self.ukm.hex)"
        try openssl.run("pkeyutl -derive -inkey key -peerkey ours -peerform DER \(derivation) \(ukm) -out secret")
        #expect(try secret == openssl.read("secret"))
    }

    private static let ukm = [UInt8](1...16)

    @Test(
        "A key of a file agrees if that is said when it is imported, and never without",
        arguments: [
            ("EC -pkeyopt ec_paramgen_curve:P-256", KeyAgreement.ecdh, ""),
            ("gost2012_256 -pkeyopt paramset:A", .vko256(ukm: ukm), "-pkeyopt vko:256 -pkeyopt ukmhex:\(ukm.hex)"),
        ])
    func imported(_ algorithm: String, _ agreement: KeyAgreement, _ derivation: String) async throws {
        let openssl = try OpenSSL()
        guard OpenSSL.hasGOST else { return }
        try openssl.run("req -x509 -newkey \(algorithm) -nodes -keyout key -out certificate -subj /CN=Own")
        try openssl.run("pkcs12 -export -inkey key -in certificate -name own -passout pass:secret -out file")
        try openssl.run("pkey -in key -pubout -outform DER -out info")
        try openssl.run("pkeyutl -derive -inkey key -peerkey info -peerform DER \(derivation) -out secret")
        let (file, info) = (try openssl.read("file"), try openssl.read("info"))
        let machine = try Machine(.usb)
        let token = try await machine.token()
        let secret = try await token.perform(pin: Machine.pin) { session in
            let signer = try #require(try session.importPFX(file, password: PIN("secret")).first)
            #expect(
                refusal { _ = try session.agree(by: agreement, with: info, using: signer) }
                    == "CKR_KEY_FUNCTION_NOT_PERMITTED")
            try session.delete(signer)
            let pair = try #require(try session.importPFX(file, password: PIN("secret"), agrees: true).first)
            return try session.agree(by: agreement, with: info, using: pair).withBytes { [UInt8](copying: $0) }
        }
        #expect(try secret == openssl.read("secret"))
    }

    @Test("A key that may not agree, and a public key that is none or of another kind or curve, are refused")
    func refusals() async throws {
        let openssl = try OpenSSL()
        try openssl.run("ecparam -name secp384r1 -genkey -noout -out key")
        try openssl.run("pkey -in key -pubout -outform DER -out theirs")
        let foreign = try openssl.read("theirs")
        let machine = try Machine(.usb)
        let token = try await machine.token()
        try await token.perform(pin: Machine.pin) { session in
            let signer = try session.generateKeyPair(.p256, id: [1], label: "signer")
            let pair = try session.generateKeyPair(.p256, id: [2], label: "agrees", canAgree: true)
            let info = try session.publicKeyInfo(of: signer)
            #expect(
                refusal { _ = try session.agree(by: .ecdh, with: info, using: signer) }
                    == "CKR_KEY_FUNCTION_NOT_PERMITTED")
            #expect(
                refusal { _ = try session.agree(by: .ecdh, with: foreign, using: pair) }
                    == "CKR_MECHANISM_PARAM_INVALID")
            let cannot = KanalError.invalidArgument("the keys do not agree on a secret so")
            #expect(throws: cannot) { _ = try session.agree(by: .vko256(ukm: Self.ukm), with: info, using: pair) }
            #expect(throws: KanalError.invalidArgument("the other side's public key cannot be read")) {
                _ = try session.agree(by: .ecdh, with: Array(info.dropLast()), using: pair)
            }
            #expect(throws: KanalError.invalidArgument("a key of RSA agrees on no secrets")) {
                try session.generateKeyPair(.rsa(bits: 2048), id: [3], label: "", canAgree: true)
            }
            _ = try session.agree(by: .ecdh, with: info, using: pair)
        }
    }

    @Test("A token's key decrypts what the program has encrypted, and nothing else")
    func decryption() async throws {
        let openssl = try OpenSSL()
        let machine = try Machine(.usb)
        let token = try await machine.token()
        let (pair, info) = try await token.perform(pin: Machine.pin) { session in
            let pair = try session.generateKeyPair(.rsa(bits: 2048), id: [1], label: "key")
            return (pair, try session.publicKeyInfo(of: pair))
        }
        let secret = Array("a secret".utf8)
        try openssl.write(info, "info")
        try openssl.write(secret, "secret")
        let oaep = "-pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:"
        let cases: [(EncryptionPadding, String)] = [
            (.pkcs1, ""), (.oaep(.sha256), oaep + "sha256"), (.oaep(.sha512), oaep + "sha512"),
            (.oaep(.sha384, label: [0xAB]), oaep + "sha384 -pkeyopt rsa_oaep_label:AB"),
        ]
        for (padding, options) in cases {
            try openssl.run("pkeyutl -encrypt -pubin -keyform DER -inkey info -in secret -out ciphertext \(options)")
            let ciphertext = try openssl.read("ciphertext")
            try await token.perform { session in
                let plaintext = try session.decrypt(ciphertext, with: pair, padding: padding)
                #expect(plaintext.count == secret.count && plaintext.withBytes { [UInt8](copying: $0) } == secret)
                let other = EncryptionPadding.oaep(.sha256, label: [1])
                #expect(
                    refusal { _ = try session.decrypt(ciphertext, with: pair, padding: other) }
                        == "CKR_ENCRYPTED_DATA_INVALID")
            }
        }
        try await token.perform { session in
            let signer = try session.generateKeyPair(.p256, id: [2], label: "signer")
            #expect(throws: KanalError.invalidArgument("only keys of RSA decrypt")) {
                _ = try session.decrypt([1], with: signer, padding: .pkcs1)
            }
        }
    }
}

/// The code of the refusal that `body` throws; nil if it throws none.
private func refusal(_ body: () throws -> Void) -> String? {
    do { try body() } catch KanalError.refused(let code, _) { return code } catch { return "\(error)" }
    return nil
}
