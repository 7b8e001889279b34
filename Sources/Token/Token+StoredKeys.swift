import APDU
package import Secrets

/// Keys in this project's own format. No command that a token is known to have computes with a secret key, so that the
/// host does, with a value that User can read.
extension Token {
    /// Stores a key. Needs User's login.
    ///
    /// - Parameters:
    ///   - key: What it shall be; the files are chosen by the token.
    ///   - value: A secret key's value, in a file of its own that no search reads; empty for none.
    package func storeKey(_ key: TokenStoredKey, value: borrowing Secret) throws(TokenError) -> TokenStoredKey {
        let value = value.copy()
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            var key = key
            if !value.isEmpty { key.valueFile = try card.createFile(of: value, isPrivate: key.isPrivate) }
            do throws(TokenError) {
                key.file = try card.store([key.record], on: .data).first ?? 0
                card.objectsChanged { $0.storedKeys.enter(key) }
                return key
            } catch {
                if key.valueFile != 0 { try? card.delete(key.valueFile, in: Shelf.data.directory) }
                throw error
            }
        }
    }

    /// The value of a secret key. Needs User's login if the key is private.
    package func value(of key: TokenStoredKey) throws(TokenError) -> Secret {
        try transaction { card throws(TokenError) in
            if key.isPrivate { try card.requireLogin(.user) }
            guard key.valueFile != 0 else { throw .notFound }
            let size = try card.select(Shelf.data.file(key.valueFile)).size
            return try card.readSecret(count: size)
        }
    }

    /// Changes what is said of a key. Needs User's login.
    package func change(_ key: TokenStoredKey, to changed: TokenStoredKey) throws(TokenError) -> TokenStoredKey {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            var changed = changed
            changed.file = try card.store([changed.record], on: .data, replacing: key.file).first ?? 0
            card.objectsChanged { objects in
                objects.storedKeys.remove(key.file)
                objects.storedKeys.enter(changed)
            }
            return changed
        }
    }

    /// Deletes a key. Needs User's login.
    package func delete(_ key: TokenStoredKey) throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.removeRecord(key.file, from: .data)
            if key.valueFile != 0 { try card.delete(key.valueFile, in: Shelf.data.directory) }
            card.objectsChanged { $0.storedKeys.remove(key.file) }
        }
    }
}

extension Transaction {
    fileprivate func createFile(of value: borrowing Secret, isPrivate: Bool) throws(TokenError) -> UInt16 {
        let file = try freeFile(in: Shelf.data.directory)
        try select(Shelf.data.directory)
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
