// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Containers
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import Secrets
import TestSupport
import Testing
import Token
import Tokens
import Translation

@Suite("Keys of containers", .serialized)
struct ContainerKeyTests {
    @Test(
        "each key of a container signs, and its certificate and public key have its identifier",
        arguments: ContainerScene.vectors.keys.sorted())
    func signatures(_ name: String) throws {
        let vector = try #require(ContainerScene.vectors[name])
        let scene = try ContainerScene([name])
        let keys = vector.keys.list
        #expect(try scene.find(CKO_PRIVATE_KEY).count == keys.count)
        for key in keys {
            let point = key.Q.bytes
            let id = Array(point.prefix(8))
            let handle = try #require(try scene.find(CKO_PRIVATE_KEY, id: id).first)
            let digest = [UInt8](repeating: 7, count: point.count / 2)
            let signature = try scene.sign(handle, digest, password: vector.password.text ?? "")
            let curve = try #require(Curve(oid: scene.attributes(handle)[CKA_GOSTR3410_PARAMS] ?? []))
            #expect(curve.oid == derObjectIdentifier(key.curve.text ?? ""))
            #expect(try PublicKey(curve: curve, bytes: point).isValidSignature(signature, digest: digest))
            let certificates = try scene.find(CKO_CERTIFICATE, id: id)
            let publicKeys = try scene.find(CKO_PUBLIC_KEY, id: id)
            let isCertified = !key.certificate.bytes.isEmpty
            #expect(certificates.count == (isCertified ? 1 : 0) && publicKeys.count == 1)
            if let handle = certificates.first {
                #expect(try scene.attributes(handle)[CKA_VALUE] == key.certificate.bytes)
            }
            if let handle = publicKeys.first { #expect(try scene.attributes(handle)[CKA_VALUE] == point) }
        }
    }

    private static let agreements: [(String, CK_MECHANISM_TYPE, HashAlgorithm)] = [
        ("256-plain", CKM_GOSTR3410_12_DERIVE, .streebog256), ("256-tc26-a", CKM_GOSTR3410_12_DERIVE, .streebog256),
        ("two-plain", CKM_GOSTR3410_12_DERIVE, .streebog256), ("512-b", CKM_GOSTR3410_12_DERIVE, .streebog256),
        ("512-b", CKM_VKO_GOSTR3410_2012_512, .streebog512), ("512-c", CKM_VKO_GOSTR3410_2012_512, .streebog512),
        ("512-c", CKM_GOST_KEG, .streebog512), ("256-xchb", CKM_GOST_KEG, .streebog256),
        ("2001-password", CKM_GOSTR3410_DERIVE, .gostR341194),
    ]

    @Test("an exchange key agrees on the secrets that its number gives", arguments: agreements)
    func agreement(_ name: String, _ mechanism: CK_MECHANISM_TYPE, _ hash: HashAlgorithm) throws {
        let vector = try #require(ContainerScene.vectors[name])
        let key = try #require(vector.keys.list.first { $0.role.text == "exchange" })
        let scene = try ContainerScene([name])
        let curve = try #require(Curve(oid: derObjectIdentifier(key.curve.text ?? "")))
        let own = try PrivateKey(curve: curve, scalar: Secret(copying: key.d.bytes.reversed()))
        let peer = try PrivateKey.generate(on: curve, random: Seeded("peer")).publicKey()
        let ukm = [UInt8](1...24)
        let expected =
            mechanism == CKM_GOST_KEG
            ? try own.keg(with: peer, h: (ukm + [UInt8](repeating: 0, count: 8)).span)
            : try own.vko(with: peer, ukm: ukm.span, hash: hash)
        let handle = try #require(try scene.find(CKO_PRIVATE_KEY, id: Array(key.Q.bytes.prefix(8))).first)
        let parameters = AgreementParameters(derivation: CK_ULONG(CKD_NULL), publicData: peer.bytes, ukm: ukm)
        let template = try Attributes(template: [
            (CKA_KEY_TYPE, CKK_GENERIC_SECRET.bytes), (CKA_VALUE_LEN, CK_ULONG(expected.count).bytes),
        ])
        func derive() throws -> [UInt8] {
            let secret = try scene.application.library.withSession(scene.session) { session throws(CKError) in
                try session.deriveKey(
                    Mechanism(type: mechanism, parameter: [], structure: .agreement(parameters)), from: handle,
                    template: template)
            }
            return try scene.attributes(secret)[CKA_VALUE] ?? []
        }
        guard vector.password.text == "" else {
            // C_DeriveKey is one call: nothing can present a password between its beginning and its end.
            #expect(throws: CKError.userNotLoggedIn) { try derive() }
            return
        }
        #expect(try derive() == [UInt8](copying: expected))
    }

    @Test("a key of 2001 agrees on the secret that other programs compute with its number")
    func agreementOf2001() throws {
        let vector = try #require(ContainerScene.vectors["2001-exchange"])
        let scene = try ContainerScene(["2001-exchange"])
        let parameters = AgreementParameters(
            derivation: CK_ULONG(CKD_NULL), publicData: vector.agreement.peer.bytes, ukm: vector.agreement.ukm.bytes)
        let template = try Attributes(template: [
            (CKA_KEY_TYPE, CKK_GENERIC_SECRET.bytes), (CKA_VALUE_LEN, CK_ULONG(32).bytes),
        ])
        let handle = try scene.privateKey()
        #expect(try scene.attributes(handle).bool(CKA_DERIVE) == true)
        let secret = try scene.application.library.withSession(scene.session) { session throws(CKError) in
            try session.deriveKey(
                Mechanism(type: CKM_GOSTR3410_DERIVE, parameter: [], structure: .agreement(parameters)), from: handle,
                template: template)
        }
        #expect(try scene.attributes(secret)[CKA_VALUE] == vector.agreement.kek.bytes)
    }

    @Test("C_InitToken and C_EX_InitToken refuse a token with containers, and send no PIN", arguments: [false, true])
    func formatting(_ isExtended: Bool) throws {
        let scene = try ContainerScene([ContainerScene.plain])
        let library = scene.application.library
        try library.closeSession(scene.session)
        let before = scene.reader.headers.count
        #expect(throws: CKError.actionProhibited) {
            if isExtended {
                try library.initToken(
                    in: 0, pin: SharedSecret(.of("87654321")),
                    newPINs: (SharedSecret(.of("87654321")), SharedSecret(.of("12345678"))), mode: 0
                ) { officer, user throws(CKError) in Self.format(officer, user) }
            } else {
                try library.initToken(in: 0, pin: SharedSecret(.of("87654321")), mode: 0) { officer throws(CKError) in
                    Self.format(officer, SharedSecret(.of("12345678")))
                }
            }
        }
        // No PIN was presented, and nothing was written or erased.
        let sent = scene.reader.headers.dropFirst(before)
        #expect(sent.allSatisfy { ![0x20, 0x24, 0x2C, 0xD6, 0xE0, 0xE4, 0xDA, 0x8A].contains($0[1]) })
        let session = try scene.application.open()
        try scene.application.logIn(session)
        #expect(try scene.application.find(session, [(CKA_CLASS, CKO_PRIVATE_KEY.bytes)]).count == 1)
    }

