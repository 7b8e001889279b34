// SPDX-License-Identifier: Apache-2.0
import Asking
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import Locking
import Secrets
import TestSupport
import Testing
import Tokens

@Suite("Consent to every use of a private key", .serialized)
struct KeyUseTests {
    /// Mechanisms that use no private key. A new mechanism is either one of these, or a use of a private key is found
    /// below, and asks.
    private static let others: Set<CK_MECHANISM_TYPE> = [
        CKM_MD5, CKM_SHA_1, CKM_SHA224, CKM_SHA256, CKM_SHA384, CKM_SHA512, CKM_GOSTR3411, CKM_GOSTR3411_12_256,
        CKM_GOSTR3411_12_512, CKM_RSA_PKCS_KEY_PAIR_GEN, CKM_GOSTR3410_KEY_PAIR_GEN, CKM_GOSTR3410_512_KEY_PAIR_GEN,
        CKM_EC_KEY_PAIR_GEN, CKM_GOST28147_KEY_WRAP, CKM_GOST28147_ECB, CKM_GOST28147, CKM_GOST28147_KEY_GEN,
        CKM_GOST28147_MAC, CKM_MAGMA_KEY_GEN, CKM_KUZNECHIK_KEY_GEN, CKM_MAGMA_ECB, CKM_KUZNECHIK_ECB,
        CKM_MAGMA_CTR_ACPKM, CKM_KUZNECHIK_CTR_ACPKM, CKM_MAGMA_MGM, CKM_KUZNECHIK_MGM, CKM_MAGMA_MAC,
        CKM_KUZNECHIK_MAC, CKM_GOSTR3411_12_256_HMAC, CKM_GOSTR3411_12_512_HMAC, CKM_GOSTR3411_HMAC,
        CKM_CONCATENATE_BASE_AND_KEY, CKM_KDF_TREE_GOSTR3411_2012_256, CKM_KUZNECHIK_KEXP_15_WRAP,
        CKM_MAGMA_KEXP_15_WRAP, CKM_GENERIC_SECRET_KEY_GEN, CKM_SHA_1_HMAC, CKM_SHA224_HMAC, CKM_SHA256_HMAC,
        CKM_SHA384_HMAC, CKM_SHA512_HMAC, CKM_AES_KEY_GEN, CKM_AES_ECB, CKM_AES_CBC, CKM_AES_CBC_PAD,
    ]

    @Test("every mechanism asks before each use of a private key, and a no leaves the key alone")
    func mechanisms() throws {
        let scene = try Scene()
        for type in MechanismDefinition.types {
            var found: Set<CK_FLAGS> = []
            for mechanism in scene.variants(of: type) {
                var wantsParameter = false
                for key in scene.keys {
                    for operation in Scene.operations {
                        for data in operation.takesData ? Scene.inputs : [[]] {
                            let yes = scene.attempt(operation, mechanism, key, data, saying: true)
                            #expect(yes.uses == yes.questions, "\(type) without a question")
                            if yes.error == .mechanismParameterInvalid { wantsParameter = true }
                            if let error = yes.error, Scene.refusals.contains(error) { break }
                            guard yes.questions > 0 else { continue }
                            #expect(yes.questions == 1, "\(type) asks \(yes.questions) times")
                            found.insert(operation.flag)
                            let no = scene.attempt(operation, mechanism, key, data, saying: false)
                            #expect(no.error == .functionCanceled && no.uses == 0, "\(type) goes on after a no")
                            break
                        }
                    }
                }
                // The first has no parameter.
                guard wantsParameter else { break }
            }
            #expect(found.isEmpty == Self.others.contains(type), "\(type): is it a use of a private key?")
            let promised = (try? scene.application.library.information(on: type, in: 0).flags) ?? 0
            for flag in [CKF_SIGN, CKF_DECRYPT, CKF_UNWRAP, CKF_WRAP, CKF_DERIVE]
            where !found.isEmpty && promised & flag != 0 {
                #expect(found.contains(flag), "\(type) has \(flag), with which the test did not use a key")
            }
        }
    }

