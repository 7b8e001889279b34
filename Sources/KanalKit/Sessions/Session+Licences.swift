// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki

/// A licence, which makers of applications keep on a token to know it again. Formatting does not remove it.
public enum Licence {
    /// The numbers that licences have: 1 to 4.
    public static let numbers = Cryptoki.Session.licenceNumbers
    /// The bytes of a licence: 72.
    public static let size = Cryptoki.Session.licenceSize
}

extension Session {
    /// A licence's bytes; nil if they are all zeros, as on a token where none was written.
    ///
    /// - Parameter number: One of ``Licence/numbers``.
    public func licence(_ number: Int) throws(KanalError) -> [UInt8]? {
        let octets = try call { session throws(CKError) in try session.licence(CK_ULONG(clamping: number)) }
        return octets.contains { $0 != 0 } ? octets : nil
    }

    /// Writes a licence, for the user or the security officer.
    ///
    /// - Parameters:
    ///   - number: One of ``Licence/numbers``.
    ///   - octets: ``Licence/size`` bytes; zeros take the licence away.
    public func setLicence(_ number: Int, to octets: [UInt8]) throws(KanalError) {
        try call { session throws(CKError) in try session.setLicence(CK_ULONG(clamping: number), to: octets) }
    }

    /// The token's record of the last signature by a key of GOST; nil before the first. No PIN is needed.
    public func journal() throws(KanalError) -> JournalRecord? {
        let octets = try translated { () throws(CKError) in try library.journal(in: slot) }
        return octets.isEmpty ? nil : JournalRecord(octets)
    }
}

/// The record of the last signature by a key of GOST. Signatures of RSA and ECDSA are not recorded, and formatting
/// does not remove it.
public struct JournalRecord: Sendable, Equatable {
    /// A signature in the journal.
    public struct Entry: Sendable, Equatable {
        /// The digest that was signed.
        public let digest: [UInt8]
        /// The signature, as ``Session/sign(_:with:algorithm:)`` gives it.
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

    /// The record as the token gives it, in BER.
    public let octets: [UInt8]
    /// The contents; nil for an unknown form.
    public let entry: Entry?

    init(_ octets: [UInt8]) {
        self.octets = octets
        entry = try? Entry(octets)
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
