/// A key in this project's own format: a secret key, or a public key that no key file belongs to.
package struct TokenStoredKey: Sendable, Equatable {
    package enum Kind: Sendable { case secretKey, publicKey }

    package var kind: Kind
    /// The file of its record: what names the key on this token. 0 before it is stored.
    package var file: UInt16 = 0
    /// Whether only User sees it.
    package var isPrivate: Bool
    /// Everything that is said of it, by numbers that the driver does not interpret.
    @GuardedAttributes package var attributes: [UInt32: [UInt8]]
    /// The file of a secret key's value; 0 if there is none.
    var valueFile: UInt16 = 0

    package init(kind: Kind, isPrivate: Bool, attributes: [UInt32: [UInt8]]) {
        self.kind = kind
        self.isPrivate = isPrivate
        self.attributes = attributes
    }
}

extension TokenStoredKey {
    /// - Returns: nil if the record is no such key's.
    init?(_ record: ObjectRecord, file: UInt16) {
        switch record.kind {
        case .secretKey: kind = .secretKey
        case .publicValue: kind = .publicKey
        default: return nil
        }
        self.file = file
        isPrivate = record.isPrivate
        attributes = record.attributes
        if let bytes = record[.valueFile], bytes.count == 2 { valueFile = UInt16(bytes[0]) << 8 | UInt16(bytes[1]) }
    }

    var record: ObjectRecord {
        var record = ObjectRecord(kind: kind == .secretKey ? .secretKey : .publicValue, keyNumber: 0, items: [])
        record.isPrivate = isPrivate
        record.append(attributes)
        if valueFile != 0 {
            record[.valueFile] = [UInt8(truncatingIfNeeded: valueFile >> 8), UInt8(truncatingIfNeeded: valueFile)]
        }
        return record
    }
}
