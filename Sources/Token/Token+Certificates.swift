import APDU

/// Certificates, in the vendor's format, and data objects, in this project's.
extension Token {
    /// Stores a certificate that everybody may read, if its annotation does not say otherwise. Needs User's login.
    ///
    /// - Parameter certificate: What it shall be; the file is chosen by the token.
    package func storeCertificate(_ certificate: TokenCertificate) throws(TokenError) -> TokenCertificate {
        var record = ObjectRecord(
            certificate: certificate.value, subject: certificate.subject, label: certificate.label, id: certificate.id)
        record.isPrivate = certificate.annotation.isPrivate
        let described = record
        try record.requireStorableItems()
        return try transaction { card throws(TokenError) in
            let stored = try card.store(described, certificate.annotation, on: .certificates)
            var certificate = certificate
            (certificate.file, certificate.annotation) = stored
            let entered = certificate
            card.objectsChanged { $0.certificates.enter(entered) }
            return certificate
        }
    }

    /// Deletes a certificate. Needs User's login.
    package func delete(_ certificate: TokenCertificate) throws(TokenError) {
        guard !certificate.isForeign else { throw .unsupported }
        try delete(certificate.file, certificate.annotation, from: .certificates) {
            $0.certificates.remove(certificate.file)
        }
    }

    /// Stores a data object. Needs User's login.
    ///
    /// - Parameter data: What it shall be; the file is chosen by the token.
    package func storeData(_ data: TokenData) throws(TokenError) -> TokenData {
        try data.record.requireStorableItems()
        return try transaction { card throws(TokenError) in
            var stored = data
            stored.file = try card.store(data.record, ObjectAnnotation(), on: .data).file
            card.objectsChanged { $0.data.enter(stored) }
            return stored
        }
    }

    /// Deletes a data object. Needs User's login.
    package func delete(_ data: TokenData) throws(TokenError) {
        guard !data.isForeign else { throw .unsupported }
        try delete(data.file, ObjectAnnotation(), from: .data) { $0.data.remove(data.file) }
    }

    private func delete(
        _ file: UInt16, _ annotation: ObjectAnnotation, from shelf: Shelf,
        removing: @Sendable (inout TokenObjects) -> Void
    ) throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.removeRecord(file, from: shelf, annotation: annotation)
            card.objectsChanged(removing)
        }
    }
}

extension Transaction {
    fileprivate func store(
        _ record: ObjectRecord, _ annotation: ObjectAnnotation, on shelf: Shelf
    ) throws(TokenError) -> (file: UInt16, annotation: ObjectAnnotation) {
        try requireLogin(.user)
        guard let stored = try store([(record, annotation)], on: shelf).first else { throw .malformedAnswer }
        return stored
    }
}

extension ObjectRecord {
    /// Makes sure that the card has room for each item: two bytes say how long one is, fifteen bits how long a file.
    fileprivate func requireStorableItems() throws(TokenError) {
        guard items.allSatisfy({ $0.value.count < 0x8000 }) else { throw .memoryFull }
    }

    /// The record that the vendor's library makes of a certificate.
    package init(certificate value: [UInt8], subject: [UInt8], label: [UInt8], id: [UInt8]) {
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
        attributes = record.attributes
    }

    var record: ObjectRecord {
        var record = ObjectRecord(
            kind: .data, keyNumber: 0,
            items: [
                (.label, label), (.application, application), (.objectIdentifier, objectIdentifier), (.value, value),
            ])
        record.isPrivate = isPrivate
        record.append(attributes)
        return record
    }
}
