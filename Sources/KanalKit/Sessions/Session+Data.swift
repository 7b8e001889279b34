// SPDX-License-Identifier: Apache-2.0

import APDU
import Secrets
import Token
import Tokens

/// Raw data that an application keeps on a token.
public struct DataObject: Sendable, Equatable {
    /// The name that it was given.
    public let label: String
    /// The application to which they belong.
    public let application: String
    /// The number of bytes.
    public let size: Int
    /// Whether it is seen after the PIN only.
    public let isPrivate: Bool
    let reference: ObjectReference
}

extension Session {
    /// The data objects on the token. Private ones are seen after the PIN only.
    public func dataObjects() throws(KanalError) -> [DataObject] {
        try call { session throws(TokensError) in
            try session.objects { if case .data = $0.content { true } else { false } }
        }.compactMap { DataObject($0) }
    }

    /// The bytes of a data object.
    public func value(of object: DataObject) throws(KanalError) -> SecretBytes {
        SecretBytes(
            try call { session throws(TokensError) in SharedSecret(try session.value(of: object.reference.object)) })
    }

    /// Stores bytes on the token. The PIN is needed.
    ///
    /// - Parameters:
    ///   - application: The application that owns them.
    ///   - isPrivate: Whether they are visible after the PIN only.
    public func addData(
        _ value: Span<UInt8>, label: String, application: String = "", isPrivate: Bool = true
    ) throws(KanalError) -> DataObject {
        let secret = Secret(copying: value)
        let stored = try call { session throws(TokensError) in
            try session.storeData(
                secret, label: Array(label.utf8), application: Array(application.utf8), isPrivate: isPrivate)
        }
        guard let object = DataObject(stored) else { throw .objectNotFound }
        return object
    }

    /// Removes a data object from the token. It needs the PIN.
    public func delete(_ object: DataObject) throws(KanalError) { try delete(object.reference) }
}

extension DataObject {
    /// - Returns: nil unless the object is one of data.
    fileprivate init?(_ object: TokenObject) {
        guard case .data(let data) = object.content else { return nil }
        label = object.name
        application = String(decoding: data.application, as: UTF8.self)
        size = data.value?.count ?? 0
        isPrivate = object.isHidden
        reference = ObjectReference(object)
    }
}

extension Session {
    /// All objects on the token beside key pairs, certificates and data objects.
    public func otherObjects() throws(KanalError) -> [OtherObject] {
        OtherObject.all(in: try call { session throws(TokensError) in try session.objects() })
    }

    /// Removes an object from the token, for ever. It needs the PIN.
    public func delete(_ object: OtherObject) throws(KanalError) { try delete(object.reference) }
}

extension TokenObject {
    /// The name of a secret key's algorithm.
    var algorithm: String? {
        switch secretKeyType {
        case .gost28147: "GOST 28147-89"
        case .magma: "Magma"
        case .kuznyechik: "Kuznyechik"
        case .magmaTwin: "Magma, two keys"
        case .kuznyechikTwin: "Kuznyechik, two keys"
        case .aes: "AES"
        case .generic: "generic"
        case .hmac: "HMAC"
        case nil: nil
        }
    }
}

/// A licence, which makers of applications keep on a token to know it again. Formatting does not remove it.
public enum Licence {
    /// The numbers that licences have: 1 to 4.
    public static let numbers = TokenSlot.licenceNumbers
    /// The bytes of a licence: 72.
    public static let size = TokenSlot.licenceSize
}

extension Session {
    /// A licence's bytes; nil if they are all zeros, as on a token where none was written.
    ///
    /// - Parameter number: One of ``Licence/numbers``.
    public func licence(_ number: Int) throws(KanalError) -> [UInt8]? {
        let bytes = try inSlot { slot throws(TokensError) in try slot.licence(number) }
        return bytes.contains { $0 != 0 } ? bytes : nil
    }

    /// Writes a licence, for the user or the security officer.
    ///
    /// - Parameters:
    ///   - number: One of ``Licence/numbers``.
    ///   - bytes: ``Licence/size`` bytes; zeros take the licence away.
    public func setLicence(_ number: Int, to bytes: [UInt8]) throws(KanalError) {
        try inSlot { slot throws(TokensError) in try slot.setLicence(number, to: bytes) }
    }

    /// The token's record of the last signature by a key of GOST; nil before the first. No PIN is needed.
    public func journal() throws(KanalError) -> JournalRecord? {
        try call { session throws(TokensError) in
            try session.withToken { token throws(TokenError) in try token.journal() }
        }.map { JournalRecord($0) }
    }
}

/// The record of the last signature by a key of GOST. Signatures of RSA and ECDSA are not recorded, and formatting
/// does not remove it.
public struct JournalRecord: Sendable, Equatable {
    /// A signature in the journal.
    public struct Entry: Sendable, Equatable {
        /// The digest that was signed.
        public let digest: [UInt8]
        /// The signature, as ``Session/sign(_:with:algorithm:)`` returns it.
        public let signature: [UInt8]
        /// Whether the token hashed the message, and did not get its digest.
        public let isHashedByToken: Bool
        /// The number of the key's file on the token.
        public let keyNumber: Int
        /// The number of signatures by keys of GOST in the token's life.
        public let count: UInt32
        /// The token's serial number, eight bytes, big-endian.
        public let serialNumber: [UInt8]
    }

    /// The record as the token returns it, in BER.
    public let bytes: [UInt8]
    /// The contents; nil for an unknown form.
    public let entry: Entry?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        entry = try? Entry(bytes)
    }
}

extension JournalRecord.Entry {
    /// Card, 13.3.
    fileprivate init(_ record: [UInt8]) throws(MalformedBytes) {
        var outer = ByteCursor(record)
        var cursor = ByteCursor(try outer.object(0x80))
        try outer.finish()
        digest = try cursor.object(0xAA)
        signature = try cursor.object(0xB6).reversed()
        var operation = ByteCursor(try cursor.object(0x85, length: 12))
        serialNumber = try cursor.object(0x83, length: 8)
        guard try operation.byte() == 1 else { throw MalformedBytes() }
        _ = try operation.bytes(2)
        isHashedByToken = try operation.byte() == 1
        _ = try operation.bytes(2)
        keyNumber = try operation.uint16()
        count = try operation.uint32()
    }
}
