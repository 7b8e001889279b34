// SPDX-License-Identifier: Apache-2.0
import Emulator
import TestSupport
import Testing

@Suite("Byte layouts (Card, 6.3, 6.4, 7.1 and 13.1)")
struct LayoutTests {
    /// A new token's reply to CREATE FILE of the reference and then SELECT with P2 = 04.
    private static func template(_ creation: String, path: String) throws -> String {
        let card = try EmulatedCard.usb()
        card.loginUser()
        let creation = [UInt8](hex: creation)
        let path = [UInt8](hex: path)
        #expect(card.send("00A40804 0410001000") == "9000")
        #expect(card.send("00E00000" + [UInt8(creation.count)].hex + creation.hex) == "9000")
        return data(card.send("00A40804" + [UInt8(path.count)].hex + path.hex + "FF"))
    }

    @Test(
        "SELECT tells of a key what CREATE FILE said, the size in memory and the life cycle",
        arguments: [
            (
                "6225 80020020 82021000 83020001 860F470202020000000200000000000000 8506032000AA0000",
                "1000100060020001",
                "622c 80020020 81020060 8506032000aa0000 82021000 83020001 8a0105 860f470202020000000200000000000000"
            ),
            (
                "6225 80020040 82021000 83020001 860F460002000000000200000000000000 8506132000AA0000",
                "1000100060010001",
                "622c 80020040 81020080 8506132000aa0000 82021000 83020001 8a0105 860f460002000000000200000000000000"
            ),
            (
                "6F25 80020288 82021000 83020002 8506230000AA0000 860F460002020000000200000000000000",
                "1000100060020002",
                "622c 80020288 810202c8 8506230000aa0000 82021000 83020002 8a0105 860f460002020000000200000000000000"
            ),
            (
                "6F25 80020180 82021000 83020002 8506330000AA0000 860F460002000000000200000000000000",
                "1000100060010002",
                "622c 80020180 810201c0 8506330000aa0000 82021000 83020002 8a0105 860f460002000000000200000000000000"
            ),
            (
                "6225 80020024 82021000 83020003 850663E001AA0000 860F470202020000000200000000000000",
                "1000100060020003",
                "622c 80020024 81020064 850663e001aa0000 82021000 83020003 8a0105 860f470202020000000200000000000000"
            ),
            (
                "6225 82021000 80020008 83020003 85062106 00AA0000 860F430104000000 00FF000300000000 03",
                "1000100060050003",
                "622c 80020008 81020048 8506210600aa0000 82021000 83020003 8a0105 860f43010400000000ff00030000000003"
            ),
            (
                "6225 82021000 80020020 830200F0 8506820200AA4100 860F47FF0000000000FFFF0000000000FF",
                "10001000600300F0",
                "622c 80020020 81020060 8506820200aa4100 82021000 830200f0 8a0105 860f47ff0000000000ffff0000000000ff"
            ),
            (
                "6221 82020100 80020017 83021000 85020000 860F430002000000000200000000000000", "100010001000",
                "6224 80020017 81020037 82020100 83021000 8a0105 860f430002000000000200000000000000"
            ),
        ])
    func templates(creation: String, path: String, expected: String) throws {
        #expect(try Self.template(creation, path: path) == [UInt8](hex: expected).hex)
    }

    @Test("The label's file is TN, version 3, the length and the name")
    func label() throws {
        let card = try EmulatedCard(.usb, label: "Rutoken ECP 123")
        #expect(data(card.send("00A4080406 100010001000 FF")).hasPrefix("622480020017810200378202010083021000"))
        #expect(card.send("00B0000008") == "544e030000000f009000")
        #expect(card.send("00B000080F") == [UInt8]("Rutoken ECP 123".utf8).hex + "9000")
    }

    @Test("A PIN's template tells its flags, tries and policy")
    func pins() throws {
        let card = try EmulatedCard.usb()
        let first = "62248506010680aa000082021000830200018a0105860f43ff0100000000ff00000000000000"
        let second = "62248506010680aa000082021000830200028a0105860f43010200000000ff00000000000000"
        #expect(data(card.send("00CA010126")) == first)
        #expect(data(card.send("00CA010226")) == second)
        card.send("0020000208" + PIN.wrong)
        #expect(data(card.send("00CA010226")) == second.replacing("80aa", with: "80a9"))
        card.loginUser()
        card.send("002401020E 80020008 A508" + PIN.wrong)
        #expect(data(card.send("00CA010226")) == second.replacing("80aa", with: "04aa"), "raw, not the standard one")
    }

    @Test("Each profile says its versions, model and drive")
    func profiles() throws {
        for (identity, versions, hasModel) in [
            (Identity.usb3, "0143100122020222020400009000", true),
            (.flash3, "0142100122028222020400009000", true), (.ecp2, "0114100117020217020400009000", false),
        ] {
            let card = try EmulatedCard(identity)
            #expect(identity.atr.hex == "3b8b015275746f6b656e20445320c1")
            #expect(card.send("00CA01890C") == versions)
            #expect(card.send("8071000000").hasPrefix("4038011a010001" + versions.dropFirst(2).prefix(2)))
            #expect((status(card.send("00CA018580")) == "9000") == hasModel)
            #expect((status(card.send("00CA01F120")) == "9000") == hasModel)
            #expect(card.send("00CA01FE00") == "5254454d559000", "an emulator")
        }
    }

    @Test("A drive tells its size and its volumes")
    func drive() throws {
        let card = try EmulatedCard(.flash3)
        #expect(card.send("8053120004") == "000076e49000")
        let volumes = [
            "80140105014e003f010101010101", "8014020071ae003f02ffff02ffff", "8014030001f4013dff00ffffffff",
        ].map { $0 + "0000000000000000" }
        #expect(card.send("8053110000") == volumes.joined() + "9000")
        #expect(try EmulatedCard.usb().send("8053120004") == "6d00")
    }
}