    @Test("the question says whether the key signs, decrypts or agrees, and warns of a raw decryption")
    func words() throws {
        let scene = try Scene()
        let block = [0] + [UInt8](1...127)
        func question(_ name: String, _ type: CK_MECHANISM_TYPE, _ data: [UInt8]) throws -> Question {
            let operation = try #require(Scene.operations.first { $0.name == name })
            for mechanism in scene.variants(of: type) {
                for key in scene.keys {
                    let asked = scene.attempt(operation, mechanism, key, data, saying: false)
                    if asked.questions > 0 { return try #require(scene.judge.last) }
                }
            }
            throw CKError.generalError
        }
        let signature = try question("sign", CKM_RSA_X_509, block)
        #expect("\(signature.title)" == "Sign with a token" && signature.button.map { "\($0)" } == "Sign")
        #expect(
            signature.text.hasPrefix("Sign with a key without a label?\n")
                && signature.text.contains("Data to sign (128 bytes)"))
        let raw = try question("decrypt", CKM_RSA_X_509, block)
        #expect("\(raw.title)" == "Decrypt with a token" && raw.button.map { "\($0)" } == "Decrypt")
        #expect(raw.text.contains("Data to decrypt (128 bytes): 000102") && raw.text.contains("can be a signature"))
        let padded = try question("decrypt", CKM_RSA_PKCS, block)
        #expect(
            padded.text.hasPrefix("Decrypt with a key without a label?\n")
                && !padded.text.contains("can be a signature"))
        let unwrapped = try question("unwrap", CKM_RSA_PKCS, block)
        #expect("\(unwrapped.title)" == "Decrypt with a token")
        let agreement = try question("derive", CKM_GOSTR3410_12_DERIVE, [])
        #expect("\(agreement.title)" == "Agree on a key with a token" && agreement.button.map { "\($0)" } == "Agree")
        #expect(agreement.text.contains("The other side's public key (64 bytes)"))
    }

    @Test("a name from a token or a program adds no line to a question")
    func oneLine() {
        let use = KeyUse(
            label: "work?\nProgram: other", purpose: .signature([1], of: SignedContent(file: "a\nb\u{202E}")))
        #expect(use.label == "work? Program: other")
        #expect(use.text == "File: a b?\nData to sign (1 bytes): 01")
    }

    @Test("requests for certificates and signed messages are asked for, too")
    func extensions() throws {
        let scene = try Scene()
        for says in [true, false] {
            let before = scene.judge.count
            scene.judge.says = says
            let made = scene.result { session throws(CKError) in
                _ = try session.certificationRequest(
                    for: scene.publicKeys[0], with: CK_OBJECT_HANDLE(CK_INVALID_HANDLE),
                    RequestFields(subject: ["CN", "x"], attributes: [], extensions: []))
            }
            #expect(made == (says ? nil : .functionCanceled) && scene.judge.count == before + 1)
        }
    }

    @Test("a yes to the length of a decryption is one to its result, and keys of the session ask, too")
    func length() throws {
        let scene = try Scene(onToken: false)
        scene.judge.says = true
        let block = [0] + [UInt8](1...127)
        let encrypted = try scene.run { session throws(CKError) -> [UInt8] in
            try session.encryptInit(Mechanism(CKM_RSA_PKCS), key: scene.publicKeys[2])
            let result = try session.cipher([1, 2, 3].span, .encryption)
            return [UInt8](copying: result)
        }
        try scene.run { session throws(CKError) in try session.decryptInit(Mechanism(CKM_RSA_PKCS), key: scene.keys[2])
        }
        for _ in 0..<2 {
            let size = try scene.run(during: CKF_DECRYPT) { session throws(CKError) in
                try session.activeCipher(.decryption).exactSize(of: encrypted.span)
            }
            #expect(size == 3)
        }
        let text = try scene.run(during: CKF_DECRYPT) { session throws(CKError) -> [UInt8] in
            let result = try session.cipher(encrypted.span, .decryption)
            return [UInt8](copying: result)
        }
        #expect(text == [1, 2, 3] && scene.judge.count == 1)
        // Parts are kept while the user is asked.
        try scene.run { session throws(CKError) in
            try session.decryptInit(Mechanism(CKM_RSA_X_509), key: scene.keys[2])
            _ = try session.cipherUpdate(block.span, .decryption)
        }
        let raw = try scene.run(during: CKF_DECRYPT) { session throws(CKError) -> [UInt8] in
            let result = try session.cipherFinal(.decryption)
            return [UInt8](copying: result)
        }
        #expect(raw.count == 128 && scene.judge.count == 2)
        #expect(throws: CKError.operationNotInitialised) {
            try scene.run(during: CKF_DECRYPT) { session throws(CKError) in _ = try session.cipherFinal(.decryption) }
        }
    }
}

