// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import TestSupport
import Testing

@Suite("Keys of RSA in a session", .serialized)
struct RSAKeyTests {
    static let secrets = [
        CKA_PRIVATE_EXPONENT, CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2, CKA_COEFFICIENT,
    ]

    private static func generate(
        _ scene: SecretKeyScene, _ publicTemplate: ObjectTests.Template, _ privateTemplate: ObjectTests.Template = []
    ) throws(CKError) -> (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) {
        let publicTemplate = try Attributes(template: publicTemplate)
        let privateTemplate = try Attributes(template: privateTemplate)
        return try scene.inSession { session throws(CKError) in
            try session.generateKeyPair(
                Mechanism(CKM_RSA_PKCS_KEY_PAIR_GEN), publicTemplate: publicTemplate, privateTemplate: privateTemplate)
        }
    }

    @Test("a key pair that is made has the numbers of the standard's tables, and says where it comes from")
    func generation() throws {
        let scene = try SecretKeyScene()
        let keys = try Self.generate(
            scene, [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes), (CKA_PUBLIC_EXPONENT, [3])], [(CKA_ID, [7])])
        let publicKey = try scene.application.attributes(scene.session, of: keys.0)
        let privateKey = try scene.application.attributes(scene.session, of: keys.1)
        for attributes in [publicKey, privateKey] {
            #expect(attributes[CKA_MODULUS]?.count == 128)
            #expect(attributes[CKA_PUBLIC_EXPONENT] == [3])
            #expect(try attributes.number(CKA_KEY_TYPE) == CKK_RSA)
            #expect(try attributes.bool(CKA_LOCAL) == true)
            #expect(try attributes.number(CKA_KEY_GEN_MECHANISM) == CKM_RSA_PKCS_KEY_PAIR_GEN)
            #expect(try attributes.bool(CKA_TOKEN) == false)
        }
        #expect(publicKey[CKA_MODULUS] == privateKey[CKA_MODULUS])
        #expect(try publicKey.number(CKA_MODULUS_BITS) == 1024)
        #expect(privateKey[CKA_MODULUS_BITS] == nil)
        #expect(privateKey[CKA_ID] == [7])
        for type in [CKA_SENSITIVE, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE, CKA_PRIVATE] {
            #expect(try privateKey.bool(type) == true)
        }
        for type in Self.secrets {
            #expect(privateKey[type] == nil && Session.isSensitive(type, in: privateKey))
        }
    }

    @Test("the numbers of a private key show while it is neither sensitive nor kept in, and make an RSA key")
    func readable() throws {
        let (scene, openssl) = (try SecretKeyScene(), try OpenSSL())
        let keys = try Self.generate(
            scene, [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes)], [(CKA_SENSITIVE, [0]), (CKA_EXTRACTABLE, [1])])
        let attributes = try scene.application.attributes(scene.session, of: keys.1)
        #expect(try attributes.bool(CKA_ALWAYS_SENSITIVE) == false)
        #expect(try attributes.bool(CKA_NEVER_EXTRACTABLE) == false)
        let numbers = try ([CKA_MODULUS, CKA_PUBLIC_EXPONENT] + Self.secrets).map { try #require(attributes[$0]) }
        let der = [UInt8].object(0x30, ([[]] + numbers).flatMap { [UInt8].object(0x02, [0] + $0) })
        try openssl.write(der, "key")
        #expect(try openssl.run("rsa -inform DER -in key -check -noout") == "RSA key ok\n")

        try scene.application.set(scene.session, keys.1, [(CKA_SENSITIVE, [1])])
        let hidden = try scene.application.attributes(scene.session, of: keys.1)
        for type in Self.secrets { #expect(hidden[type] == nil && Session.isSensitive(type, in: hidden)) }
    }

    @Test("Zeros before a Big integer are no part of it, in objects and in searches", arguments: [0, 1] as [UInt8])
    func leadingZeros(isToken: UInt8) throws {
        let scene = try RSAScene()
        let (application, session) = (scene.scene.application, scene.scene.session)
        let types = [CKA_MODULUS, CKA_PUBLIC_EXPONENT] + Self.secrets
        let numbers = Dictionary(uniqueKeysWithValues: zip(types, scene.numbers.map { Array($0.drop { $0 == 0 }) }))
        func padded(_ template: ObjectTests.Template) -> ObjectTests.Template {
            template.map { type, value in (type, numbers[type].map { [0, 0] + $0 } ?? value) }
        }
        let publicKey = try scene.create(padded(scene.publicTemplate) + [(CKA_TOKEN, [isToken])])
        let privateKey = try scene.create(
            padded(scene.privateTemplate) + [(CKA_SENSITIVE, [0]), (CKA_EXTRACTABLE, [1])])
        for (type, number) in numbers {
            #expect(try scene.attributes(of: privateKey)[type] == number)
            let isPublic = [CKA_MODULUS, CKA_PUBLIC_EXPONENT].contains(type)
            if isPublic { #expect(try scene.attributes(of: publicKey)[type] == number) }
            for zeros in 0...2 {
                let value = [UInt8](repeating: 0, count: zeros) + number
                let found = Set(try application.find(session, [(type, value)]))
                #expect(found == (isPublic ? [publicKey, privateKey] : [privateKey]), "\(type), \(zeros)")
            }
        }
        #expect(try scene.attributes(of: publicKey).number(CKA_MODULUS_BITS) == 1024)

        let d = [UInt8](repeating: 5, count: 31)
        let key = try scene.create([
            (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CKK_EC.bytes), (CKA_SENSITIVE, [0]),
            (CKA_EXTRACTABLE, [1]), (CKA_EC_PARAMS, [UInt8](hex: "06082A8648CE3D030107")), (CKA_VALUE, [0, 0] + d),
        ])
        for zeros in 0...2 {
            #expect(try application.find(session, [(CKA_VALUE, [UInt8](repeating: 0, count: zeros) + d)]) == [key])
        }
    }

    @Test("the private template of a key pair can have the public exponent, too")
    func publicExponent() throws {
        let scene = try SecretKeyScene()
        let bits: ObjectTests.Template = [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes)]
        func exponents(_ publicKey: [UInt8]?, _ privateKey: [UInt8]) throws -> [[UInt8]?] {
            var template = bits
            if let publicKey { template.append((CKA_PUBLIC_EXPONENT, publicKey)) }
            let keys = try Self.generate(scene, template, [(CKA_PUBLIC_EXPONENT, privateKey)])
            return try [keys.0, keys.1].map {
                try scene.application.attributes(scene.session, of: $0)[CKA_PUBLIC_EXPONENT]
            }
        }
        #expect(try exponents([3], [3]) == [[3], [3]])
        #expect(try exponents([3], [0, 3]) == [[3], [3]])
        #expect(try exponents(nil, [1, 0, 1]) == [[1, 0, 1], [1, 0, 1]])
        #expect(try exponents([0, 1, 0, 1], [1, 0, 1]) == [[1, 0, 1], [1, 0, 1]])
        let token: ObjectTests.Template = [(CKA_TOKEN, [1]), (CKA_PUBLIC_EXPONENT, [1, 0, 1])]
        let key = try Self.generate(scene, bits + token, token).1
        #expect(try scene.application.attributes(scene.session, of: key)[CKA_PUBLIC_EXPONENT] == [1, 0, 1])
    }

    @Test("templates of a key pair are checked")
    func templates() throws {
        let scene = try SecretKeyScene()
        let bits: ObjectTests.Template = [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes)]
        let cases: [(ObjectTests.Template, ObjectTests.Template, CKError)] = [
            ([], [], .templateIncomplete),
            ([(CKA_MODULUS_BITS, [4])], [], .attributeValueInvalid),
            ([(CKA_MODULUS_BITS, CK_ULONG(511).bytes)], [], CKError(CKR_KEY_SIZE_RANGE)),
            ([(CKA_MODULUS_BITS, CK_ULONG(4097).bytes)], [], CKError(CKR_KEY_SIZE_RANGE)),
            ([(CKA_MODULUS_BITS, CK_ULONG.unavailable.bytes)], [], CKError(CKR_KEY_SIZE_RANGE)),
            (bits + [(CKA_PUBLIC_EXPONENT, [4])], [], .attributeValueInvalid),
            (bits + [(CKA_MODULUS, [1])], [], .attributeReadOnly),
            (bits + [(CKA_KEY_TYPE, CKK_EC.bytes)], [], .templateInconsistent),
            (bits, [(CKA_KEY_TYPE, CK_ULONG(0xFFFF).bytes)], .attributeValueInvalid),
            (bits, [(CKA_CLASS, CKO_PUBLIC_KEY.bytes)], .templateInconsistent),
            (bits, [(CKA_PRIVATE_EXPONENT, [1])], .attributeReadOnly),
            (bits, [(CKA_EC_PARAMS, [1])], .attributeTypeInvalid),
            (bits, [(CKA_PUBLIC_EXPONENT, [3])], .templateInconsistent),
            (bits + [(CKA_PUBLIC_EXPONENT, [3])], [(CKA_PUBLIC_EXPONENT, [1, 0, 1])], .templateInconsistent),
        ]
        for (publicTemplate, privateTemplate, error) in cases {
            #expect(throws: error, "\(publicTemplate) \(privateTemplate)") {
                try Self.generate(scene, publicTemplate, privateTemplate)
            }
        }
    }

    @Test("a private key without a public exponent gets it from its factors, and computes")
    func missingExponent() throws {
        let scene = try RSAScene()
        func without(_ missing: [CK_ATTRIBUTE_TYPE]) -> ObjectTests.Template {
            scene.privateTemplate.filter { !missing.contains($0.type) }
        }
        for place in [UInt8(0), 1] {
            let key = try scene.create(without([CKA_PUBLIC_EXPONENT]) + [(CKA_TOKEN, [place])])
            #expect(try scene.attributes(of: key)[CKA_PUBLIC_EXPONENT] == scene.numbers[1])
            let publicKey = try scene.create(scene.publicTemplate)
            let mechanism = Mechanism(type: CKM_SHA256_RSA_PKCS, parameter: [])
            let signature = try scene.scene.sign(mechanism, key, [[1, 2, 3]])
            try scene.scene.verify(mechanism, publicKey, [1, 2, 3], signature)
        }
        let factors = [CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2, CKA_COEFFICIENT]
        let huge = [UInt8](repeating: 0xFF, count: 100_000)
        let cases: [(ObjectTests.Template, CKError)] = [
            (without([CKA_PUBLIC_EXPONENT] + factors), .templateIncomplete),
            (without([CKA_PUBLIC_EXPONENT, CKA_COEFFICIENT]), .templateIncomplete),
            (without([CKA_PUBLIC_EXPONENT, CKA_EXPONENT_1]) + [(CKA_EXPONENT_1, [3])], .attributeValueInvalid),
            (without([CKA_PUBLIC_EXPONENT, CKA_PRIME_1]) + [(CKA_PRIME_1, [7])], .attributeValueInvalid),
            (without([CKA_PUBLIC_EXPONENT, CKA_PRIME_1]) + [(CKA_PRIME_1, huge)], .attributeValueInvalid),
        ]
        for (template, error) in cases { #expect(throws: error) { try scene.create(template) } }
    }

    @Test("a private key is created with or without its factors, and hides them unless asked not to")
    func creation() throws {
        let scene = try RSAScene()
        for template in [scene.shortTemplate, scene.privateTemplate] {
            let hidden = try scene.attributes(of: scene.create(template))
            #expect(hidden[CKA_MODULUS] == scene.numbers[0] && hidden[CKA_PUBLIC_EXPONENT] == scene.numbers[1])
            for type in [CKA_LOCAL, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE, CKA_EXTRACTABLE] {
                #expect(try hidden.bool(type) == false)
            }
            #expect(try hidden.bool(CKA_SENSITIVE) == true)
            for type in Self.secrets { #expect(hidden[type] == nil && Session.isSensitive(type, in: hidden)) }
            let shown = try scene.attributes(
                of: scene.create(template + [(CKA_SENSITIVE, [0]), (CKA_EXTRACTABLE, [1])]))
            for (type, value) in template { #expect(shown[type] == value) }
            // A key that came without its factors has them, in either order.
            let factors = [CKA_PRIME_1, CKA_PRIME_2].map { shown[$0] ?? [] }
            #expect(Set(factors) == Set(scene.numbers[3...4]))
        }
        let publicKey = try scene.attributes(of: scene.create(scene.publicTemplate))
        #expect(try publicKey.number(CKA_MODULUS_BITS) == 1024)
    }

    @Test("numbers that make no key are refused")
    func badNumbers() throws {
        let scene = try RSAScene()
        func changed(_ template: ObjectTests.Template, _ type: CK_ATTRIBUTE_TYPE, _ value: [UInt8]?)
            -> ObjectTests.Template
        {
            template.compactMap { entry in entry.type == type ? value.map { (type, $0) } : entry }
        }
        let (key, short, open) = (scene.privateTemplate, scene.shortTemplate, scene.publicTemplate)
        let cases: [(ObjectTests.Template, CKError)] = [
            (changed(key, CKA_PRIME_1, scene.numbers[4]), .attributeValueInvalid),
            (changed(key, CKA_PRIME_1, nil), .templateIncomplete),
            (changed(short, CKA_PRIVATE_EXPONENT, [5]), .attributeValueInvalid),
            (changed(short, CKA_PRIVATE_EXPONENT, nil), .templateIncomplete),
            (changed(short, CKA_PUBLIC_EXPONENT, nil), .templateIncomplete),
            (changed(short, CKA_MODULUS, [UInt8](repeating: 0, count: 128)), .attributeValueInvalid),
            (changed(open, CKA_MODULUS, [1] + [UInt8](repeating: 1, count: 62)), .attributeValueInvalid),
            (changed(open, CKA_PUBLIC_EXPONENT, [2]), .attributeValueInvalid),
            (short + [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes)], .attributeTypeInvalid),
        ]
        for (template, error) in cases {
            #expect(throws: error, "\(template.map(\.type))") { try scene.create(template) }
        }
    }
}
