// SPDX-License-Identifier: Apache-2.0
import PCSC
import Testing

@Suite("What a reader says of itself (PC/SC part 10)")
struct ReaderPropertiesTests {
    @Test("the control code of the properties stands behind tag 12, big-endian")
    func features() {
        let features: [UInt8] = [0x06, 4, 0x42, 0x33, 0x00, 0x06, 0x12, 4, 0x42, 0x33, 0x00, 0x12]
        #expect(ReaderProperties.controlCode(of: .properties, in: features) == 0x4233_0012)
        #expect(ReaderProperties.controlCode(of: .properties, in: Array(features.prefix(6))) == nil)
        #expect(ReaderProperties.controlCode(of: .properties, in: []) == nil)
    }

    @Test("the greatest size of an APDU's data stands behind tag 0A, little-endian")
    func properties() {
        let properties: [UInt8] = [0x01, 2, 0x10, 0x00, 0x0A, 4, 0x00, 0x08, 0x01, 0x00, 0x0B, 2, 0x34, 0x12]
        #expect(ReaderProperties(parsing: properties).maximumAPDUData == 0x1_0800)
        #expect(ReaderProperties(parsing: [0x01, 2, 0x10, 0x00]).maximumAPDUData == nil)
    }

    @Test(
        "contacts that are not active, a contactless type and a contactless reader each tell of a contactless card",
        arguments: [
            ([:], false), ([0x0009_0301: [1]], false), ([0x0009_0301: [0]], true), ([0x0009_0301: []], false),
            ([0x0009_0304: [1]], false), ([0x0009_0304: [5]], true), ([0x0009_0304: [7]], true),
            ([0x0009_0304: [8]], false), ([0x0006_0150: [8, 0, 0, 0]], true), ([0x0006_0150: [7, 0, 0, 0]], false),
            ([0x0006_0150: [8]], false), ([0x0009_0301: [0, 0]], false),
        ] as [([UInt: [UInt8]], Bool)])
    func contacts(_ attributes: [UInt: [UInt8]], _ isContactless: Bool) {
        #expect(ReaderProperties.areContactless { attributes[$0] ?? [] } == isContactless)
    }

    @Test("an answer cut short anywhere is read as far as it goes", arguments: 0..<10)
    func truncated(_ count: Int) {
        let properties: [UInt8] = [0x01, 2, 0x10, 0x00, 0x0A, 4, 0x00, 0x08, 0x01, 0x00]
        #expect(ReaderProperties(parsing: Array(properties.prefix(count))).maximumAPDUData == nil)
        let features: [UInt8] = [0x06, 4, 0x42, 0x33, 0x00, 0x06, 0x12, 4, 0x42, 0x33]
        #expect(ReaderProperties.controlCode(of: .properties, in: Array(features.prefix(count))) == nil)
    }
}
