// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import Testing
import Tokens

/// The log's lines about a refused template.
@Suite("Reasons of refusals", .serialized)
struct ReasonTests {
    typealias Template = ObjectTests.Template

    @Test("a refused template's reason names the attribute, its place, and the rule, and no value")
    func templates() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let data = ObjectTests.data
        let cases: [(Template, String)] = [
            ([], "CKA_CLASS is missing"),
            ([(CKA_CLASS, [0])], "pTemplate[0] CKA_CLASS has 1 bytes, a CK_ULONG has 8"),
            (
                [(CKA_CLASS, CK_ULONG(99).bytes)],
                "pTemplate[0] CKA_CLASS is 0x63, of which no object can be made here"
            ),
            (data + [(CKA_MODULUS, [1])], "pTemplate[2] CKA_MODULUS is not an attribute of an object of CKO_DATA"),
            (data + [(0x1234_5678, [1])], "pTemplate[2] 0x12345678 is not an attribute of an object of CKO_DATA"),
            (data + [(CKA_PRIVATE, [1, 0])], "pTemplate[2] CKA_PRIVATE has 2 bytes that are not CK_TRUE or CK_FALSE"),
            (data + [(CKA_VALUE, [9])], "pTemplate[1] CKA_VALUE comes again with another value, at 2"),
            (
                Array(ObjectTests.rsaKey.dropLast()),
                "CKA_PUBLIC_EXPONENT is missing from an object of CKO_PUBLIC_KEY, CKK_RSA"
            ),
            (ObjectTests.secretKey + [(CKA_LOCAL, [1])], "pTemplate[3] CKA_LOCAL is set by the library alone"),
            (
                ObjectTests.certificate + [(CKA_CERTIFICATE_TYPE, CKC_X_509_ATTR_CERT.bytes)],
                "pTemplate[2] CKA_CERTIFICATE_TYPE is not CKC_X_509"
            ),
            (
                [(CKA_CLASS, CKO_SECRET_KEY.bytes), (CKA_KEY_TYPE, CKK_DES.bytes)],
                "CKA_KEY_TYPE is CKK_DES, which no key can have here"
            ),
        ]
        for (template, reason) in cases {
            let error = #expect(throws: CKError.self) { try application.create(session, template) }
            #expect(error?.reason?.description == reason)
        }
    }

    @Test("of several wrong attributes the first of the template is named")
    func order() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let wrong = [CKA_MODULUS, CKA_PRIME_1, CKA_EC_PARAMS, CKA_URL, CKA_SERIAL_NUMBER]
        for first in wrong {
            let template = ObjectTests.data + ([first] + wrong.filter { $0 != first }).map { ($0, [1]) }
            let error = #expect(throws: CKError.self) { try application.create(session, template) }
            #expect(error?.reason?.description.hasPrefix("pTemplate[2] ") == true)
        }
    }

    @Test("a change's reason names the attribute and what may be done with it")
    func changes() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let object = try application.create(session, ObjectTests.secretKey)
        let cases: [(Template, String)] = [
            ([(CKA_CLASS, CKO_DATA.bytes)], "pTemplate[0] CKA_CLASS never changes"),
            ([(CKA_PRIVATE, [0])], "pTemplate[0] CKA_PRIVATE can be changed in a copy only"),
            ([(CKA_LABEL, [1]), (CKA_TRUSTED, [1])], "pTemplate[1] CKA_TRUSTED can be changed by the SO only"),
        ]
        for (template, reason) in cases {
            let error = #expect(throws: CKError.self) {
                let template = try Attributes(template: template)
                try application.library.withSession(session) { session throws(CKError) in
                    try session.setAttributes(of: object, template)
                }
            }
            #expect(error?.reason?.description == reason)
        }
    }

    @Test("a mechanism's reason says what of its parameter or its key is refused")
    func mechanisms() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        let keys = try application.makeKeys(session, onToken: false)
        let cases: [(CK_MECHANISM_TYPE, [UInt8], CK_OBJECT_HANDLE, String)] = [
            (CKM_GOSTR3410, [1], keys.1, "the parameter has 1 bytes, and must have none"),
            (
                CKM_GOSTR3410_WITH_GOSTR3411, [1], keys.1,
                "the parameter of 1 bytes is not the hash function's parameter set"
            ),
            (CKM_RSA_PKCS, [], keys.1, "the key is of CKK_GOSTR3410, with which the mechanism does not work"),
            (CKM_GOSTR3410, [], keys.0, "the key is of CKO_PUBLIC_KEY, and must be of CKO_PRIVATE_KEY"),
            (0x12345, [], keys.1, "0x12345 does not work here"),
            (CKM_GOSTR3410, [], 12345, "12345 is the handle of no object that this login sees"),
            (CKM_MAGMA_ECB, [], keys.1, "the mechanism signs nothing"),
        ]
        for (type, parameter, key, reason) in cases {
            let error = #expect(throws: CKError.self) {
                try application.library.withSession(session) { session throws(CKError) in
                    try session.signInit(Mechanism(type: type, parameter: parameter), key: key)
                }
            }
            #expect(error?.reason?.description == reason)
        }
    }

    @Test("a refusal by the card is told with the card's words")
    func card() throws {
        let (_, application, session) = try TokenKeyTests.start(.usb)
        try application.library.withSession(session) { session throws(CKError) in try session.logOut() }
        let error = #expect(throws: CKError.pinIncorrect) { try application.logIn(session, "00000000") }
        #expect(error?.reason?.description == "wrong PIN")
    }

    @Test("errors with and without a reason are the same error")
    func equality() {
        let error = CKError(CKR_ARGUMENTS_BAD, "pData is NULL")
        #expect(error == CKError(CKR_ARGUMENTS_BAD))
        #expect(Set([error, CKError(CKR_ARGUMENTS_BAD)]).count == 1)
        #expect(error.line == "0x00000007 CKR_ARGUMENTS_BAD: pData is NULL")
        #expect(CKError(0x8123_4567).line == "0x81234567")
    }
}
