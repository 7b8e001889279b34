// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import Foundation
import KanalCommand
import Testing

@Suite("The doctor's report about a token")
struct ProbeCommandTests {
    /// What must not be in a report, by its name.
    private static let personal: [(name: String, text: String)] = [
        ("label", "Annas Schluessel"), ("container", "le-8f4b2c77-anna"), ("key's label", "geheimnis"),
        ("issuer", "Authority"), ("subject", "Example"), ("reader", "Virtual PCD"), ("PIN", EmulatedReader.userPIN),
    ]
    private static let serial: [UInt8] = [0x0E, 0x12, 0x34, 0x56]

    /// Each way in which a text could have the bytes.
    private static func forms(_ bytes: [UInt8]) -> [String] {
        let wide: [UInt8] = bytes.flatMap { byte -> [UInt8] in [byte, 0] }
        let bigEndian: [UInt8] = [0] + wide.dropLast()
        var forms: [String] = []
        for form in [bytes, wide, bigEndian] {
            for ordered in [form, Array(form.reversed())] {
                let digits = ordered.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                forms += [digits.joined(), digits.joined(separator: " ")]
                forms.append(String(decoding: ordered, as: UTF8.self).lowercased())
                forms.append(Data(ordered).base64EncodedString().lowercased())
            }
        }
        return forms
    }

    /// The names of what a report shows although it must not.
    private static func found(in output: [UInt8]) -> Set<String> {
        let text = String(decoding: output, as: UTF8.self).lowercased()
        var found: Set<String> = []
        for (name, secret) in personal {
            if forms(Array(secret.utf8)).contains(where: { text.contains($0) }) { found.insert(name) }
        }
        let number = "\(serial.reduce(0) { $0 << 8 | Int($1) })"
        if (forms(serial) + [number]).contains(where: { text.contains($0) }) { found.insert("serial") }
        return found
    }

    /// Puts the name of a container of keys into 1000/1003.
    private static func putContainer(_ reader: EmulatedReader) throws {
        let name = Array(personal[1].text.utf8)
        let link = try reader.connect(to: EmulatedReader.name)
        defer { link.disconnect() }
        let rights: [UInt8] = [UInt8](repeating: 0, count: 7)
        let directory: [UInt8] =
            [0x82, 2, 0x38, 0, 0x80, 2, 0, 0, 0x83, 2, 0x0A, 0, 0x86, 15, 0x43, 2, 2, 0, 0, 0, 0, 2] + rights
        let file: [UInt8] =
            [0x82, 2, 1, 0, 0x80, 2, 0x01, 0x2C, 0x83, 2, 0x0A, 0x06, 0x85, 2, 0, 0]
            + [0x86, 15, 0x43, 0, 2, 0, 0, 0, 0, 2] + rights
        let content: [UInt8] = [0x30, UInt8(name.count + 2), 0x16, UInt8(name.count)] + name
        for (header, data) in [
            ([0x00, 0x20, 0x00, 0x02], Array(EmulatedReader.userPIN.utf8)),
            ([0x00, 0xA4, 0x08, 0x00], [0x10, 0, 0x10, 3]),
            ([0x00, 0xE0, 0x00, 0x00], [0x62, UInt8(directory.count)] + directory),
            ([0x00, 0xE0, 0x00, 0x00], [0x62, UInt8(file.count)] + file), ([0x00, 0xD6, 0x00, 0x00], content),
            ([0x80, 0x40, 0x00, 0x00], []),
        ] as [([UInt8], [UInt8])] {
            let response = try link.transmit(Command(header[0], header[1], header[2], header[3], bytes: data))
            #expect(response.status == .success)
        }
    }

    @Test("doctor --probe: nothing personal is in the report, and nothing but reading commands reaches the token")
    func personalData() async throws {
        for identity in [Identity.usb, .ecp2] {
            let machine = try TestMachine([identity])
            try machine.copy("ann.pfx")
            try await machine.type("label '\(Self.personal[0].text)' --pin-source env:PIN", isShown: false)
            let source = "--password-source env:SECRET --pin-source env:PIN"
            let imported = try await machine.type("key import ~/ann.pfx --label \(Self.personal[2].text) \(source)")
            #expect(imported.status == .done)
            try Self.putContainer(machine.reader)
            let info = try await machine.type("info", isShown: false).output
            let all: Set = ["serial", "label", "container", "reader"]
            #expect(Set(Self.found(in: info)) == all, "what is looked for can be found")

            let before = machine.reader.headers.count
            for command in ["doctor --probe", "doctor --probe --json"] {
                let (status, output) = try await machine.type(command, isShown: false)
                #expect(status == .done && !output.isEmpty)
                #expect(Self.found(in: output).isEmpty, "\(String(decoding: output, as: UTF8.self))")
                let text = String(decoding: output, as: UTF8.self)
                #expect(text.contains("83020a06"), "the container's files are in it by their numbers")
                #expect(text.contains("8002012c"), "and their sizes")
            }
            let reading: Set<[UInt8]> = [
                [0x00, 0xA4], [0x00, 0xB0], [0x00, 0xCA], [0x80, 0xCA], [0x80, 0x71], [0x80, 0x7E], [0x80, 0x53],
                [0x80, 0x55], [0x80, 0x56],
            ]
            #expect(Set(machine.reader.headers[before...].map { Array($0.prefix(2)) }).isSubset(of: reading))
        }
    }

    @Test("doctor --probe: a token that answers with its serial number where nobody expects it is not given away")
    func unexpectedAnswers() async throws {
        let machine = try TestMachine([.usb])
        machine.reader.onResponse { _, instruction, response in
            guard [0x53, 0x55, 0x56].contains(instruction) else { return response }
            return Response(.success, data: [1] + Self.serial + Self.serial.reversed() + Array("0e123456".utf8))
        }
        let (status, output) = try await machine.type("doctor --probe", isShown: false)
        #expect(status == .done && Self.found(in: output).isEmpty)
    }

    @Test("doctor --probe: the report of each kind of token, without and with a channel")
    func reports() async throws {
        let machine = try TestMachine([.usb, .lite, .bt])
        try await machine.type("doctor --probe")
        try await machine.type("pair 0e123458 --password-source env:PASSWORD", isShown: false)
        let paired = try await machine.type("doctor --probe --json", isShown: false)
        #expect(String(decoding: paired.output, as: UTF8.self).contains("\"way\" : \"channel\""))
        #expect(Self.found(in: paired.output).isEmpty)
        try await machine.type("doctor --probe --log ~/log")
        try await machine.type("doctor --probe --log ~/log", .russian)
        let empty = try TestMachine([nil])
        try await empty.type("doctor --probe", isShown: false)
        #expect(try await empty.type("doctor --probe", isShown: false).status == .noToken)
        let lite = try TestMachine([.lite])
        lite.screen = machine.screen
        try await lite.type("doctor --probe --json")
        try await lite.type("info")
        try await lite.type("key generate --pin-source env:PIN")
        try await lite.type("key generate --pin-source env:PIN", .russian)
        try lite.screen.expect("probe")
    }
}
