// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Wrapping and deriving keys")
struct KeyDerivationTests {
    /// A private key of the session with a published value.
    private static func privateKey(
        _ scene: SecretKeyScene, _ curve: Curve, _ scalar: [UInt8]
    ) throws -> CK_OBJECT_HANDLE {
        let template = try Attributes(template: [
            (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_DERIVE, [1]), (CKA_GOSTR3410_PARAMS, curve.oid),
            (CKA_VALUE, scalar),
        ])
        return try scene.inSession { session throws(CKError) in try session.createObject(template) }
    }

    private static func derive(
        _ scene: SecretKeyScene, _ mechanism: Mechanism, _ base: CK_OBJECT_HANDLE, _ type: CK_KEY_TYPE,
        _ count: Int? = nil
    ) throws -> [UInt8] {
        var template: [(type: CK_ATTRIBUTE_TYPE, value: [UInt8])] = [(CKA_KEY_TYPE, type.bytes)]
        if let count { template.append((CKA_VALUE_LEN, CK_ULONG(count).bytes)) }
        let attributes = try Attributes(template: template)
        let key = try scene.inSession { session throws(CKError) in
            try session.deriveKey(mechanism, from: base, template: attributes)
        }
        return try scene.application.attributes(scene.session, of: key)[CKA_VALUE] ?? []
    }

    /// The layouts of a key agreement's parameters.
    private static func layouts(
        _ type: CK_MECHANISM_TYPE, _ derivation: CK_ULONG, _ publicKey: [UInt8], _ ukm: [UInt8]
    ) -> [Mechanism] {
        func flat(_ width: Int, room: (publicKey: Int, ukm: Int) = (0, 0)) -> [UInt8] {
            func number(_ value: CK_ULONG) -> [UInt8] { Array(value.bytes.prefix(width)) }
            func field(_ bytes: [UInt8], _ room: Int) -> [UInt8] {
                number(CK_ULONG(bytes.count)) + bytes + [UInt8](repeating: 0, count: max(room - bytes.count, 0))
            }
            return number(derivation) + field(publicKey, room.publicKey) + field(ukm, room.ukm)
        }
        let structure = AgreementParameters(derivation: derivation, publicData: publicKey, ukm: ukm)
        // The .NET binding has fields of fixed length, which a shorter key does not fill.
        let fixed = type == CKM_GOSTR3410_12_DERIVE && ukm.count <= 8 ? [4, 8].map { flat($0, room: (128, 8)) } : []
        #expect(fixed.allSatisfy { $0.count == 148 || $0.count == 160 })
        return fixed.map { Mechanism(type: type, parameter: $0) } + [
            Mechanism(type: type, parameter: flat(4)), Mechanism(type: type, parameter: flat(8)),
            Mechanism(
                type: type, parameter: [UInt8](repeating: 0, count: 40), structure: .agreement(structure)),
        ]
    }

    @Test("both sides of every published agreement get its key, whichever layout the parameters have")
    func agreement() throws {
        let scene = try SecretKeyScene()
        let mechanisms = [
            "streebog256": CKM_GOSTR3410_12_DERIVE, "streebog512": CKM_VKO_GOSTR3410_2012_512,
            "gostr341194-cryptopro": CKM_GOSTR3410_DERIVE, "gostr341194": CKM_GOSTR3410_DERIVE,
        ]
        var used: Set<CK_MECHANISM_TYPE> = []
        for vector in try JSON(vectors: "vko.json").vectors.list {
            guard let type = vector.hash.text.flatMap({ mechanisms[$0] }),
                let curve = Curve.all.first(where: { $0.name == vector.curve.text })
            else { continue }
            used.insert(type)
            let count = vector.kek.bytes.count
            let layouts = Self.layouts(type, CK_ULONG(CKD_NULL), vector.pub_b.bytes, vector.ukm.bytes)
            let key = try Self.privateKey(scene, curve, vector.prv_a.bytes)
            for mechanism in layouts {
                #expect(try Self.derive(scene, mechanism, key, CKK_GENERIC_SECRET, count) == vector.kek.bytes)
            }
        }
        #expect(used.count == 3)
    }