/// A user who says the same to all questions.
private final class Judge: Sendable {
    private let state = Lock((says: true, questions: [Question]()))

    var says: Bool {
        get { state.withLock { $0.says } }
        set { state.withLock { $0.says = newValue } }
    }
    var count: Int { state.withLock { $0.questions.count } }
    var last: Question? { state.withLock { $0.questions.last } }

    var interaction: UserInteraction {
        var interaction = UserInteraction()
        interaction.prompt = UserPrompt(asksUser: true) { _ throws(AskingError) in
            throw .cancelled
        } confirm: { question throws(AskingError) in
            let says = self.state.withLock { state in
                state.questions.append(question)
                return state.says
            }
            if !says { throw .cancelled }
        }
        interaction.consent = .always
        return interaction
    }
}

/// A token with private keys of all kinds that may be used for all that their kind can do.
private struct Scene {
    let reader: EmulatedReader
    let application: Application
    let session: CK_SESSION_HANDLE
    let judge = Judge()
    /// Of GOST R 34.10 with 256 and 512 bits, RSA, P-256.
    private(set) var keys: [CK_OBJECT_HANDLE] = []
    private(set) var publicKeys: [CK_OBJECT_HANDLE] = []
    /// Public keys to agree with.
    private var peers: [[UInt8]] = []

    struct Operation: Sendable {
        let name: String
        /// The mechanism's flag that promises it (`CKF_`).
        var flag: CK_FLAGS = 0
        var takesData = true
        let run: @Sendable (Scene, Mechanism, CK_OBJECT_HANDLE, [UInt8]) throws(CKError) -> Void
    }

    init(onToken: Bool = true) throws {
        reader = try EmulatedReader(.usb)
        application = Application(reader, store: Folder(), interaction: judge.interaction)
        session = try application.open()
        try application.logIn(session)
        let gost: ObjectTests.Template = [(CKA_DERIVE, [1]), (CKA_UNWRAP, [1])]
        let rsa: ObjectTests.Template = [(CKA_DECRYPT, [1]), (CKA_SIGN_RECOVER, [1]), (CKA_UNWRAP, [1])]
        let kinds: [(CK_MECHANISM_TYPE, ObjectTests.Template, ObjectTests.Template)] = [
            (CKM_GOSTR3410_KEY_PAIR_GEN, [(CKA_WRAP, [1])], gost),
            (CKM_GOSTR3410_512_KEY_PAIR_GEN, [(CKA_WRAP, [1])], gost),
            (CKM_RSA_PKCS_KEY_PAIR_GEN, [(CKA_MODULUS_BITS, CK_ULONG(1024).bytes), (CKA_ENCRYPT, [1])], rsa),
            (CKM_EC_KEY_PAIR_GEN, [(CKA_EC_PARAMS, [UInt8](hex: "06082A8648CE3D030107"))], [(CKA_DERIVE, [1])]),
        ]
        for (index, (mechanism, publicKey, privateKey)) in kinds.enumerated() {
            let common: ObjectTests.Template = [(CKA_TOKEN, [onToken ? 1 : 0]), (CKA_ID, [UInt8(index)])]
            let templates = (
                try Attributes(template: common + publicKey), try Attributes(template: common + privateKey)
            )
            let pair = try run { session throws(CKError) in
                try session.generateKeyPair(
                    Mechanism(mechanism), publicTemplate: templates.0, privateTemplate: templates.1)
            }
            publicKeys.append(pair.0)
            keys.append(pair.1)
            let attributes = try application.attributes(session, of: pair.0)
            if let peer = attributes[CKA_EC_POINT] ?? attributes[CKA_VALUE] { peers.append(peer) }
        }
    }

