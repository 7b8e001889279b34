// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Testing
import Tokens

/// Every rule of every class of objects that a template can break, one at a time.
@Suite("Templates of all classes", .serialized)
struct TemplateTests {
    /// The attributes that the standard requires.
    private static let required: Set<CK_ATTRIBUTE_TYPE> = [
        CKA_CLASS, CKA_MODULUS, CKA_PUBLIC_EXPONENT, CKA_PRIVATE_EXPONENT, CKA_EC_PARAMS, CKA_EC_POINT,
    ]

    /// The attributes of a class that only the library sets.
    private static func readOnly(_ objectClass: CK_OBJECT_CLASS) -> [CK_ATTRIBUTE_TYPE] {
        switch objectClass {
        case CKO_PUBLIC_KEY: [CKA_LOCAL, CKA_KEY_GEN_MECHANISM]
        case CKO_PRIVATE_KEY, CKO_SECRET_KEY:
            [CKA_LOCAL, CKA_KEY_GEN_MECHANISM, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE]
        default: []
        }
    }

    private static let numbers: Set<CK_ATTRIBUTE_TYPE> = [CKA_KEY_GEN_MECHANISM]

    @Test("each rule that a template breaks has its code, and nothing is made", arguments: ObjectTests.all)
    func rules(_ template: ObjectTests.Template) throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let objectClass = try #require(try Attributes(template: template).number(CKA_CLASS))
        func expect(_ error: CKError, _ template: ObjectTests.Template) {
            let thrown = #expect(throws: error, "\(template)") { try application.create(session, template) }
            #expect(thrown?.reason?.description.contains("CKA_") == true || thrown == .attributeTypeInvalid)
        }
        let isRequired = { (type: CK_ATTRIBUTE_TYPE) in
            Self.required.contains(type) || (type == CKA_VALUE && objectClass != CKO_DATA)
        }
        for attribute in template where isRequired(attribute.type) {
            expect(.templateIncomplete, template.filter { $0.type != attribute.type })
        }
        for type in Self.readOnly(objectClass) {
            let value = Self.numbers.contains(type) ? CK_ULONG(0).bytes : [1]
            expect(.attributeReadOnly, template + [(type, value)])
        }
        for type in [CKA_TOKEN, CKA_PRIVATE, CKA_MODIFIABLE, CKA_COPYABLE, CKA_DESTROYABLE] {
            for value in [[], [2], [0, 0]] as [[UInt8]] { expect(.attributeValueInvalid, template + [(type, value)]) }
        }
        for type in [CKA_HW_FEATURE_TYPE, CKA_PRIME, 0x7FFF_FFFF, CK_ULONG.max] {
            expect(.attributeTypeInvalid, template + [(type, CK_ULONG(0).bytes)])
        }
        for value in [[], [0], CK_ULONG(0).bytes + [0]] as [[UInt8]] {
            expect(.attributeValueInvalid, [(CKA_CLASS, value)] + template.filter { $0.type != CKA_CLASS })
        }
        expect(.templateInconsistent, template + [(CKA_LABEL, [1]), (CKA_LABEL, [2])])
        #expect(try application.find(session).isEmpty)
    }
}
