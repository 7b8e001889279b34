// SPDX-License-Identifier: Apache-2.0
import PCSC
import TestSupport
import Testing

@Suite("What the kernel tells of a reader on USB")
struct USBReaderTests {
    @Test(
        "the place is 0020, bus and device, little-endian",
        arguments: [
            ("01012000", "189:0"), ("05032000", "189:260"), ("80022000", "189:255"), ("0503200000000000", "189:260"),
            ("", nil), ("010120", nil), ("0101200000", nil), ("00012000", nil), ("01002000", nil), ("81012000", nil),
            ("01010100", nil), ("01012100", nil), ("01012001", nil), ("0101200001000000", nil), ("00200101", nil),
        ] as [(String, String?)])
    func place(_ attribute: String, _ device: String?) {
        let path = device.map { "/sys/dev/char/\($0)/descriptors" }
        #expect(USBReader.descriptors(at: [UInt8](hex: attribute)) == path)
    }

    /// Descriptors of a device and its configuration.
    private static let start = "12010002000000408900300000010102000109024b00010100a032"

    /// Descriptors of an interface, of a class, and of its two ends.
    private static func interface(_ number: UInt8, _ smartCardClass: UInt8, _ classDescriptor: String?) -> String {
        let head = [0x09, 0x04, number, 0x00, 0x02, smartCardClass, 0x00, 0x00, 0x00].hex
        return head + (classDescriptor ?? "") + "0705020240000007058102400000"
    }

    /// A class descriptor of smart card readers.
    private static func reader(_ features: String) -> String {
        "36211001" + "0007" + "03000000" + "fc0d0000" + "fc0d0000" + "00" + "80250000" + "80250000" + "00" + "fe000000"
            + "00000000" + "00000000" + features + "0f010000" + "ffff00000001"
    }

    @Test(
        "a device is a card if all of its interfaces for smart cards say so",
        arguments: [
            // A token, with short and with extended APDUs.
            ([(0x0B, "40080200")], true), ([(0x0B, "40080400")], true),
            // Readers with a slot, one of which powers cards on by itself; bits of a token's among others.
            ([(0x0B, "b8040200")], false), ([(0x0B, "be040200")], false), ([(0x0B, "44080200")], false),
            ([(0x0B, "400a0200")], false), ([(0x0B, "40080200"), (0x0B, "b8040200")], false),
            ([(0x0B, "40080200"), (0x0B, "40080200")], true),
            // With a drive beside it; no reader; a maker's own class; a reader without a class descriptor.
            ([(0x08, nil), (0x0B, "40080200")], true), ([(0x08, nil)], false), ([(0xFF, "40080200")], false),
            ([(0x0B, nil)], false), ([(0x0B, "40080200"), (0x0B, nil)], false), ([], false),
        ] as [([(UInt8, String?)], Bool)])
    func features(_ interfaces: [(UInt8, String?)], _ expected: Bool) {
        let parts = interfaces.enumerated().map { index, part in
            Self.interface(UInt8(index), part.0, part.1.map(Self.reader))
        }
        let descriptors = [UInt8](hex: Self.start + parts.joined())
        #expect(USBReader.isCard(descriptors) == expected)
        #expect(!USBReader.isCard(descriptors + [0]))
        #expect(!USBReader.isCard(descriptors + [9, 4]))
        #expect(!USBReader.isCard([]))
        // No length from outside makes it trap.
        for count in descriptors.indices { _ = USBReader.isCard(Array(descriptors.prefix(count))) }
    }
}
