// SPDX-License-Identifier: Apache-2.0
import APDU

/// Something that a token keeps a record of.
package struct TokenObject: Sendable, Equatable {
    package var content: Content
    /// The file of its record, which names the object on this token. 0 before it is stored.
    package var file: UInt16 = 0
    /// Empty where ``attributes`` say everything.
    @Guarded package var label: [UInt8]
    package var id: [UInt8]
    /// Whether only User sees it.
    package var isPrivate: Bool
    /// Attributes that have no other place, by numbers that the driver does not interpret.
    @GuardedAttributes package var attributes: [UInt32: [UInt8]]
    /// Whether another program's format describes it, OpenSC's or CryptoPro CSP's: it can be used, and is changed and
    /// deleted by that program only.
    package var isForeign = false
    /// The key in a container that it belongs to; nil for everything outside of containers.
    package var container: ContainerReference?
    /// The file of the record that keeps what the vendor's format has no place for; 0 without one.
    package var annotation: UInt16 = 0

    /// The part that only an object of its kind has.
    package enum Content: Sendable, Equatable {
        /// One half of a key pair.
        case key(TokenKey)
        /// Subject and certificate in DER. The subject is empty where the format has no place for it, the certificate nil
        /// as long as it was not read.
        case certificate(subject: [UInt8], value: [UInt8]?)
        case data(TokenData)
        /// A key that the host computes with, and the file of its value; 0 without one.
        case secretKey(valueFile: UInt16)
        /// A public key that no key file belongs to.
        case publicKey
    }

    /// An object before it has a place on a token. The private half of a key pair is private anyway.
    package init(
        _ content: Content, label: [UInt8] = [], id: [UInt8] = [], isPrivate: Bool = false,
        attributes: [UInt32: [UInt8]] = [:]
    ) {
        self.content = content
        self.label = label
        self.id = id
        self.isPrivate = isPrivate
        self.attributes = attributes
        if key?.half == .privateKey { self.isPrivate = true }
    }
}

/// Values that a search does not read: of certificates and data objects.
extension TokenObject {
    /// Whether everything readable of the object was read.
    package var isRead: Bool {
        switch content {
        case .certificate(_, let value): value != nil
        case .data(let data): data.isRead
        case .key, .secretKey, .publicKey: true
        }
    }

    /// Whether this is the same object, as far as both were read.
    package func isSame(as other: TokenObject) -> Bool {
        guard file == other.file else { return false }
        return isRead == other.isRead ? self == other : unread == other.unread
    }

    /// The object as a search finds it.
    private var unread: TokenObject {
        var object = self
        object.value = nil
        return object
    }

    /// The value that a search does not read; nil of other objects.
    var value: [UInt8]? {
        get {
            switch content {
            case .certificate(_, let value): value
            case .data(let data): data.value
            case .key, .secretKey, .publicKey: nil
            }
        }
        set {
            switch content {
            case .certificate(let subject, _): content = .certificate(subject: subject, value: newValue)
            case .data(var data):
                data.value = newValue
                content = .data(data)
            case .key, .secretKey, .publicKey: break
            }
        }
    }

    /// The object with its value, out of its record.
    ///
    /// - Returns: nil if the record belongs to a different object, or has no value.
    func read(from record: ObjectRecord) -> TokenObject? {
        guard let found = TokenObject(record, file: file, in: directory), found.isRead, found.label == label,
            found.id == id, found.describes(self)
        else { return nil }
        var object = self
        object.value = found.value
        return object
    }

    /// Whether the other object has the same properties, but for its value.
    private func describes(_ other: TokenObject) -> Bool {
        switch (content, other.content) {
        case (.certificate(let own, _), .certificate(let other, _)): own == other
        case (.data(let own), .data(let other)):
            own.application == other.application && own.objectIdentifier == other.objectIdentifier
        default: false
        }
    }
}

extension TokenObject {
    package var key: TokenKey? { if case .key(let key) = content { key } else { nil } }

    /// Whether the vendor's format describes it. The rest is kept in an annotation.
    var isVendors: Bool { directory != .data }

    var directory: RecordDirectory { content.directory }

