// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing

@Suite("The list of mechanisms")
struct MechanismTests {
    /// The mechanisms of a real token in its order, with key sizes and flags.
    private static let vendorList: [(CK_MECHANISM_TYPE, ClosedRange<CK_ULONG>, CK_FLAGS)] = [
        (0x0000, 512...4096, 0x10001), (0x0001, 512...4096, 0x2B01), (0x0003, 512...4096, 0x2B01),
        (0x0009, 512...4096, 0x301), (0x000D, 512...4096, 0x2801), (0x0005, 512...4096, 0x2801),
        (0x0006, 512...4096, 0x2801), (0x0046, 512...4096, 0x2801), (0x0040, 512...4096, 0x2801),
        (0x0041, 768...4096, 0x2801), (0x0042, 768...4096, 0x2801), (0x000E, 512...4096, 0x2801),
        (0x0047, 512...4096, 0x2801), (0x0043, 512...4096, 0x2801), (0x0044, 768...4096, 0x2801),
        (0x0045, 768...4096, 0x2801), (0x0210, 0...0, 0x400), (0x0220, 0...0, 0x400), (0x0255, 0...0, 0x400),
        (0x0250, 0...0, 0x400), (0x0260, 0...0, 0x400), (0x0270, 0...0, 0x400), (0x1200, 0...0, 0x10001),
        (0x1201, 0...0, 0x2801), (0x1204, 0...0, 0x80001), (0xD432_1005, 0...0, 0x10001),
        (0xD432_1006, 0...0, 0x2801), (0xD432_1007, 0...0, 0x80001), (0xD432_1038, 0...0, 0x80001),
        (0x1210, 0...0, 0x401), (0xD432_1012, 0...0, 0x401), (0xD432_1013, 0...0, 0x401), (0x1202, 0...0, 0x2801),
        (0xD432_1008, 0...0, 0x2801), (0xD432_1009, 0...0, 0x2801), (0x1224, 0...0, 0x60001),
        (0x1221, 0...0, 0x301), (0x8000_000B, 0...0, 0x301), (0x1222, 0...0, 0x301), (0x1220, 0...0, 0x8001),
        (0x1223, 0...0, 0x2801), (0xD432_1034, 0...0, 0x8001), (0xD432_1030, 0...0, 0x8001),
        (0xD432_1035, 0...0, 0x301), (0xD432_1031, 0...0, 0x301), (0xD432_1036, 0...0, 0x301),
        (0xD432_1032, 0...0, 0x301), (0xD432_102E, 0...0, 0x301), (0xD432_102D, 0...0, 0x301),
        (0xD432_1037, 0...0, 0x2801), (0xD432_1033, 0...0, 0x2801), (0xD432_1014, 0...0, 0x2801),
        (0xD432_1015, 0...0, 0x2801), (0x1211, 0...0, 0x2800), (0x1040, 256...256, 0x191_0001),
        (0x1041, 256...256, 0x190_2801), (0x1042, 256...256, 0x190_2801), (0x1043, 256...256, 0x190_2801),
        (0x1044, 256...256, 0x190_2801), (0x1045, 256...256, 0x190_2801), (0x1046, 256...256, 0x190_2801),
        (0xD432_1028, 0...0, 0x80001), (0x0360, 0...0, 0x80001), (0xD432_102A, 0...0, 0x80001),
        (0xD432_1039, 0...0, 0x80001), (0x1050, 255...512, 0x198_0001), (0xD432_102B, 0...0, 0x60001),
        (0xD432_102C, 0...0, 0x60001), (0x8000_0003, 0...0, 0x40001), (0x0350, 80...2048, 0x98000),
    ]

    /// Mechanisms without a published definition.
    private static let unknown: [CK_MECHANISM_TYPE] = [
        CKM_KDF_HMAC3411_2012_256, CKM_VENDOR_SECURE_IMPORT, 0x8000_000B,
    ]

    @Test("what is listed stands in the vendor's order, with the vendor's key sizes and flags")
    func vendorOrder() throws {
        let library = Application(try EmulatedReader(.usb), store: Folder()).library
        let listed = try library.mechanisms(of: 0)
        #expect(Self.vendorList.map(\.0).filter { !Self.unknown.contains($0) } == listed)
        for mechanism in Self.vendorList where listed.contains(mechanism.0) {
            let information = try library.information(on: mechanism.0, in: 0)
            #expect(information.keySizes == mechanism.1 && information.flags == mechanism.2)
        }
        for mechanism in Self.vendorList where !listed.contains(mechanism.0) {
            #expect(throws: CKError.mechanismInvalid) { try library.information(on: mechanism.0, in: 0) }
        }
    }
}