    func run<Result>(
        during operations: CK_FLAGS = 0, _ body: (Session) throws(CKError) -> Result
    ) throws(CKError) -> Result {
        try application.library.withSession(session, during: operations, body)
    }

    /// The error of a call; nil without one.
    func result(_ body: (Session) throws(CKError) -> Void) -> CKError? {
        do throws(CKError) { try run(body) } catch { return error }
        return nil
    }

    /// Tries an operation, and returns the numbers of questions to the user and of uses of a private key.
    func attempt(
        _ operation: Operation, _ mechanism: Mechanism, _ key: CK_OBJECT_HANDLE, _ data: [UInt8], saying says: Bool
    ) -> (questions: Int, uses: Int, error: CKError?) {
        judge.says = says
        let before = (judge.count, uses)
        var failure: CKError?
        do throws(CKError) { try operation.run(self, mechanism, key, data) } catch { failure = error }
        _ = result { session in session.cancel(~0) }
        return (judge.count - before.0, uses - before.1, failure)
    }

    /// The number of computations of the card with a private key: PSO except hashing, and agreements.
    private var uses: Int { reader.count(of: 0x2A) + reader.count(of: 0x86) }

    /// A mechanism with every parameter that one could take.
    func variants(of type: CK_MECHANISM_TYPE) -> [Mechanism] {
        let hashes: [(CK_MECHANISM_TYPE, CK_ULONG, CK_ULONG)] = [
            (CKM_SHA_1, CK_ULONG(CKG_MGF1_SHA1), 20), (CKM_SHA224, CK_ULONG(CKG_MGF1_SHA224), 28),
            (CKM_SHA256, CK_ULONG(CKG_MGF1_SHA256), 32), (CKM_SHA384, CK_ULONG(CKG_MGF1_SHA384), 48),
            (CKM_SHA512, CK_ULONG(CKG_MGF1_SHA512), 32),
        ]
        var variants = [Mechanism(type)]
        for (hash, mask, salt) in hashes { variants.append(Mechanism(type, hash, mask, salt)) }
        let oaep = OAEPParameters(
            hash: CKM_SHA_1, maskGeneration: CK_ULONG(CKG_MGF1_SHA1), source: CK_ULONG(CKZ_DATA_SPECIFIED), label: [])
        variants.append(Mechanism(type: type, parameter: [], structure: .oaep(oaep)))
        for peer in peers {
            for ukm in [[], [UInt8](1...24)] {
                let parameters = AgreementParameters(derivation: CK_ULONG(CKD_NULL), publicData: peer, ukm: ukm)
                variants.append(Mechanism(type: type, parameter: [], structure: .agreement(parameters)))
            }
        }
        return variants
    }

    /// Errors of a mechanism that does not accept the key, for any data.
    static let refusals: [CKError] = [
        .mechanismInvalid, .mechanismParameterInvalid, .keyTypeInconsistent, .wrappingKeyTypeInconsistent,
        CKError(CKR_UNWRAPPING_KEY_TYPE_INCONSISTENT), .keyFunctionNotPermitted,
    ]

    /// Inputs to sign or decrypt: digests, and blocks below the modulus.
    static let inputs = [20, 28, 32, 48, 64, 128].map { [0] + [UInt8](repeating: 1, count: $0 - 1) }

