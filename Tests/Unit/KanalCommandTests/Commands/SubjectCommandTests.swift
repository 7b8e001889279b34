// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalCommand
import TestSupport
import Testing

@Suite("Names of those who shall get certificates")
struct SubjectCommandTests {
    private static let request = "cert request --pin-source env:PIN --key ann --der -o ~/name.csr --overwrite"

    @Test("Types of Russian law are asked for by their Russian names, in any case, as by OpenSSL's")
    func russian() async throws {
        let machine = try await ObjectCommandTests.machine()
        for (name, type, identifier, number) in [
            ("ИНН", "INN", [0x2A, 0x85, 0x03, 0x03, 0x81, 0x03, 1, 1], "123456789012"),
            ("снилс", "SNILS", [0x2A, 0x85, 0x03, 0x64, 3], "12345678901"),
            ("ОГРН", "ogrn", [0x2A, 0x85, 0x03, 0x64, 1], "1234567890123"),
            ("ОГРНИП", "OGRNIP", [0x2A, 0x85, 0x03, 0x64, 5], "123456789012345"),
            ("ИНН ЮЛ", "INNLE", [0x2A, 0x85, 0x03, 0x64, 4], "1234567890"),
        ] as [(String, String, [UInt8], String)] {
            for name in [name, type] {
                let line = "\(Self.request) --subject 'CN=Анна, \(name) = \(number)'"
                let status = try await machine.type(line, isShown: false).status
                #expect(status == .done, "\(name): \(machine.messages)")
                let element = identifier + [0x12, UInt8(number.utf8.count)] + Array(number.utf8)
                #expect(try machine.read("name.csr").contains(element), "\(name)")
            }
        }
    }

    @Test("Names of certificates have Russian names of types for people who read Russian, and OpenSSL's for programs")
    func shown() async throws {
        let openssl = try OpenSSL()
        try openssl.run(
            "req -x509 -newkey \(OpenSSL.p256) -nodes -keyout key -out own -utf8 -subj "
                + "/CN=Ann/INN=123456789012/SNILS=12345678901/OGRN=1234567890123")
        let machine = try TestMachine()
        try machine.write(String(decoding: try openssl.read("own"), as: UTF8.self), "own.pem")
        try await machine.type("cert import --pin-source env:PIN ~/own.pem", isShown: false)
        let (english, russian) = (
            "CN=Ann, INN=123456789012, SNILS=12345678901, OGRN=1234567890123",
            "CN=Ann, ИНН=123456789012, СНИЛС=12345678901, ОГРН=1234567890123"
        )
        for command in ["cert show", "list --public"] {
            func shown(_ options: String, _ language: Screen.Language) async throws -> String {
                String(
                    decoding: try await machine.type(command + options, language, isShown: false).output, as: UTF8.self)
            }
            #expect(try await shown("", .english).contains(english), "\(command)")
            #expect(try await shown("", .russian).contains(russian), "\(command)")
            #expect(try await shown(" --json", .russian).contains(english), "\(command)")
        }
    }

    @Test("A name that cannot be read is refused with its wrong part, the reason and the right form, before the PIN")
    func refused() async throws {
        let machine = try TestMachine()
        for subject in [
            "CN=Ann,ИНН=12ab", "INNLE=77012345678", "СНИЛС=123-456-789 01", "OGRN=1", "огрнип=1", "C=Russia",
            "CN=Ann,ИН=123456789012", "SNISL=12345678901", "colour=red", "1.2.x=1", "Ann", "=Ann", "CN=Ann,,O=X", "CN=",
            "CN=Ann+O=X", "CN=\"Ann\"", "CN=Ann\\", "CN=\\ff", "CN=#0c034", "serialNumber=Ё",
            "CN=\(String(repeating: "a", count: 65))", "CN=\\1b[2J,O",
        ] {
            try await machine.type("cert request --key ann --subject '\(subject)'")
            try await machine.type("cert request --key ann --subject '\(subject)'", .russian)
        }
        machine.screen.mask(pattern: "! (Usage|Вызов): .*\\n!.*\\n", as: "")
        try machine.screen.expect("subject-refused")
    }

    @Test("Without --subject a person is asked for each field, and again after a wrong answer")
    func asked() async throws {
        let machine = try await ObjectCommandTests.machine()
        let answers = [
            "", String(repeating: "a", count: 65), "Ann, of Example", "Example", "", " ", "", "Example, Ltd",
            "ann@x.example",
            "12ab", "123456789012", "123-456-789 01", "12345678901", "", "", "", "", "Moscow", "", "Russia", "ru",
        ]
        #expect(try await machine.type(Self.request, answers: answers).status == .done)
        let request = try machine.read("name.csr")
        for text in ["Ann, of Example", "Example, Ltd", "ann@x.example", "123456789012", "12345678901", "Moscow", "ru"]
        {
            #expect(request.contains([UInt8(text.utf8.count)] + Array(text.utf8)), "\(text)")
        }
        // A request has the field nearest to its owner at the end.
        let places = ["ru", "Moscow", "Ann, of Example"].compactMap {
            request.firstRange(of: Array($0.utf8))?.lowerBound
        }
        #expect(places.count == 3 && places == places.sorted())
        try await machine.type(Self.request, answers: answers, .russian)
        try machine.screen.expect("subject-asked")
    }

    @Test("Ctrl-C at any question ends without a request, without a login, and with the token as it was")
    func cancelled() async throws {
        let machine = try await ObjectCommandTests.machine()
        let before = try await machine.type("list --pin-source env:PIN --json", isShown: false).output
        for count in 0..<16 {
            let answers = ["Ann"] + Array(repeating: "", count: 15)
            let line = "cert request --pin-source env:WRONG --key ann -o ~/name.csr"
            let (status, output) = try await machine.type(
                line, answers: Array(answers.prefix(count)), isShown: count == 1)
            #expect(status == .cancelled && output.isEmpty, "\(count)")
        }
        #expect(throws: (any Error).self) { try machine.read("name.csr") }
        #expect(try await machine.type("list --pin-source env:PIN --json", isShown: false).output == before)
        try await machine.type("cert request --key ann", answers: [], .russian)
        try machine.screen.expect("subject-cancelled")
    }

    @Test("Without a terminal the name is an option")
    func absent() async throws {
        let machine = try await ObjectCommandTests.machine()
        try await machine.type("cert request --pin-source env:PIN --key ann")
        try await machine.type("cert request --pin-source env:PIN --key ann", .russian)
        try await machine.type("cert request --pin-source env:PIN --key ann --json")
        try machine.screen.expect("subject-absent")
    }
}
