// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import KanalCommand
import KanalKit
import TestSupport
import Testing

@Suite("Key containers, as commands show and use them")
struct ContainerCommandTests {
    @Test("sign: the password of a container comes from a source or the terminal; a wrong one is a wrong password")
    func password() async throws {
        let machine = try TestMachine([.lite])
        try machine.storeContainer("256-password")
        machine.variables["CONTAINER"] = "123456"
        try machine.write("content", "letter")
        let sign = "sign --overwrite --pin-source env:PIN ~/letter"
        try await machine.type("\(sign) --container-password-source env:CONTAINER")
        try await machine.type("\(sign) --container-password-source env:CONTAINER --cms")
        try await machine.type(
            "\(sign) --container-password-source - -o -", input: Array("123456\n".utf8), isShown: false)
        let wrong = try await machine.type("\(sign) --container-password-source env:WRONG")
        #expect(wrong.status == .wrongPIN)
        try await machine.type("\(sign) --container-password-source env:WRONG --cms", .russian)
        try await machine.type("\(sign) --container-password-source env:NOWHERE")
        try await machine.type(sign)
        try await machine.type(sign, .russian)
        try await machine.type(sign, answers: ["wrong", "123456"])
        try await machine.type("\(sign) --cms", answers: ["wrong", "123456"], .russian)
        try await machine.type(sign, answers: ["1", "2", "3"])
        try await machine.type(sign, answers: [])
        // Nothing was counted.
        let info = try await machine.type("info --json", isShown: false).output
        #expect(String(decoding: info, as: UTF8.self).split(separator: "\"triesLeft\" : 10").count == 3)
        try machine.screen.expect("container-password")
    }

    @Test("list: with the PIN, a container that cannot be read is named with the reason; others show their keys")
    func unread() async throws {
        let machine = try TestMachine([.lite])
        try machine.storeContainer("256-plain", in: 0x0A00)
        try machine.storeContainer("header-bit", in: 0x0B00)
        try machine.storeContainer("form-of-rsa", in: 0x0D00)
        try machine.storeContainer("no-certificate", in: 0x0E00) { $0[3] = nil }
        try machine.storeContainer("header-cut", in: 0x0F00) { $0[6] = nil }
        try await machine.type("list --pin-source env:PIN")
        try await machine.type("list --pin-source env:PIN", .russian)
        try await machine.type("list --pin-source env:PIN --json")
        try await machine.type("list --public --json", isShown: false)
        try machine.screen.expect("containers-unread")
    }

    /// The severities and names of the findings about the containers of a token.
    private func findings(
        _ machine: TestMachine, pin: String? = EmulatedReader.userPIN, now: Int64 = 1_800_000_000
    ) async throws -> [String] {
        let manager = try machine.access().manager()
        let held = pin.map { HeldPIN(PIN($0)) }
        let findings = try await ContainerChecks(pin: held, now: now).look(manager)
        // A name is personal.
        #expect(!findings.contains { "\($0.problem) \($0.remedy)".contains("256-plain") })
        return findings.map { "\($0.severity) \($0.check) \($0.problem)" }
    }

    @Test("doctor: what everybody may see of containers is found without a PIN, and no try is spent")
    func doctorWithoutPIN() async throws {
        let machine = try TestMachine([.lite, .usb])
        #expect(try await findings(machine).isEmpty)
        try machine.storeContainer("256-plain")
        try machine.storeContainer("header-bit", in: 0x0C00)
        #expect(
            try await findings(machine, pin: nil) == [
                "information container.found the token 0e123456 has 2 key containers of CryptoPro CSP, in 1000/1003: 0A00, 0C00"
            ])
        #expect(!machine.reader.headers.contains { $0[1] == 0x20 })
    }

    @Test("doctor: each fault of a container has its finding")
    func doctorWithPIN() async throws {
        let machine = try TestMachine([.lite])
        try machine.storeContainer("256-plain", in: 0x0A00)
        try machine.storeContainer("header-bit", in: 0x0B00)
        try machine.storeContainer("form-of-rsa", in: 0x0C00)
        try machine.storeContainer("256-tc26-a", in: 0x0D00) { $0[2] = [UInt8](repeating: 0, count: 36) }
        try machine.storeContainer("512-b", in: 0x0E00) { $0[5] = nil }
        try machine.storeContainer("no-reserve", in: 0x0F00) { $0[1] = nil }
        try machine.storeContainer("no-certificate", in: 0x1000)
        try machine.storeContainer("256-password", in: 0x1100)
        func short(_ list: [String]) -> [String] {
            list.compactMap { line in
                let words = line.split(separator: " ")
                guard words.count > 5, words[4].hasPrefix("container") else { return nil }
                return "\(words[0]) \(words[1]) \(words[5])"
            }
        }
        let faults = [
            "error container.unusable 0B00", "warning container.unusable 0C00", "warning container.reserve 0D00",
            "warning container.reserve 0E00", "error container.unusable 0F00", "warning container.certificate 1000",
        ]
        #expect(try await short(findings(machine)) == faults)
        // Nothing is opened by a wrong PIN.
        let refused = try await findings(machine, pin: "00000000")
        #expect(refused.contains { $0.hasPrefix("error container.login") })
    }

    @Test("doctor: the end of a certificate or a key is found 30 days before")
    func doctorEnds() async throws {
        let machine = try TestMachine([.lite])
        try machine.storeContainer("256-plain")
        // The certificate's is 1 January 2035, the key's the end of that year.
        let day: Int64 = 86_400
        let end: Int64 = 2_051_222_400
        for (now, name) in [(end - 31 * day, nil), (end - 29 * day, "expires-soon"), (end + day, "expired")] {
            let found = try await findings(machine, now: now).filter { $0.contains("container.exp") }
            #expect(found.count == (name == nil ? 0 : 1))
            if let name { #expect(found.first?.hasPrefix("warning container.\(name) the key container 0A00") == true) }
        }
    }
}

extension TestMachine {
    /// Puts a container of the vectors on the first token.
    func storeContainer(
        _ id: String, in directory: UInt16 = 0x0A00, change: (inout [UInt8: [UInt8]]) -> Void = { _ in }
    ) throws {
        let vectors = try JSON(vectors: "containers.json")
        let all = vectors.containers.list + vectors.refused.list
        let vector = try #require(all.first { $0.id.text == id })
        var files: [UInt8: [UInt8]] = [:]
        for (index, name) in ["masks", "primary", "header", "masks2", "primary2", "name"].enumerated()
        where !vector.files["\(name).key"].bytes.isEmpty {
            files[UInt8(index + 1)] = vector.files["\(name).key"].bytes
        }
        change(&files)
        try reader.card.storeContainer(files, in: directory)
    }
}
