// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import Testing

@Suite("Encrypted files")
struct EncryptionCommandTests {
    /// A machine whose token has Ann's GOST key, which may agree, and Ben's RSA key.
    private func machine() async throws -> TestMachine {
        let machine = try TestMachine()
        for name in ["ann", "ben"] {
            try machine.copy("\(name).pfx")
            let agree = name == "ann" ? "--agree" : ""
            let status = try await machine.type(
                "key import ~/\(name).pfx \(agree) --password-source env:SECRET --pin-source env:PIN", isShown: false
            ).status
            #expect(status == .done)
            try await machine.type("cert export \(name) -o ~/\(name).cer", isShown: false)
        }
        try machine.write("text\n", "text")
        try machine.write("other\n", "other")
        return machine
    }

    @Test("encrypt, decrypt: for a key of GOST, for one of RSA, and for both")
    func both() async throws {
        let machine = try await machine()
        try await machine.type("encrypt ~/text ~/other --to ~/ann.cer")
        try await machine.type("decrypt --pin-source env:PIN ~/text.enc ~/other.enc -o ~/x")
        try await machine.type("decrypt --pin-source env:PIN ~/text.enc")
        try await machine.type("decrypt --pin-source env:PIN ~/text.enc ~/other.enc --overwrite")
        #expect(try machine.read("text") == Array("text\n".utf8))
        try await machine.type("encrypt ~/text --to ~/ann.cer --to ~/ben.cer --json")
        try await machine.type("encrypt ~/text --to ~/ann.cer --to ~/ben.cer --json --overwrite")
        try await machine.type("decrypt --pin-source env:PIN ~/text.enc -o ~/opened --json")
        #expect(try machine.read("opened") == Array("text\n".utf8))
        try await machine.type("encrypt ~/text --to ~/ben.cer --for gpgsm -o ~/letter.p7m", .russian)
        try await machine.type("decrypt --pin-source env:PIN ~/letter.p7m", .russian)
        #expect(try machine.read("letter") == Array("text\n".utf8))
        try await machine.type("encrypt ~/text --to ~/ann.cer --cipher magma -o ~/weak.enc")
        try await machine.type("decrypt --pin-source env:PIN ~/weak.enc")
        try await machine.type("decrypt --pin-source env:PIN ~/weak.enc -o ~/y --json")
        try machine.screen.expect("encrypt")
    }

    @Test("encrypt, decrypt: what is refused, and leaves nothing")
    func refusals() async throws {
        let machine = try await machine()
        try await machine.type("encrypt ~/text")
        try await machine.type("encrypt ~/text --to ~/text")
        try await machine.type("encrypt ~/text --to ~/ann.cer --to ~/ann.cer")
        try await machine.type("encrypt ~/text --to ~/ann.cer --for nss")
        try await machine.type("encrypt ~/text --to ~/ben.cer --for gpgsm --cipher aes256-gcm")
        try await machine.type("encrypt ~/none ~/text --to ~/ben.cer")
        try await machine.type("encrypt ~/text --to ~/ben.cer -o ~/text --overwrite")
        try await machine.type("encrypt ~/text --to ~/ann.cer -o ~/cut.enc", isShown: false)
        let message = try machine.read("cut.enc")
        try machine.write(Array(message.dropLast(5)), "cut.enc")
        var changed = message
        changed[message.count - 38] ^= 1
        try machine.write(changed, "changed.enc")
        try machine.write("text", "none.enc")
        try await machine.type("decrypt --pin-source env:PIN ~/cut.enc ~/changed.enc ~/none.enc")
        try await machine.type("decrypt --pin-source env:PIN ~/cut.enc ~/changed.enc", .russian)
        try await machine.type("decrypt --pin-source env:PIN ~/changed.enc --json")
        try await machine.type("decrypt --pin-source env:PIN ~/text")
        try await machine.type("decrypt --pin-source env:PIN ~/text.enc -o -")
        try await machine.type("decrypt --pin-source env:WRONG ~/cut.enc")
        for name in ["cut", "changed", "none"] { #expect(throws: (any Error).self) { try machine.read(name) } }

        // A key that may not agree.
        let other = try await ObjectCommandTests.machine()
        try other.write(message, "text.enc")
        try await other.type("decrypt --pin-source env:PIN ~/text.enc")
        #expect(throws: (any Error).self) { try other.read("text") }
        try machine.screen.expect("encrypt-refused")
        try other.screen.expect("decrypt-not-permitted")
    }
}
