// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Emulator
import GOST
import Secrets
import TestSupport
import Testing

@Suite("Transport of keys to holders of GOST keys", .serialized)
struct KeyTransportTests {
    typealias Template = ObjectTests.Template

    /// The kinds of keys: the curve, the hash function, and X.509's name of the algorithm.
    enum Kind: CaseIterable {
        case short2001, short2012, long

        var curve: Curve { self == .long ? .tc26512A : .cryptoProA }
        var hash: HashAlgorithm {
            switch self {
            case .short2001: .gostR341194
            case .short2012: .streebog256
            case .long: .streebog512
            }
        }
        var algorithm: PublicKeyAlgorithm {
            switch self {
            case .short2001: .gostR34102001
            case .short2012: .gostR34102012256
            case .long: .gostR34102012512
            }
        }
        var parameters: Template { [(CKA_GOSTR3410_PARAMS, curve.oid), (CKA_GOSTR3411_PARAMS, hash.oid)] }
        var generation: CK_MECHANISM_TYPE {
            self == .long ? CKM_GOSTR3410_512_KEY_PAIR_GEN : CKM_GOSTR3410_KEY_PAIR_GEN
        }
    }

    private struct Scene {
        let application: Application
        let session: CK_SESSION_HANDLE

        init(_ identity: Identity = .usb) throws { (_, application, session) = try TokenKeyTests.start(identity) }

        func inSession<Result>(_ body: (Session) throws(CKError) -> Result) throws(CKError) -> Result {
            try application.library.withSession(session, body)
        }

        func pair(_ kind: Kind, onToken: Bool) throws -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
            let place: Template = kind.parameters + [(CKA_TOKEN, [onToken ? 1 : 0])]
            let templates = (
                try Attributes(template: place + [(CKA_WRAP, [1])]),
                try Attributes(template: place + [(CKA_UNWRAP, [1]), (CKA_DERIVE, [onToken ? 0 : 1])])
            )
            let keys = try inSession { session throws(CKError) in
                try session.generateKeyPair(
                    Mechanism(type: kind.generation, parameter: []), publicTemplate: templates.0,
                    privateTemplate: templates.1)
            }
            return (keys.0, keys.1)
        }

        func secret(_ value: [UInt8]) throws -> CK_OBJECT_HANDLE {
            try application.create(
                session,
                [(CKA_CLASS, CKO_SECRET_KEY.bytes), (CKA_KEY_TYPE, CKK_GOST28147.bytes), (CKA_VALUE, value)])
        }

        func wrap(
            _ value: [UInt8], _ key: CK_OBJECT_HANDLE, _ parameters: KeyTransportParameters? = nil
        ) throws -> [UInt8] {
            let secret = try secret(value)
            return try inSession { session throws(CKError) in
                try session.wrapKey(KeyTransportTests.mechanism(parameters), secret, with: key)
            }
        }

