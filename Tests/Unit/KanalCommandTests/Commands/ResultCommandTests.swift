// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalCommand
import Testing

@Suite("Files that cannot be read, and places that no result can have")
struct ResultCommandTests {
    private let machine: TestMachine

    init() async throws {
        machine = try await ObjectCommandTests.machine()
        try machine.write("text\n", "text")
        try FileManager.default.createDirectory(atPath: machine.path("folder"), withIntermediateDirectories: true)
    }

    @Test("No PIN is asked for when a file is missing, or the result cannot be written")
    func unasked() async throws {
        try await machine.type("key export --pin-source env:PIN --output ~/ann.pub ann", isShown: false)
        let commands = [
            "sign --key ann ~/none ~/folder", "sign --cms --key ann ~/none", "verify --key ann ~/none ~/text",
            "verify ~/text", "sign --key ann ~/text -o ~/none/text.sig", "sign --key ann ~/text -o ~/folder",
            "sign --key ann ~/text -o ~/text --overwrite", "sign --key ann ~/text -o ~/ann.pub --cms",
            "sign --esia --key ann ~/none", "sign --esia --key ann ~/text -o ~/folder", "cert import ~/none",
            "key import ~/none", "key import ~/text --certificate ~/none", "key export ann -o ~/none/key",
            "key file ann -o ~/folder", "cert request --key ann --subject CN=Ann -o ~/ann.pub",
            "esia login --client-id A --scope openid --service-certificate ~/none",
        ]
        for command in commands {
            let (status, _) = try await machine.type(command, answers: [])
            #expect(status == .failed, "\(command)")
        }
        for command in ["sign --key ann ~/none", "key export ann -o ~/folder", "key export ann -o ~/none/key"] {
            try await machine.type(command, answers: [], .russian)
        }
        try machine.screen.expect("unasked")
    }

    @Test("No result takes the place of a file whose turn comes later")
    func inputs() async throws {
        try await machine.type("cert export ann -o ~/ann.cer", isShown: false)
        for command in [
            "sign --cms --key ann ~/text ~/text.p7m", "encrypt --to ~/ann.cer ~/text ~/text.enc",
            "decrypt ~/text.enc ~/text",
        ] {
            for name in ["text.p7m", "text.enc"] { try machine.write("precious", name) }
            let (status, _) = try await machine.type(command + " --overwrite --pin-source env:PIN", isShown: false)
            #expect(status != .done, "\(command)")
            for (name, content) in [("text.p7m", "precious"), ("text.enc", "precious"), ("text", "text\n")] {
                #expect(try machine.read(name) == Array(content.utf8), "\(command): \(name)")
            }
        }
    }

    @Test("A message that is missing, or a place that its result cannot have, is found before the PIN is asked for")
    func additions() async throws {
        try await machine.type("sign --cms --key ann ~/text --pin-source env:PIN", isShown: false)
        for command in ["sign --add --key ann ~/none", "sign --countersign --key ann ~/text.p7m -o ~/text"] {
            let (status, _) = try await machine.type(command, answers: [], isShown: false)
            #expect(status == .failed && !machine.messages.contains("PIN"), "\(command): \(machine.messages)")
        }
    }

    @Test("A file that is there is replaced with --overwrite only")
    func replaced() async throws {
        try machine.copy("ca.pem")
        try await machine.type("sign --cms --key ann ~/text --pin-source env:PIN", isShown: false)
        let commands = [
            "cert export ann -o ~/result", "key export ann -o ~/result --pin-source env:PIN",
            "key file ann -o ~/result --pin-source env:PIN",
            "cert request --key ann --subject CN=Ann -o ~/result --pin-source env:PIN",
            "verify --ca ~/ca.pem ~/text.p7m -o ~/result", "sign --key ann ~/text -o ~/result --pin-source env:PIN",
            "sign --esia --key ann ~/string -o ~/result --pin-source env:PIN",
        ]
        try machine.write("string", "string")
        for command in commands {
            try machine.write("precious", "result")
            let (status, _) = try await machine.type(command)
            #expect(try status == .failed && machine.read("result") == Array("precious".utf8), "\(command)")
            let (second, _) = try await machine.type(command + " --overwrite", isShown: false)
            #expect(try second == .done && machine.read("result") != Array("precious".utf8), "\(command)")
        }
        try await machine.type("cert export ann -o ~/result", .russian)
        try await machine.type("verify --ca ~/ca.pem ~/text.p7m -o ~/result", .russian)
        // A device is written to as it is.
        #expect(try await machine.type("cert export ann -o /dev/null", isShown: false).status == .done)
        try machine.screen.expect("replaced")
    }
}
