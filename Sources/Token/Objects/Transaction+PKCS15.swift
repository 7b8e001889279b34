// SPDX-License-Identifier: Apache-2.0
import APDU

/// Reading objects that OpenSC has stored. Its keys are in the vendor's places, only the descriptions are elsewhere.
extension Transaction {
    /// The objects that OpenSC's files describe.
    ///
    /// - Parameter content: The content of the file that lists the directory files.
    func readPKCS15(_ content: [UInt8]) throws(TokenError) -> [TokenObject] {
        let directories = PKCS15Directories(parsing: content).files
        let contents = try readFiles(directories.map(\.path))
        var entries: [PKCS15Directories.Kind: [PKCS15Entry]] = [:]
        for (directory, file) in zip(directories, contents) {
            guard let content = file.whole else { continue }
            let described = PKCS15Entry.entries(in: content)
            try spend(files: described.count)
            entries[directory.kind, default: []] += described
        }
        let values = try readValues(entries)
        let publicKeys = entries[.publicKeys] ?? []
        var objects = publicKeys.compactMap { $0.key(.publicKey, values[$0.path]) }
        // Everybody may read which private keys there are, but only User is told.
        for entry in entries[.privateKeys] ?? [] where login == .user {
            let publicKey = publicKeys.first { $0.id == entry.id && $0.tag == entry.tag }
            if let key = entry.key(.privateKey, publicKey.flatMap { values[$0.path] }) { objects.append(key) }
        }
        for entry in entries[.certificates] ?? [] {
            guard let value = values[entry.path] else { continue }
            objects.append(entry.object(.certificate(subject: [], value: value)))
        }
        for entry in entries[.data] ?? [] {
            guard let value = values[entry.path] else { continue }
            let data = TokenData(application: entry.application, objectIdentifier: entry.objectIdentifier, value: value)
            objects.append(entry.object(.data(data), isPrivate: entry.isPrivate))
        }
        return objects
    }

    /// The files of public keys, certificates and data objects that this login may read.
    private func readValues(
        _ entries: [PKCS15Directories.Kind: [PKCS15Entry]]
    ) throws(TokenError) -> [FilePath: [UInt8]] {
        let kinds: [PKCS15Directories.Kind] = [.publicKeys, .certificates, .data]
        let paths = kinds.flatMap { (entries[$0] ?? []).map(\.path) }
        var values: [FilePath: [UInt8]] = [:]
        for (path, content) in zip(paths, try readFiles(paths)) { values[path] = content.whole }
        return values
    }
}

extension PKCS15Entry {
    fileprivate func object(_ content: TokenObject.Content, isPrivate: Bool = false) -> TokenObject {
        var object = TokenObject(content, label: label, id: id, isPrivate: isPrivate)
        object.file = path.identifiers.last ?? 0
        object.isForeign = true
        return object
    }

    /// One half of a key pair; nil if it is of no known kind, or if a private key is not in the vendor's place.
    ///
    /// - Parameter publicKey: The content of the public key's file.
    fileprivate func key(_ half: TokenKey.Half, _ publicKey: [UInt8]?) -> TokenObject? {
        guard half == .publicKey || path.identifiers.dropLast().elementsEqual(FilePath.privateKeys.identifiers) else {
            return nil
        }
        for form in keyKinds {
            guard let kind = form.init(self, half, publicKey: publicKey) else { continue }
            var key = TokenKey(half, kind, isLocal ? [] : .imported)
            // The last part of the path: a private key's is its number.
            if half == .privateKey { key.number = UInt8(truncatingIfNeeded: path.identifiers.last ?? 0) }
            return object(.key(key))
        }
        return nil
    }
}
