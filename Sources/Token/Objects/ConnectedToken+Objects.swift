// SPDX-License-Identifier: Apache-2.0
import APDU
package import Secrets

/// Certificates, in the vendor's format, and in this project's data objects, and keys that the host computes with: no
/// command that a token is known to have computes with a secret key.
extension ConnectedToken {
    /// Stores an object that is not half of a key pair. Needs User's login.
    ///
    /// - Parameters:
    ///   - object: The object to store; the token chooses its place.
    ///   - value: A secret key's value, in a file of its own that no search reads; empty for none.
    package func store(
        _ object: TokenObject, value: borrowing Secret = Secret(count: 0)
    ) throws(TokenError) -> TokenObject {
        guard object.key == nil, object.isRead else { throw .unsupported }
        // An item's length has two bytes, a file's fifteen bits.
        guard object.record.items.allSatisfy({ $0.value.count < 0x8000 }) else { throw .memoryFull }
        let value = value.copy()
        return try transaction { card throws(TokenError) in
            try card.requireWritable()
            try card.requireLogin(.user)
            return try card.changing { () throws(TokenError) in try card.storeObject(object, value) }
        }
    }

    /// The value of a secret key. Needs User's login if the key is private.
    package func value(of object: TokenObject) throws(TokenError) -> Secret {
        try transaction { card throws(TokenError) in
            if object.isPrivate { try card.requireLogin(.user) }
            guard case .secretKey(let file) = object.content, file != 0 else { throw .notFound }
            let size = try card.select(RecordDirectory.data.file(file)).size
            return try card.readSecret(count: size)
        }
    }

    /// Changes an object. Of one in the vendor's format label, identifier, privacy and attributes change; the rest of
    /// its record stays as it is. Needs User's login.
    package func change(_ object: TokenObject, to changed: TokenObject) throws(TokenError) -> TokenObject {
        guard !object.isForeign, changed.isRead || changed.isVendors else { throw .unsupported }
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            return try card.changing { () throws(TokenError) in try card.changeObject(object, to: changed) }
        }
    }

    /// Deletes an object, and its key file or value. Needs User's login.
    package func delete(_ object: TokenObject) throws(TokenError) {
        guard !object.isForeign else { throw .unsupported }
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.changing { () throws(TokenError) in try card.deleteObject(object) }
        }
    }
}

extension Transaction {
    fileprivate func storeObject(_ new: TokenObject, _ value: borrowing Secret) throws(TokenError) -> TokenObject {
        var object = new
        if !value.isEmpty {
            object.content = .secretKey(valueFile: try createFile(of: value, isPrivate: object.isPrivate))
        }
        do throws(TokenError) {
            let stored = try store([object])
            guard let first = stored.first else { throw .malformedAnswer }
            objectsChanged { $0.enter(stored) }
            return first
        } catch {
            throw undoing(error) { () throws(TokenError) in
                if let file = object.ownFile { try delete(file.identifier, in: file.directory) }
            }
        }
    }

    fileprivate func changeObject(_ object: TokenObject, to changed: TokenObject) throws(TokenError) -> TokenObject {
        var record = changed.record
        if object.isVendors {
            guard var present = ObjectRecord(parsing: try read(object.directory.file(object.file))) else {
                throw .malformedAnswer
            }
            present[.label] = changed.label
            present[.id] = changed.id
            present.isPrivate = changed.isPrivate
            record = present
        }
        let stored = try store([changed], as: record, replacing: object.file)
        try removeAnnotation(of: object)
        guard let first = stored.first else { throw .malformedAnswer }
        objectsChanged { $0.replace(object, by: first) }
        return first
    }

    fileprivate func deleteObject(_ object: TokenObject) throws(TokenError) {
        try removeRecord(object.file, from: object.directory)
        try removeAnnotation(of: object)
        if let file = object.ownFile { try delete(file.identifier, in: file.directory) }
        objectsChanged { $0.remove(object) }
    }

    fileprivate func createFile(of value: borrowing Secret, isPrivate: Bool) throws(TokenError) -> UInt16 {
        let directory = RecordDirectory.data.path
        let file = try freeFile(in: directory)
        try select(directory)
        try perform(
            .create(
                file, .elementary, size: value.count,
                access: .file(read: isPrivate ? .user : .anybody, update: .user, delete: .user)))
        var written = 0
        while written < value.count {
            let block = value.extracting(written..<min(written + 200, value.count))
            let offset = written
            written += block.count
            try perform(.update(at: offset, block))
        }
        return file
    }
}