    /// The object's place in a search: kinds one after another, and in each OpenSC's objects last.
    fileprivate var rank: Int {
        let kind =
            switch content {
            case .key(let key): key.kind.rank
            case .certificate: 3
            case .data: 4
            case .secretKey, .publicKey: 5
            }
        return 2 * kind + (isForeign ? 1 : 0)
    }

    /// The file that is deleted together with the record.
    var ownFile: (identifier: UInt16, directory: FilePath)? {
        switch content {
        case .key(let key): (UInt16(key.number), key.half == .publicKey ? .publicKeys : .privateKeys)
        case .secretKey(let file) where file != 0: (file, RecordDirectory.data.path)
        case .certificate, .data, .secretKey, .publicKey: nil
        }
    }
}

extension [TokenObject] {
    /// In the order of a search; the sort is stable.
    var sortedByKind: [TokenObject] { sorted { $0.rank < $1.rank } }

    /// Adds stored objects, behind others of their kind.
    mutating func enter(_ objects: [TokenObject]) { self = (self + objects).sortedByKind }

    /// Puts a changed object into the place of `object`, as the index has it.
    mutating func replace(_ object: TokenObject, by changed: TokenObject) {
        guard let place = firstIndex(where: { $0.hasPlace(of: object) }) else { return enter([changed]) }
        self[place] = changed
    }

    /// Removes the object in the place of `object`.
    mutating func remove(_ object: TokenObject) { removeAll { $0.hasPlace(of: object) } }
}

extension TokenObject {
    fileprivate func hasPlace(of other: TokenObject) -> Bool {
        file == other.file && directory == other.directory && !isForeign
    }
}

extension TokenObject.Content {
    var directory: RecordDirectory {
        switch self {
        case .key: .keys
        case .certificate: .certificates
        case .data, .secretKey, .publicKey: .data
        }
    }
}

/// The record of an object.
extension TokenObject {
    /// - Returns: nil if the record is a key pair's, of nothing that belongs into the directory, or has no value.
    init?(_ record: ObjectRecord, file: UInt16, in directory: RecordDirectory) {
        let content: Content
        let value = record[.value]
        switch (record.kind, value != nil || record.unreadValue != nil) {
        case (.certificate, true): content = .certificate(subject: record[.subject] ?? [], value: value)
        case (.data, true):
            content = .data(
                TokenData(
                    application: record[.application] ?? [], objectIdentifier: record[.objectIdentifier] ?? [],
                    value: value))
        case (.secretKey, _):
            let file = record[.valueFile] ?? []
            content = .secretKey(valueFile: file.count == 2 ? UInt16(file[0]) << 8 | UInt16(file[1]) : 0)
        case (.publicValue, _): content = .publicKey
        default: return nil
        }
        guard content.directory == directory else { return nil }
        self.init(
            content, label: record[.label] ?? [], id: record[.id] ?? [], isPrivate: record.isPrivate,
            attributes: directory == .data ? record.attributes : [:])
        self.file = file
    }

    var record: ObjectRecord {
        var record: ObjectRecord
        switch content {
        case .key(let key):
            record = ObjectRecord(
                kind: key.half == .publicKey ? .publicKey : .privateKey, keyNumber: key.number,
                items: key.kind.items(label: label, id: id))
            // Not every token returns a public key, so our own records keep it.
            record[.value] = key.kind.value
        case .certificate(let subject, let value):
            record = ObjectRecord(certificate: value ?? [], subject: subject, label: label, id: id)
        case .data(let data):
            record = ObjectRecord(
                kind: .data, keyNumber: 0,
                items: [
                    (.label, label), (.application, data.application), (.objectIdentifier, data.objectIdentifier),
                    (.value, data.value ?? []),
                ])
        case .secretKey, .publicKey:
            record = ObjectRecord(kind: content == .publicKey ? .publicValue : .secretKey, keyNumber: 0, items: [])
        }
        record.isPrivate = isPrivate
        if !isVendors { record.append(attributes) }
        if case .secretKey(let file) = content, file != 0 { record[.valueFile] = file.bytes }
        return record
    }
}

extension ObjectRecord {
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
