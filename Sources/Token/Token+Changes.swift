/// What the vendor's format keeps a record of: half of a key pair, or a certificate.
public protocol RecordedObject: Sendable {
    /// The file of the record.
    var file: UInt16 { get set }
    var label: [UInt8] { get set }
    var id: [UInt8] { get set }
    var annotation: ObjectAnnotation { get set }
    /// Whether OpenSC's format describes it.
    var isForeign: Bool { get }
}

extension TokenKey: RecordedObject {}
extension TokenRSAKey: RecordedObject {}
extension TokenCertificate: RecordedObject {}

extension Token {
    /// Changes label, identifier and annotation of an object. Whatever else its record says stays as it is. Needs User's
    /// login.
    public func change<Object: RecordedObject>(_ object: Object, to changed: Object) throws(TokenError) -> Object {
        guard !object.isForeign else { throw .unsupported }
        let shelf: Shelf = object is TokenCertificate ? .certificates : .keys
        return try transaction { () throws(TokenError) in
            try requireLogin(.user)
            guard var record = ObjectRecord(parsing: try read(shelf.file(object.file))) else { throw .malformedAnswer }
            record[.label] = changed.label
            record[.id] = changed.id
            record.isPrivate = changed.annotation.isPrivate
            let stored = try store([(record, changed.annotation)], on: shelf, replacing: object.file)
            if object.annotation.file != 0 { try removeAnnotation(object.annotation.file) }
            guard let first = stored.first else { throw .malformedAnswer }
            var changed = changed
            changed.file = first.file
            changed.annotation = first.annotation
            return changed
        }
    }

    /// Changes a data object. Needs User's login.
    public func change(_ data: TokenData, to changed: TokenData) throws(TokenError) -> TokenData {
        guard !data.isForeign else { throw .unsupported }
        return try transaction { () throws(TokenError) in
            try requireLogin(.user)
            var changed = changed
            changed.file = try store([changed.record], on: .data, replacing: data.file).first ?? 0
            return changed
        }
    }
}
