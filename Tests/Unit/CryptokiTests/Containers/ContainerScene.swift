// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Containers
import Cryptoki
import EmulatedTokens
import Emulator
import GOST
import Secrets
import TestSupport
import Testing
import Tokens

/// A token with containers of the vectors, and an application with User logged in.
struct ContainerScene {
    let reader: EmulatedReader
    let application: Application
    let session: CK_SESSION_HANDLE

    static let vectors: [String: JSON] = {
        let list = (try? JSON(vectors: "containers.json").containers.list) ?? []
        return Dictionary(list.map { ($0.id.text ?? "", $0) }) { first, _ in first }
    }()
    /// A container of one key of 256 bits, without a password.
    static let plain = "256-plain"
    static let digest = [UInt8](repeating: 7, count: 32)

    init(
        _ vectors: [String], first: UInt16 = 0x0A00, interaction: UserInteraction = UserInteraction()
    ) throws {
        reader = try EmulatedReader(.lite)
        for (index, name) in vectors.enumerated() {
            try reader.card.storeContainer(Self.files(name), in: first + UInt16(index) << 8)
        }
        application = Application(reader, store: Folder(), interaction: interaction)
        session = try application.open()
        try application.logIn(session)
    }

    /// The files of a vector by their numbers.
    static func files(_ name: String) throws -> [UInt8: [UInt8]] {
        let vector = try #require(vectors[name])
        var files: [UInt8: [UInt8]] = [:]
        for file in ContainerFile.allCases where !vector.files[file.fileName].isNull {
            files[file.rawValue] = vector.files[file.fileName].bytes
        }
        return files
    }

    /// The handles of a class of objects, with the identifier of a key.
    func find(_ objectClass: CK_OBJECT_CLASS, id: [UInt8]? = nil) throws -> [CK_OBJECT_HANDLE] {
        try application.find(session, [(CKA_CLASS, objectClass.bytes)] + (id.map { [(CKA_ID, $0)] } ?? []))
    }

    func attributes(_ object: CK_OBJECT_HANDLE) throws -> Attributes { try application.attributes(session, of: object) }

    /// Signs a digest, with the password of the key's container if it has one.
    func sign(_ key: CK_OBJECT_HANDLE, _ digest: [UInt8], password: String = "") throws -> [UInt8] {
        let mechanism = Mechanism(type: digest.count == 64 ? CKM_GOSTR3410_512 : CKM_GOSTR3410, parameter: [])
        try application.library.withSession(session) { session throws(CKError) in
            try session.signInit(mechanism, key: key)
        }
        if !password.isEmpty { try application.logIn(session, password, as: CKU_CONTEXT_SPECIFIC) }
        return try application.library.withSession(session, during: CKF_SIGN) { session throws(CKError) in
            try session.sign(digest.span)
        }
    }

    /// The only private key.
    func privateKey() throws -> CK_OBJECT_HANDLE { try #require(try find(CKO_PRIVATE_KEY).first) }

    /// Whether a signature is the one of a vector's first key.
    static func isValid(_ signature: [UInt8], by name: String = plain) throws -> Bool {
        let key = try #require(vectors[name]?.keys[0])
        let curve = try #require(Curve(oid: derObjectIdentifier(key.curve.text ?? "")))
        return try PublicKey(curve: curve, bytes: key.Q.bytes).isValidSignature(signature, digest: digest)
    }

    /// The commands that `body` sends, without those of the login.
    func cost(_ body: () throws -> Void) rethrows -> Int {
        let before = reader.headers.count
        try body()
        return reader.headers.dropFirst(before).count { $0[1] != 0x20 && $0[1] != 0x40 && $0[1] != 0xCA }
    }
}