    @Test("the key of an agreement is diversified as the parameter says")
    func diversification() throws {
        let scene = try SecretKeyScene()
        let vector = try #require(
            try JSON(vectors: "vko.json").vectors.list.first {
                $0.hash.text == "streebog256" && $0.ukm.bytes.count == 8
            })
        let curve = try #require(Curve.all.first { $0.name == vector.curve.text })
        let key = try Self.privateKey(scene, curve, vector.prv_a.bytes)
        let (kek, ukm) = (vector.kek.bytes, vector.ukm.bytes)
        let expected = KDF.derive(key: kek.span, label: [0x26, 0xBD, 0xB8, 0x78].span, seed: ukm.span)
        let cryptoPro = try GOST28147KeyWrap.diversify(kek.span, ukm: ukm.span, sBox: .tc26Z)
        let (byKDF, byCryptoPro) = ([UInt8](copying: expected), [UInt8](copying: cryptoPro))
        for (derivation, bytes) in [
            (CKD_KDF_GOSTR3411_2012_256, byKDF), (CKD_CPDIVERSIFY_KDF, byCryptoPro), (CKD_KDF_4357, byCryptoPro),
        ] {
            let mechanism = Self.layouts(
                CKM_GOSTR3410_12_DERIVE, CK_ULONG(derivation), vector.pub_b.bytes, ukm)
            #expect(try Self.derive(scene, mechanism[0], key, CKK_GOST28147) == bytes)
        }
        // Numbers of the vendor's bindings for Java, one of which writes an Int of 32 bits as a long.
        for derivation: CK_ULONG in [0x9000_0009, 0xFFFF_FFFF_9000_0009, 0xFFFF_FFFF_D432_1025] {
            for mechanism in Self.layouts(CKM_GOSTR3410_12_DERIVE, derivation, vector.pub_b.bytes, ukm) {
                #expect(try Self.derive(scene, mechanism, key, CKK_GOST28147) == byCryptoPro)
            }
        }
        for derivation: CK_ULONG in [0x9000_0001, 0xFFFF_FFFF_9000_0001] {
            for mechanism in Self.layouts(CKM_GOSTR3410_12_DERIVE, derivation, vector.pub_b.bytes, ukm) {
                #expect(try Self.derive(scene, mechanism, key, CKK_GOST28147) == kek)
            }
        }
        for derivation: CK_ULONG in [77, 0x9000_0005, 0x9000_0000, 0xFFFF_FFFF_0000_0001, 0x1_0000_0001] {
            #expect(throws: CKError.mechanismParameterInvalid) {
                try Self.derive(
                    scene, Self.layouts(CKM_GOSTR3410_12_DERIVE, derivation, vector.pub_b.bytes, ukm).last ?? .init(0),
                    key, CKK_GOST28147)
            }
        }
        for parameter in [
            [], [1], [UInt8](repeating: 0xFF, count: 84), [UInt8](repeating: 0, count: 12),
            [UInt8](repeating: 0, count: 160), [UInt8](repeating: 0xFF, count: 160),
        ] {
            #expect(throws: CKError.mechanismParameterInvalid) {
                try Self.derive(
                    scene, Mechanism(type: CKM_GOSTR3410_12_DERIVE, parameter: parameter), key, CKK_GOST28147)
            }
        }
    }

    @Test("KEG gives both sides the same keys, and takes a UKM that is longer than it needs")
    func keg() throws {
        let scene = try SecretKeyScene()
        for (mechanism, needed) in [(CKM_GOSTR3410_KEY_PAIR_GEN, 24), (CKM_GOSTR3410_512_KEY_PAIR_GEN, 16)] {
            let template = try Attributes(template: [(CKA_DERIVE, [1])])
            let pairs = try (0..<2).map { _ in
                try scene.inSession { session throws(CKError) in
                    try session.generateKeyPair(
                        Mechanism(type: mechanism, parameter: []), publicTemplate: template,
                        privateTemplate: template)
                }
            }
            let points = try pairs.map { try scene.application.attributes(scene.session, of: $0.0)[CKA_VALUE] ?? [] }
            func keys(
                _ one: Int, _ ukm: [UInt8], _ type: CK_MECHANISM_TYPE = CKM_GOST_KEG
            ) throws -> [UInt8] {
                let parameters = AgreementParameters(
                    derivation: CK_ULONG(CKD_NULL), publicData: points[1 - one], ukm: ukm)
                return try Self.derive(
                    scene, Mechanism(type: type, parameter: [], structure: .agreement(parameters)),
                    pairs[one].1, CKK_KUZNECHIK_TWIN_KEY)
            }
            let ukm = [UInt8](1...32)
            let expected = try keys(0, ukm)
            #expect(expected.count == 64)
            #expect(try keys(1, ukm) == expected)
            #expect(try keys(1, ukm, 0x8000_0005) == expected)
            #expect(try keys(1, Array(ukm.prefix(needed))) == expected)
            #expect(throws: CKError.mechanismParameterInvalid) { try keys(0, Array(ukm.prefix(needed - 1))) }
        }
    }

    @Test("the tree's published keys are derived, at any offset")
    func tree() throws {
        let scene = try SecretKeyScene()
        var count = 0
        for vector in try JSON(vectors: "kdf_gost.json").vectors.list
        where vector.alg.text == "KDF_TREE_GOSTR3411_2012_256" {
            let expected = vector.out.bytes
            let key = try scene.key(CKK_GENERIC_SECRET, vector.key.bytes)
            func mechanism(offset: Int) -> Mechanism {
                let tree = KeyTreeParameters(
                    label: vector.label.bytes, seed: vector.seed.bytes, r: CK_ULONG(vector.R.number ?? 1),
                    length: CK_ULONG(expected.count), offset: CK_ULONG(offset))
                return Mechanism(
                    type: CKM_KDF_TREE_GOSTR3411_2012_256, parameter: [UInt8](repeating: 0, count: 56),
                    structure: .tree(tree))
            }
            #expect(try Self.derive(scene, mechanism(offset: 0), key, CKK_GENERIC_SECRET) == expected)
            #expect(
                try Self.derive(scene, mechanism(offset: 5), key, CKK_GENERIC_SECRET) == Array(expected.dropFirst(5)))
            #expect(throws: CKError.mechanismParameterInvalid) {
                try Self.derive(scene, mechanism(offset: expected.count), key, CKK_GENERIC_SECRET)
            }
            count += 1
        }
        #expect(count > 0)
    }

    @Test("a derived key is no less hidden than the keys that it was made of")
    func inheritance() throws {
        let scene = try SecretKeyScene()
        let open = try scene.key(CKK_GENERIC_SECRET, [1, 2])
        let hidden = try scene.key(CKK_GENERIC_SECRET, [3], [(CKA_SENSITIVE, [1]), (CKA_EXTRACTABLE, [0])])
        let mechanism = Mechanism(type: CKM_CONCATENATE_BASE_AND_KEY, parameter: open.bytes)
        #expect(try Self.derive(scene, mechanism, open, CKK_GENERIC_SECRET) == [1, 2, 1, 2])
        let key = try scene.inSession { session throws(CKError) in
            try session.deriveKey(mechanism, from: hidden, template: Attributes())
        }
        let attributes = try scene.application.attributes(scene.session, of: key)
        #expect(attributes[CKA_VALUE] == nil)
        #expect(try attributes.number(CKA_VALUE_LEN) == 3)
        #expect(throws: CKError(CKR_KEY_UNEXTRACTABLE)) {
            let wrapping = try scene.key(CKK_GOST28147, [UInt8](repeating: 1, count: 32))
            try scene.inSession { session throws(CKError) in
                _ = try session.wrapKey(
                    Mechanism(type: CKM_GOST28147_KEY_WRAP, parameter: [UInt8](repeating: 0, count: 8)), key,
                    with: wrapping)
            }
        }
    }
}