    private static func format(_ officer: SharedSecret, _ user: SharedSecret) -> TokenFormat {
        TokenFormat(
            securityOfficer: .init(value: officer.secret.copy()), user: .init(value: user.secret.copy()),
            changePolicy: 3, label: Array("new".utf8), isRepair: false)
    }

    @Test("a signature costs at most six commands the first time, and five from then on, whoever selects files between")
    func cost() throws {
        let scene = try ContainerScene([ContainerScene.plain])
        let key = try scene.privateKey()
        func cost() throws -> Int { try scene.cost { _ = try scene.sign(key, ContainerScene.digest) } }
        #expect(try cost() <= 6)
        for _ in 0..<4 { #expect(try cost() == 5) }
        try scene.reader.card.select([0x1000])
        #expect(try cost() <= 7)
        for _ in 0..<2 { #expect(try cost() == 5) }
        try scene.reader.card.select([0x1000, 0x1003, 0x0A00, 0x0A06])
        #expect(try cost() <= 7)
        #expect(try cost() == 5)
    }

    @Test("after the login the first search reads the containers, a later one nothing while the counter stands still")
    func searchCost() throws {
        let empty = try ContainerScene([])
        let without = try empty.cost { _ = try empty.find(CKO_PRIVATE_KEY) }
        let names = [ContainerScene.plain, "256-tc26-a"]
        let scene = try ContainerScene(names)
        let cost = try scene.cost { _ = try scene.find(CKO_PRIVATE_KEY) }
        // Of each container: two commands list it, two read its name; the header is selected, and read in blocks.
        let blocks = try names.map { try ((#require(ContainerScene.files($0)[3])).count + 255) / 256 }
        #expect(cost - without == blocks.reduce(0) { $0 + 5 + $1 } && cost - without == 14)
        #expect(try scene.cost { _ = try scene.find(CKO_PRIVATE_KEY) } == 0)
        // What was read is true while the change counter stands still, for the next login too.
        try scene.application.library.withSession(scene.session) { session throws(CKError) in try session.logOut() }
        #expect(try scene.find(CKO_PRIVATE_KEY).isEmpty)
        try scene.application.logIn(scene.session)
        #expect(try scene.cost { _ = try scene.find(CKO_PRIVATE_KEY) } == 0)
        #expect(try scene.find(CKO_PRIVATE_KEY).count == 2)
    }

    @Test("attributes are those of a key that another program keeps, and nothing of it comes out")
    func attributes() throws {
        let scene = try ContainerScene(["two-plain"])
        let labels = try scene.find(CKO_PRIVATE_KEY).map { handle in
            let attributes = try scene.attributes(handle)
            for flag in [
                CKA_EXTRACTABLE, CKA_ALWAYS_SENSITIVE, CKA_NEVER_EXTRACTABLE, CKA_LOCAL, CKA_MODIFIABLE, CKA_COPYABLE,
                CKA_DESTROYABLE, CKA_ALWAYS_AUTHENTICATE,
            ] {
                #expect(try attributes.bool(flag) == false, "\(flag)")
            }
            for flag in [CKA_TOKEN, CKA_PRIVATE, CKA_SENSITIVE, CKA_SIGN] {
                #expect(try attributes.bool(flag) == true, "\(flag)")
            }
            #expect(attributes[CKA_VALUE] == nil && Session.isSensitive(CKA_VALUE, in: attributes))
            return String(decoding: attributes[CKA_LABEL] ?? [], as: UTF8.self)
        }
        let name = try #require(ContainerScene.vectors["two-plain"]?.name.text)
        #expect(Set(labels) == ["\(name) (signature)", "\(name) (exchange)"])
        let deriving = try scene.application.find(
            scene.session, [(CKA_DERIVE, [1]), (CKA_CLASS, CKO_PRIVATE_KEY.bytes)])
        #expect(deriving.count == 1)
        let cyrillic = try ContainerScene(["cyrillic-name"])
        #expect(
            try cyrillic.attributes(cyrillic.privateKey())[CKA_LABEL]
                == Array((ContainerScene.vectors["cyrillic-name"]?.name.text ?? "").utf8))
    }

    @Test("nothing of a container is changed, copied, deleted or wrapped")
    func refusals() throws {
        let scene = try ContainerScene([ContainerScene.plain])
        let library = scene.application.library
        for handle in try scene.application.find(scene.session) {
            let change = try Attributes(template: [(CKA_LABEL, [0x41])])
            #expect(throws: CKError.actionProhibited) {
                try library.withSession(scene.session) { session throws(CKError) in
                    try session.setAttributes(of: handle, change)
                }
            }
            #expect(throws: CKError.actionProhibited) {
                try library.withSession(scene.session) { session throws(CKError) in
                    try session.copyObject(handle, Attributes())
                }
            }
            #expect(throws: CKError.actionProhibited) {
                try library.withSession(scene.session) { session throws(CKError) in try session.destroyObject(handle) }
            }
        }
        #expect(scene.reader.headers.allSatisfy { ![0xD6, 0xE0, 0xE4, 0xDA, 0x24].contains($0[1]) })
    }

    @Test("a password is presented for each use, by a login for it alone, and no wrong one is counted")
    func password() throws {
        let scene = try ContainerScene(["256-password"])
        let key = try scene.privateKey()
        #expect(try scene.attributes(key).bool(CKA_ALWAYS_AUTHENTICATE) == true)
        for _ in 0..<20 {
            #expect(throws: CKError.pinIncorrect) { try scene.sign(key, ContainerScene.digest, password: "wrong") }
            scene.application.cancel(scene.session)
        }
        #expect(throws: CKError.userNotLoggedIn) { try scene.sign(key, ContainerScene.digest) }
        for _ in 0..<2 {
            let signature = try scene.sign(key, ContainerScene.digest, password: "123456")
            #expect(try ContainerScene.isValid(signature, by: "256-password"))
            #expect(throws: CKError.userNotLoggedIn) { try scene.sign(key, ContainerScene.digest) }
        }
    }

    @Test("a user is asked for a container's password by its name, and again after a wrong one")
    func askedPassword() throws {
        let user = StandInUser()
        let scene = try ContainerScene(["256-password"], interaction: user.interaction(asksUser: true))
        let library = scene.application.library
        let key = try scene.privateKey()
        try library.withSession(scene.session) { session throws(CKError) in
            try session.signInit(Mechanism(type: CKM_GOSTR3410, parameter: []), key: key)
        }
        user.answer(.text("wrong"), .text("123456"))
        try library.logIn(scene.session, as: CKU_CONTEXT_SPECIFIC, pin: nil)
        let digest = ContainerScene.digest
        let signature = try library.withSession(scene.session) { session throws(CKError) in
            try session.sign(digest.span)
        }
        #expect(try ContainerScene.isValid(signature, by: "256-password"))
        let title = "The password of a key container"
        #expect(user.questions.map(\.title.description) == [title, title])
        #expect(user.questions.map(\.error) == [nil, "The password is wrong."])
        // No store of passwords takes it for the token's.
        #expect(user.questions.allSatisfy { $0.key == nil })
    }

    @Test("a Lite has the mechanisms of containers as soon as there is one, computed by the host")
    func mechanisms() throws {
        let library = try ContainerScene([ContainerScene.plain]).application.library
        let listed = try library.mechanisms(of: 0)
        #expect(
            Set(listed) == [
                CKM_GOSTR3410, CKM_GOSTR3410_512, CKM_GOSTR3410_WITH_GOSTR3411, CKM_GOSTR3410_WITH_GOSTR3411_12_256,
                CKM_GOSTR3410_WITH_GOSTR3411_12_512, CKM_GOSTR3410_DERIVE, CKM_GOSTR3410_12_DERIVE,
                CKM_VKO_GOSTR3410_2012_512, CKM_GOST_KEG, CKM_GOST28147_KEY_WRAP, CKM_KUZNECHIK_KEXP_15_WRAP,
                CKM_MAGMA_KEXP_15_WRAP,
            ])
        for mechanism in listed { #expect(try library.information(on: mechanism, in: 0).flags & CKF_HW == 0) }
    }
}

extension Application {
    fileprivate func cancel(_ session: CK_SESSION_HANDLE) {
        try? library.withSession(session) { session throws(CKError) in session.cancel(CKF_SIGN) }
    }
}
