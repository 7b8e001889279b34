// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import KanalCommand
import Testing

@Suite("XML documents")
struct DocumentCommandTests {
    private let machine: TestMachine

    init() async throws {
        machine = try await ObjectCommandTests.machine()
        try machine.copy("ca.pem")
        let order = "<o:order xmlns:o='urn:order'><o:item Id='first'>5</o:item></o:order>\n"
        try machine.write(Array(order.utf8), "order.xml")
        try machine.write(Array("<!DOCTYPE a><a/>".utf8), "type.xml")
        try machine.write(Array("<a>".utf8), "open.xml")
    }

    @Test("Documents are signed and verified, what is covered is shown, and all refusals name their causes")
    func documents() async throws {
        let sign = "sign --xml --pin-source env:PIN --key ann"
        try await machine.type("\(sign) ~/order.xml")
        try await machine.type("verify --xml --ca ~/ca.pem ~/order.xml.signed.xml")
        try await machine.type("\(sign) ~/order.xml --element first --overwrite", isShown: false)
        try await machine.type("verify --xml --ca ~/ca.pem ~/order.xml.signed.xml")
        try await machine.type("verify --xml --signature-only ~/order.xml.signed.xml --json")
        let verify = "verify --xml --ca ~/ca.pem ~/order.xml.signed.xml --element"
        for path in ["/{urn:order}order/{urn:order}item", "{urn:order}order", "/order", "order/item"] {
            try await machine.type("\(verify) \(path)")
        }
        let signed = String(decoding: try machine.read("order.xml.signed.xml"), as: UTF8.self)
        try machine.write(Array(signed.replacing(">5<", with: ">6<").utf8), "changed.xml")
        try await machine.type("verify --xml --ca ~/ca.pem ~/changed.xml ~/order.xml ~/type.xml ~/open.xml")
        try await machine.type("\(sign) --overwrite ~/order.xml ~/type.xml ~/open.xml")
        for options in [
            "--element second", "--place #second", "--place {urn:order}order/", "--profile wss", "--cms", "--base64",
        ] {
            try await machine.type("\(sign) --overwrite ~/order.xml \(options)")
        }
        try await machine.type("sign ~/order.xml --profile smev")
        try await machine.type("verify --xml ~/order.xml.signed.xml")
        try await machine.type("verify --xml --ca ~/ca.pem ~/order.xml.signed.xml --content ~/order.xml")
        try await machine.type("verify ~/order.xml --element /order")
        try machine.screen.expect("documents")
    }
}
