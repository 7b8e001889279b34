// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import Testing

@Suite("Encrypted files")
struct EncryptionCommandTests {
    /// A desk whose token has Ann's GOST key, which may agree, and Ben's RSA key.
    private func desk() async throws -> Desk {
        let desk = try Desk()
        for name in ["ann", "ben"] {
            try desk.copy("\(name).pfx")
            let agree = name == "ann" ? "--agree" : ""
            let status = try await desk.type(
                "key import ~/\(name).pfx \(agree) --password-source env:SECRET --pin-source env:PIN", isShown: false
            ).status
            #expect(status == .done)
            try await desk.type("cert export \(name) -o ~/\(name).cer", isShown: false)
        }
        try desk.write("text\n", "text")
        try desk.write("other\n", "other")
        return desk
    }

    @Test("encrypt, decrypt: for a key of GOST, for one of RSA, and for both")
    func both() async throws {
        let desk = try await desk()
        try await desk.type("encrypt ~/text ~/other --to ~/ann.cer")
        try await desk.type("decrypt --pin-source env:PIN ~/text.enc ~/other.enc -o ~/x")
        try await desk.type("decrypt --pin-source env:PIN ~/text.enc")
        try await desk.type("decrypt --pin-source env:PIN ~/text.enc ~/other.enc --overwrite")
        #expect(try desk.read("text") == Array("text\n".utf8))
        try await desk.type("encrypt ~/text --to ~/ann.cer --to ~/ben.cer --json")
        try await desk.type("encrypt ~/text --to ~/ann.cer --to ~/ben.cer --json --overwrite")
        try await desk.type("decrypt --pin-source env:PIN ~/text.enc -o ~/opened --json")
        #expect(try desk.read("opened") == Array("text\n".utf8))
        try await desk.type("encrypt ~/text --to ~/ben.cer --for gpgsm -o ~/letter.p7m", .russian)
        try await desk.type("decrypt --pin-source env:PIN ~/letter.p7m", .russian)
        #expect(try desk.read("letter") == Array("text\n".utf8))
        try await desk.type("encrypt ~/text --to ~/ann.cer --cipher magma -o ~/weak.enc")
        try await desk.type("decrypt --pin-source env:PIN ~/weak.enc")
        try await desk.type("decrypt --pin-source env:PIN ~/weak.enc -o ~/y --json")
        try desk.screen.expect("encrypt")
    }

    @Test("encrypt, decrypt: what is refused, and leaves nothing")
    func refusals() async throws {
        let desk = try await desk()
        try await desk.type("encrypt ~/text")
        try await desk.type("encrypt ~/text --to ~/text")
        try await desk.type("encrypt ~/text --to ~/ann.cer --to ~/ann.cer")
        try await desk.type("encrypt ~/text --to ~/ann.cer --for nss")
        try await desk.type("encrypt ~/text --to ~/ben.cer --for gpgsm --cipher aes256-gcm")
        try await desk.type("encrypt ~/none ~/text --to ~/ben.cer")
        try await desk.type("encrypt ~/text --to ~/ben.cer -o ~/text --overwrite")
        try await desk.type("encrypt ~/text --to ~/ann.cer -o ~/cut.enc", isShown: false)
        let message = try desk.read("cut.enc")
        try desk.write(Array(message.dropLast(5)), "cut.enc")
        var changed = message
        changed[message.count - 38] ^= 1
        try desk.write(changed, "changed.enc")
        try desk.write("text", "none.enc")
        try await desk.type("decrypt --pin-source env:PIN ~/cut.enc ~/changed.enc ~/none.enc")
        try await desk.type("decrypt --pin-source env:PIN ~/cut.enc ~/changed.enc", .russian)
        try await desk.type("decrypt --pin-source env:PIN ~/changed.enc --json")
        try await desk.type("decrypt --pin-source env:PIN ~/text")
        try await desk.type("decrypt --pin-source env:PIN ~/text.enc -o -")
        try await desk.type("decrypt --pin-source env:WRONG ~/cut.enc")
        for name in ["cut", "changed", "none"] { #expect(throws: (any Error).self) { try desk.read(name) } }

        // A key that may not agree.
        let other = try await ObjectCommandTests.desk()
        try other.write(message, "text.enc")
        try await other.type("decrypt --pin-source env:PIN ~/text.enc")
        #expect(throws: (any Error).self) { try other.read("text") }
        try desk.screen.expect("encrypt-refused")
        try other.screen.expect("decrypt-not-permitted")
    }
}
