// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
package import KanalKit
import Secrets
import SecureChannel
package import TestSupport
import Token
import Tokens

/// A token with a key and its certificate, which an authority of the program's has issued.
package struct TokenScene {
    package let token: KanalKit.Token
    package let openssl: OpenSSL
    package let certificate: TokenCertificate
    private let folder = Folder()

    package static var pin: PIN { PIN(EmulatedReader.userPIN) }

    package init(_ kind: KanalKit.KeyKind) async throws {
        let reader = try EmulatedReader(.usb, passwords: [EmulatedReader.password])
        let settings = TokenSettings(
            pairings: .directory(folder.path), hostLabel: "test", random: SystemRandom(), log: Journal().logger)
        token = try await TokenManager(readers: reader, settings: settings, interaction: UserInteraction()).find()
        openssl = try OpenSSL()
        try openssl.run(
            "req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout ca.key -out ca.pem -subj /CN=ca"
                + " -days 30 -addext basicConstraints=CA:true")
        let request = try await token.perform(pin: Self.pin) { session in
            let pair = try session.generateKeyPair(kind, id: [1], label: "key")
            return try session.certificationRequest(for: pair, subject: [RequestField("CN", "Signer")])
        }
        try openssl.write(request, "request")
        try openssl.run(
            "x509 -req -in request -inform DER -CA ca.pem -CAkey ca.key -set_serial 2 -outform DER -out signer -days 30"
        )
        let value = try openssl.read("signer")
        certificate = try await token.perform { session in
            try session.importCertificate(value, id: [1], label: "certificate")
        }
    }

    /// Expects that the program verifies a detached message of this content.
    package func expectVerified(_ message: [UInt8], _ content: [UInt8]) throws {
        try openssl.write(message, "message")
        try openssl.write(content, "content")
        try openssl.run(
            "cms -verify -cades -binary -inform DER -CAfile ca.pem -purpose any -in message -out output -content content"
        )
    }
}
