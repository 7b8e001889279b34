// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Testing

@Suite("What the token tells of its channel")
struct FeatureTests {
    private static func features(_ identity: Identity) throws -> Attributes {
        let passwords = identity.channel == nil ? [] : [Application.password]
        let application = Application(try EmulatedReader(identity, passwords: passwords), store: Folder())
        if !passwords.isEmpty { try application.activate() }
        let session = try application.open()
        let found = try application.find(
            session, [(CKA_CLASS, CKO_HW_FEATURE.bytes), (CKA_HW_FEATURE_TYPE, CKH_VENDOR_TOKEN_INFO.bytes)])
        #expect(found.count == 1)
        // PKCS #11 v2.40, 4.3.1: a search that does not name the class does not find its objects.
        let others = try application.library.withSession(session) { session throws(CKError) in
            try session.findObjectsInit(Attributes())
            return try session.findObjects(limit: 10)
        }
        #expect(others == [])
        let object = try #require(found.first)
        #expect(throws: CKError.actionProhibited) {
            try application.library.withSession(session) { session throws(CKError) in
                try session.destroyObject(object)
            }
        }
        return try application.attributes(session, of: object)
    }

    @Test("the object tells whether messages are protected, how, and how they could be")
    func secureMessaging() throws {
        let plain = try Self.features(.usb)
        #expect(try plain.bool(CKA_VENDOR_SECURE_MESSAGING_AVAILABLE) == false)
        #expect(try plain.number(CKA_VENDOR_CURRENT_SECURE_MESSAGING_MODE) == SECURE_MESSAGING_UNSUPPORTED)
        #expect(plain[CKA_VENDOR_SUPPORTED_SECURE_MESSAGING_MODES] == SECURE_MESSAGING_UNSUPPORTED.bytes)
        #expect(try plain.number(CKA_VENDOR_CURRENT_TOKEN_INTERFACE) == INTERFACE_TYPE_USB)
        #expect(try plain.bool(0x8000_800D) == false && plain.number(0x8000_800E) == 0)

        let classic = try Self.features(.bt(.classic))
        #expect(try classic.bool(CKA_VENDOR_SECURE_MESSAGING_AVAILABLE) == true)
        #expect(try classic.number(CKA_VENDOR_CURRENT_SECURE_MESSAGING_MODE) == SECURE_MESSAGING_GOST)
        #expect(classic[CKA_VENDOR_SUPPORTED_SECURE_MESSAGING_MODES] == SECURE_MESSAGING_GOST.bytes)

        let both = try Self.features(.bt)
        #expect(try both.number(CKA_VENDOR_CURRENT_SECURE_MESSAGING_MODE) == SECURE_MESSAGING_ENHANCED_GOST)
        #expect(
            both[CKA_VENDOR_SUPPORTED_SECURE_MESSAGING_MODES]
                == SECURE_MESSAGING_GOST.bytes + SECURE_MESSAGING_ENHANCED_GOST.bytes)
        #expect(try both.number(CKA_VENDOR_CURRENT_TOKEN_INTERFACE) == INTERFACE_TYPE_BT)
        #expect(both[CKA_VENDOR_MODEL_NAME] == Array("Rutoken ECP BT (emulated)".utf8))
    }

    @Test("the object tells whether there is a drive")
    func drive() throws {
        #expect(try Self.features(.flash3).bool(CKA_VENDOR_FLASH_DRIVE_AVAILABLE) == true)
        for identity in [Identity.usb3, .ecp2, .bt] {
            #expect(try Self.features(identity).bool(CKA_VENDOR_FLASH_DRIVE_AVAILABLE) == false)
        }
    }
}