    static let operations: [Operation] = [
        Operation(name: "sign", flag: CKF_SIGN) { scene, mechanism, key, data throws(CKError) in
            try scene.run { session throws(CKError) in try session.signInit(mechanism, key: key) }
            try scene.run(during: CKF_SIGN) { session throws(CKError) in _ = try session.sign(data.span) }
        },
        Operation(name: "sign in parts") { scene, mechanism, key, data throws(CKError) in
            try scene.run { session throws(CKError) in
                try session.signInit(mechanism, key: key)
                try session.signUpdate(data.span)
            }
            try scene.run(during: CKF_SIGN) { session throws(CKError) in _ = try session.signFinal() }
        },
        Operation(name: "sign with recovery") { scene, mechanism, key, data throws(CKError) in
            try scene.run { session throws(CKError) in try session.signRecoverInit(mechanism, key: key) }
            try scene.run(during: CKF_SIGN_RECOVER) { session throws(CKError) in
                _ = try session.signRecover(data.span)
            }
        },
        Operation(name: "decrypt", flag: CKF_DECRYPT) { scene, mechanism, key, data throws(CKError) in
            try scene.run { session throws(CKError) in try session.decryptInit(mechanism, key: key) }
            try scene.run(during: CKF_DECRYPT) { session throws(CKError) in
                _ = try session.cipher(data.span, .decryption)
            }
        },
        Operation(name: "length of a decryption") { scene, mechanism, key, data throws(CKError) in
            try scene.run { session throws(CKError) in try session.decryptInit(mechanism, key: key) }
            try scene.run(during: CKF_DECRYPT) { session throws(CKError) in
                _ = try session.activeCipher(.decryption).exactSize(of: data.span)
            }
        },
        Operation(name: "decrypt in parts") { scene, mechanism, key, data throws(CKError) in
            try scene.run { session throws(CKError) in
                try session.decryptInit(mechanism, key: key)
                _ = try session.cipherUpdate(data.span, .decryption)
            }
            try scene.run(during: CKF_DECRYPT) { session throws(CKError) in _ = try session.cipherFinal(.decryption) }
        },
        Operation(name: "encrypt") { scene, mechanism, key, data throws(CKError) in
            try scene.run { session throws(CKError) in try session.encryptInit(mechanism, key: key) }
            try scene.run(during: CKF_ENCRYPT) { session throws(CKError) in
                _ = try session.cipher(data.span, .encryption)
            }
        },
        Operation(name: "unwrap") { scene, mechanism, key, data throws(CKError) in
            try scene.run { session throws(CKError) in
                _ = try session.unwrapKey(mechanism, data, with: key, template: Attributes())
            }
        },
        Operation(name: "transport", flag: CKF_UNWRAP, takesData: false) { scene, mechanism, key, _ throws(CKError) in
            let secret = try scene.run { session throws(CKError) in
                try session.generateKey(Mechanism(CKM_GOST28147_KEY_GEN), template: Attributes())
            }
            let publicKey = scene.publicKeys[scene.keys.firstIndex(of: key) ?? 0]
            let wrapped = try scene.run { session throws(CKError) in
                try session.wrapKey(mechanism, secret, with: publicKey)
            }
            try scene.run { session throws(CKError) in
                _ = try session.unwrapKey(mechanism, wrapped, with: key, template: Attributes())
            }
        },
        Operation(name: "transport by a sender", flag: CKF_WRAP, takesData: false) {
            scene, mechanism, key, _ throws(CKError) in
            let secret = try scene.run { session throws(CKError) in
                try session.generateKey(Mechanism(CKM_GOST28147_KEY_GEN), template: Attributes())
            }
            var parameters = KeyTransportParameters()
            parameters.key = key
            let mechanism = Mechanism(type: mechanism.type, parameter: [], structure: .transport(parameters))
            let publicKey = scene.publicKeys[scene.keys.firstIndex(of: key) ?? 0]
            try scene.run { session throws(CKError) in _ = try session.wrapKey(mechanism, secret, with: publicKey) }
        },
        Operation(name: "derive", flag: CKF_DERIVE, takesData: false) { scene, mechanism, key, _ throws(CKError) in
            let template = try Attributes(template: [
                (CKA_KEY_TYPE, CKK_GENERIC_SECRET.bytes), (CKA_VALUE_LEN, CK_ULONG(32).bytes),
            ])
            try scene.run { session throws(CKError) in
                _ = try session.deriveKey(mechanism, from: key, template: template)
            }
        },
    ]
}
