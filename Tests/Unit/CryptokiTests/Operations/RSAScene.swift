// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Secrets
import TestSupport

/// A session with a token in which User is logged in, and a key of RSA that the openssl program has made.
struct RSAScene {
    let scene: SecretKeyScene
    let openssl: OpenSSL
    /// n, e, d, p, q, d modulo p − 1, d modulo q − 1, the inverse of q modulo p.
    let numbers: [[UInt8]]

    init(bits: Int = 1024) throws {
        scene = try SecretKeyScene()
        openssl = try OpenSSL()
        numbers = try RSANumbers.privateKey(bits: bits, by: openssl)
    }

    var publicTemplate: ObjectTests.Template {
        [
            (CKA_CLASS, CKO_PUBLIC_KEY.bytes), (CKA_KEY_TYPE, CKK_RSA.bytes), (CKA_MODULUS, numbers[0]),
            (CKA_PUBLIC_EXPONENT, numbers[1]),
        ]
    }

    /// The private key without the factors, which make it fast.
    var shortTemplate: ObjectTests.Template {
        [
            (CKA_CLASS, CKO_PRIVATE_KEY.bytes), (CKA_KEY_TYPE, CKK_RSA.bytes), (CKA_MODULUS, numbers[0]),
            (CKA_PUBLIC_EXPONENT, numbers[1]), (CKA_PRIVATE_EXPONENT, numbers[2]),
        ]
    }

    var privateTemplate: ObjectTests.Template {
        let types = [CKA_PRIME_1, CKA_PRIME_2, CKA_EXPONENT_1, CKA_EXPONENT_2, CKA_COEFFICIENT]
        return shortTemplate + zip(types, numbers.dropFirst(3)).map { ($0, $1) }
    }

    func create(_ template: ObjectTests.Template) throws -> CK_OBJECT_HANDLE {
        try scene.application.create(scene.session, template)
    }

    func attributes(of key: CK_OBJECT_HANDLE) throws -> Attributes {
        try scene.application.attributes(scene.session, of: key)
    }
}

extension SecretKeyScene {
    func sign(_ mechanism: Mechanism, _ key: CK_OBJECT_HANDLE, _ parts: [[UInt8]]) throws(CKError) -> [UInt8] {
        try inSession { session throws(CKError) in
            try session.signInit(mechanism, key: key)
            if parts.count == 1, let data = parts.first { return try session.sign(data.span) }
            for part in parts { try session.signUpdate(part.span) }
            return try session.signFinal()
        }
    }

    func verify(
        _ mechanism: Mechanism, _ key: CK_OBJECT_HANDLE, _ data: [UInt8], _ signature: [UInt8]
    ) throws(CKError) {
        try inSession { session throws(CKError) in
            try session.verifyInit(mechanism, key: key)
            try session.verify(data.span, signature: signature)
        }
    }

    func encrypt(_ mechanism: Mechanism, _ key: CK_OBJECT_HANDLE, _ data: [UInt8]) throws(CKError) -> [UInt8] {
        try inSession { session throws(CKError) in
            try session.encryptInit(mechanism, key: key)
            let result = try session.cipher(data.span, .encryption)
            return [UInt8](copying: result)
        }
    }

    func decrypt(_ mechanism: Mechanism, _ key: CK_OBJECT_HANDLE, _ data: [UInt8]) throws(CKError) -> [UInt8] {
        try inSession { session throws(CKError) in
            try session.decryptInit(mechanism, key: key)
            let result = try session.cipher(data.span, .decryption)
            return [UInt8](copying: result)
        }
    }
}

extension Mechanism {
    init(_ type: CK_MECHANISM_TYPE, _ numbers: CK_ULONG...) {
        self.init(type: type, parameter: numbers.flatMap(\.bytes))
    }

    static func oaep(
        _ hash: CK_MECHANISM_TYPE, _ mask: CK_ULONG, source: CK_ULONG = CK_ULONG(CKZ_DATA_SPECIFIED),
        label: [UInt8] = []
    ) -> Mechanism {
        Mechanism(
            type: CKM_RSA_PKCS_OAEP, parameter: [],
            structure: .oaep(OAEPParameters(hash: hash, maskGeneration: mask, source: source, label: label)))
    }
}
