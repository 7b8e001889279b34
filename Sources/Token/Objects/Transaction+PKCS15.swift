// SPDX-License-Identifier: Apache-2.0

import APDU

extension FilePath {
    /// - Parameter bytes: A path that begins at the MF, 3F00.
    init?(absolute bytes: [UInt8]) {
        guard bytes.starts(with: [0x3F, 0x00]), (4...16).contains(bytes.count), bytes.count.isMultiple(of: 2) else {
            return nil
        }
        var cursor = ByteCursor(bytes.dropFirst(2))
        var identifiers: [UInt16] = []
        while let identifier = try? cursor.uint16() { identifiers.append(UInt16(truncatingIfNeeded: identifier)) }
        self.init(identifiers)
    }
}

extension ByteCursor {
    /// The value of the first object in `bytes`, which must have this tag.
    static func first(_ tag: UInt8, in bytes: [UInt8]) throws(MalformedBytes) -> [UInt8] {
        var cursor = ByteCursor(bytes)
        return try cursor.object(tag)
    }
}

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
        // The list of private keys is readable without a login, but is returned to User only.
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