        func unwrap(
            _ wrapped: [UInt8], _ key: CK_OBJECT_HANDLE, _ parameters: KeyTransportParameters? = nil
        ) throws -> [UInt8] {
            let secret = try inSession { session throws(CKError) in
                try session.unwrapKey(
                    KeyTransportTests.mechanism(parameters), wrapped, with: key, template: Attributes())
            }
            return try application.attributes(session, of: secret)[CKA_VALUE] ?? []
        }
    }

    private static func mechanism(_ parameters: KeyTransportParameters?) -> Mechanism {
        guard let parameters else { return Mechanism(type: CKM_GOSTR3410_KEY_WRAP, parameter: []) }
        return Mechanism(type: CKM_GOSTR3410_KEY_WRAP, parameter: [0], structure: .transport(parameters))
    }

    private static let value = [UInt8](1...32)

    @Test("what a public key wraps, the private key on the token unwraps", arguments: ["usb", "bt"], Kind.allCases)
    func token(_ identity: String, _ kind: Kind) throws {
        let scene = try Scene(identity == "bt" ? .bt : .usb)
        let keys = try scene.pair(kind, onToken: true)
        var parameters = KeyTransportParameters()
        parameters.wrapOID = SBox.cryptoProB.oid
        parameters.ukm = [UInt8](1...8)
        for parameters in [nil, parameters] {
            let wrapped = try scene.wrap(Self.value, keys.publicKey, parameters)
            #expect(try scene.unwrap(wrapped, keys.privateKey) == Self.value)
            var changed = wrapped
            changed[10] ^= 1
            #expect(throws: CKError(CKR_WRAPPED_KEY_INVALID)) { try scene.unwrap(changed, keys.privateKey) }
        }
        // The token's own permission to agree was set for unwrapping only.
        let attributes = try scene.application.attributes(scene.session, of: keys.privateKey)
        #expect(try attributes.bool(CKA_DERIVE) == false)
    }

    @Test("a sender can agree by a key of its own, which the receiver knows")
    func sender() throws {
        let scene = try Scene()
        let receiver = try scene.pair(.short2012, onToken: true)
        let sender = try scene.pair(.short2012, onToken: false)
        var parameters = KeyTransportParameters()
        parameters.key = sender.privateKey
        let wrapped = try scene.wrap(Self.value, receiver.publicKey, parameters)
        parameters.key = sender.publicKey
        #expect(try scene.unwrap(wrapped, receiver.privateKey, parameters) == Self.value)
        #expect(throws: CKError.mechanismParameterInvalid) { try scene.unwrap(wrapped, receiver.privateKey) }
        for key in [receiver.privateKey + 100, try scene.secret(Self.value)] {
            parameters.key = key
            #expect(throws: CKError.keyHandleInvalid) { try scene.unwrap(wrapped, receiver.privateKey, parameters) }
        }
    }

    @Test("what is no parameter, no key for it, or no wrapped key is refused")
    func refusals() throws {
        let scene = try Scene()
        let keys = try scene.pair(.short2012, onToken: false)
        var parameters = KeyTransportParameters()
        parameters.ukm = [1, 2, 3]
        #expect(throws: CKError.mechanismParameterInvalid) { try scene.wrap(Self.value, keys.publicKey, parameters) }
        parameters.ukm = []
        parameters.wrapOID = [6, 1, 1]
        #expect(throws: CKError.mechanismParameterInvalid) { try scene.wrap(Self.value, keys.publicKey, parameters) }
        #expect(throws: CKError(CKR_WRAPPING_KEY_TYPE_INCONSISTENT)) {
            try scene.wrap(Self.value, keys.privateKey)
        }
        for wrapped in [[], [0x30, 0], [UInt8](repeating: 1, count: 44)] as [[UInt8]] {
            #expect(throws: CKError(CKR_WRAPPED_KEY_INVALID)) { try scene.unwrap(wrapped, keys.privateKey) }
        }
        let plain = try scene.application.makeKeys(scene.session)
        #expect(throws: CKError.keyFunctionNotPermitted) { try scene.wrap(Self.value, plain.publicKey) }
        #expect(throws: CKError.attributeReadOnly) {
            try scene.application.set(scene.session, plain.privateKey, [(CKA_UNWRAP, [1])])
        }
    }

    @Test("OpenSSL's engine wraps for us and unwraps from us", .usesGOSTEngine, arguments: Kind.allCases)
    func engine(_ kind: Kind) throws {
        let scene = try Scene()
        let openssl = try OpenSSL()
        let scalar = [UInt8](repeating: 7, count: kind.curve.coordinateSize)
        let key = try PrivateKey(curve: kind.curve, scalar: Secret(copying: scalar))
        let publicKey = try key.publicKey()
        let info = try PrivateKeyInfo(algorithm: kind.algorithm, key: key)
        let der = info.der()
        try openssl.write([UInt8](copying: der), "key")
        try openssl.write(SubjectPublicKeyInfo(algorithm: kind.algorithm, key: publicKey).der, "public")
        let common: Template = kind.parameters
        let receiver = try scene.application.create(
            scene.session, common + [(CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_VALUE, scalar), (CKA_UNWRAP, [1])])
        let recipient = try scene.application.create(
            scene.session,
            common + [(CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_VALUE, publicKey.bytes), (CKA_WRAP, [1])])
        try openssl.write(Self.value, "value")
        try openssl.run("pkeyutl -encrypt -engine gost -pubin -keyform DER -inkey public -in value -out wrapped")
        #expect(try scene.unwrap(openssl.read("wrapped"), receiver) == Self.value)
        try openssl.write(scene.wrap(Self.value, recipient), "ours")
        try openssl.run("pkeyutl -decrypt -engine gost -keyform DER -inkey key -in ours -out unwrapped")
        #expect(try openssl.read("unwrapped") == Self.value)
    }
}
