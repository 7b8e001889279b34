import APDU

/// Certificates, in the vendor's format, and data objects, in this project's.
extension Token {
    /// Stores a certificate that everybody may read. Needs User's login.
    ///
    /// - Parameters:
    ///   - value: The certificate, DER.
    ///   - subject: Its subject, DER. Issuer and serial number have no place in the format.
    public func storeCertificate(
        _ value: [UInt8], subject: [UInt8], label: [UInt8], id: [UInt8]
    ) throws(TokenError) -> TokenCertificate {
        let record = ObjectRecord(certificate: value, subject: subject, label: label, id: id)
        let file = try store(record, on: .certificates)
        return TokenCertificate(file: file, label: label, id: id, subject: subject, value: value)
    }

    /// Deletes a certificate. Needs User's login.
    public func delete(_ certificate: TokenCertificate) throws(TokenError) {
        guard !certificate.isForeign else { throw .unsupported }
        try delete(certificate.file, from: .certificates)
    }

    /// Stores a data object. Needs User's login.
    ///
    /// - Parameter data: What it shall be; the file is chosen by the token.
    public func storeData(_ data: TokenData) throws(TokenError) -> TokenData {
        var data = data
        var record = ObjectRecord(
            kind: .data, keyNumber: 0,
            items: [
                (.label, data.label), (.application, data.application), (.objectIdentifier, data.objectIdentifier),
                (.value, data.value),
            ])
        record.isPrivate = data.isPrivate
        data.file = try store(record, on: .data)
        return data
    }

    /// Deletes a data object. Needs User's login.
    public func delete(_ data: TokenData) throws(TokenError) {
        guard !data.isForeign else { throw .unsupported }
        try delete(data.file, from: .data)
    }

    private func store(_ record: ObjectRecord, on shelf: Shelf) throws(TokenError) -> UInt16 {
        // Two bytes say how long an item is, fifteen bits how long a file.
        guard record.items.allSatisfy({ $0.value.count < 0x8000 }) else { throw .memoryFull }
        return try transaction { () throws(TokenError) in
            try requireLogin(.user)
            guard let file = try store([record], on: shelf).first else { throw .malformedAnswer }
            return file
        }
    }

    private func delete(_ file: UInt16, from shelf: Shelf) throws(TokenError) {
        try transaction { () throws(TokenError) in
            try requireLogin(.user)
            try removeRecord(file, from: shelf)
        }
    }
}

extension ObjectRecord {
    /// The record that the vendor's library makes of a certificate.
    init(certificate value: [UInt8], subject: [UInt8], label: [UInt8], id: [UInt8]) {
        let zeros = [UInt8](repeating: 0, count: 4)
        self.init(
            kind: .certificate, keyNumber: 0,
            items: [
                (.label, label), (.subject, subject), (.id, id), (.value, value), (.category, zeros), (.trusted, [0]),
                (.certificate10, zeros), (.certificate11, zeros),
            ])
    }
}

extension TokenCertificate {
    /// - Returns: nil if the record is not a certificate's.
    init?(_ record: ObjectRecord, file: UInt16) {
        guard record.kind == .certificate, let value = record[.value] else { return nil }
        self.init(
            file: file, label: record[.label] ?? [], id: record[.id] ?? [], subject: record[.subject] ?? [],
            value: value)
    }
}

extension TokenData {
    /// - Returns: nil if the record is not a data object's.
    init?(_ record: ObjectRecord, file: UInt16) {
        guard record.kind == .data, let value = record[.value] else { return nil }
        self.init(
            file: file, label: record[.label] ?? [], application: record[.application] ?? [],
            objectIdentifier: record[.objectIdentifier] ?? [], value: value, isPrivate: record.isPrivate)
    }
}
