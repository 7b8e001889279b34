/// What a record describes.
package protocol FiledObject: Sendable {
    /// The file of the record.
    var file: UInt16 { get set }
    /// Whether OpenSC's format describes it.
    var isForeign: Bool { get }
}

/// What the vendor's format keeps a record of: half of a key pair, or a certificate.
package protocol RecordedObject: FiledObject {
    var label: [UInt8] { get set }
    var id: [UInt8] { get set }
    var annotation: ObjectAnnotation { get set }
}

extension TokenKey: RecordedObject {}
extension TokenRSAKey: RecordedObject {}
extension TokenCertificate: RecordedObject {}
extension TokenData: FiledObject {}
extension TokenStoredKey: FiledObject { package var isForeign: Bool { false } }

extension Token {
    /// Changes label, identifier and annotation of an object. Whatever else its record says stays as it is. Needs User's
    /// login.
    package func change<Object: RecordedObject>(_ object: Object, to changed: Object) throws(TokenError) -> Object {
        guard !object.isForeign else { throw .unsupported }
        let shelf: Shelf = object is TokenCertificate ? .certificates : .keys
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            guard var record = ObjectRecord(parsing: try card.read(shelf.file(object.file))) else {
                throw .malformedAnswer
            }
            record[.label] = changed.label
            record[.id] = changed.id
            record.isPrivate = changed.annotation.isPrivate
            let stored = try card.store([(record, changed.annotation)], on: shelf, replacing: object.file)
            if object.annotation.file != 0 { try card.removeAnnotation(object.annotation.file) }
            guard let first = stored.first else { throw .malformedAnswer }
            var changed = changed
            changed.file = first.file
            changed.annotation = first.annotation
            card.objectsChanged { $0.replace(object.file, by: changed) }
            return changed
        }
    }

    /// Changes a data object. Needs User's login.
    package func change(_ data: TokenData, to changed: TokenData) throws(TokenError) -> TokenData {
        guard !data.isForeign else { throw .unsupported }
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            var changed = changed
            changed.file = try card.store([changed.record], on: .data, replacing: data.file).first ?? 0
            card.objectsChanged { objects in
                objects.data.remove(data.file)
                objects.data.enter(changed)
            }
            return changed
        }
    }
}

extension Array where Element: FiledObject {
    /// Adds what was stored, behind its likes and before what OpenSC has stored: in the order of a search.
    mutating func enter(_ objects: Element...) {
        insert(contentsOf: objects, at: firstIndex { $0.isForeign } ?? endIndex)
    }

    mutating func remove(_ file: UInt16) { removeAll { $0.file == file && !$0.isForeign } }
}

extension TokenObjects {
    /// Puts a changed object into the place of what it was.
    fileprivate mutating func replace(_ file: UInt16, by object: some RecordedObject) {
        switch object {
        case let key as TokenKey: keys.replace(file, by: key)
        case let key as TokenRSAKey: rsaKeys.replace(file, by: key)
        case let key as TokenECKey: ecKeys.replace(file, by: key)
        case let certificate as TokenCertificate: certificates.replace(file, by: certificate)
        default: break
        }
    }
}

extension Array where Element: RecordedObject {
    /// Its record says what it said before, but for what ``Token/change(_:to:)`` changes.
    fileprivate mutating func replace(_ file: UInt16, by object: Element) {
        guard var present = first(where: { $0.file == file && !$0.isForeign }) else { return }
        remove(file)
        (present.file, present.label, present.id) = (object.file, object.label, object.id)
        present.annotation = object.annotation
        enter(present)
    }
}
