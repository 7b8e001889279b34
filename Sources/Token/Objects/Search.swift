// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel

/// The known objects, and the state of the card they were read in.
struct ObjectCache {
    var changeCounter: UInt32
    var objects: [TokenObject]

    /// Takes an object that was read.
    mutating func take(_ object: TokenObject) {
        guard let index = objects.firstIndex(where: { $0.isSame(as: object) }) else { return }
        objects[index] = object
    }
}

/// Finding objects, in as few round trips as the token allows: one for the index of keys, then one for each reply full of
/// records and key files.
extension Token {
    /// All objects that the present login may see. The card is only asked what changed since the last time, and what the
    /// login has made visible.
    ///
    /// - Parameter readsValues: Whether values of certificates and data objects are wanted, too.
    package func objects(readingValues readsValues: Bool = true) throws(TokenError) -> [TokenObject] {
        session.recallFiles()
        defer { session.saveFiles() }
        let isNew = session.known.objects == nil && session.known.files == nil
        return try transaction(first: isNew ? .read : .any) { card throws(TokenError) in
            try card.searching { () throws(TokenError) in try card.findObjects(readingValues: readsValues) }
        }
    }

    /// Certificates and data objects with their values, in their order; nil for one that has changed. Needs User's
    /// login for private ones.
    package func read(_ objects: [TokenObject]) throws(TokenError) -> [TokenObject?] {
        guard objects.contains(where: { !$0.isRead }) else { return objects }
        session.recallFiles()
        defer { session.saveFiles() }
        return try transaction { card throws(TokenError) in
            try card.searching { () throws(TokenError) in
                card.takeUpFiles()
                let read = try card.readValues(of: objects)
                card.keepFiles()
                return read
            }
        }
    }
}

extension Transaction {
    fileprivate func findObjects(readingValues readsValues: Bool) throws(TokenError) -> [TokenObject] {
        takeUpFiles()
        var objects: [TokenObject]
        if let cache = session.known.objects, cache.changeCounter == session.known.changeCounter {
            objects = cache.objects
            guard readsValues, objects.contains(where: { !$0.isRead }) else { return objects }
        } else {
            if login == .user { try requireLogin(.user) }
            objects = try readObjects()
        }
        if readsValues { objects = try readValues(of: objects).compactMap(\.self) }
        session.know(objects)
        keepFiles()
        return objects
    }

    private func readObjects() throws(TokenError) -> [TokenObject] {
        let indices = try readIndices()
        var objects = try readKeys(indices.keys?.files ?? [])
        let places = [(RecordDirectory.certificates, indices.certificates), (.data, indices.data)]
            .flatMap { directory, index in (index?.files ?? []).map { (directory, $0) } }
        let contents = try readFiles(places.map { $0.0.file($0.1) }, .description)
        for ((directory, file), content) in zip(places, contents) {
            guard let record = content.record else { continue }
            if let object = TokenObject(record, file: file, in: directory) { objects.append(object) }
            if record.kind == .annotation, directory == .data { objects.attach(record, in: file) }
        }
        if let directories = indices.directories { objects += try readPKCS15(directories) }
        objects = objects.sortedByKind
        try completePublicKeys(of: &objects)
        return objects
    }

    // MARK: Values

    /// The objects with their values; nil for one whose record now belongs to a different object.
    func readValues(of objects: [TokenObject]) throws(TokenError) -> [TokenObject?] {
        let unread = objects.indices.filter { !objects[$0].isRead }
        if login == .user, unread.contains(where: { objects[$0].isPrivate }) { try requireLogin(.user) }
        let contents = try readFiles(unread.map { objects[$0].directory.file(objects[$0].file) })
        var read: [TokenObject?] = objects
        for (index, content) in zip(unread, contents) {
            let object = content.record.flatMap { objects[index].read(from: $0) }
            read[index] = object
            if let object { session.known.objects?.take(object) }
        }
        return read
    }

    /// Has public keys that the token does not give back follow from certificates, whose values it then takes.
    func completePublicKeys(of objects: inout [TokenObject]) throws(TokenError) {
        let wanted = objects.certificatesOfUnknownKeys
        guard !wanted.isEmpty else { return }
        let read = try readValues(of: wanted.map { objects[$0] })
        for (index, object) in zip(wanted, read) {
            if let object { objects[index] = object }
        }
        objects.completePublicKeys()
    }

    // MARK: Indices

    /// The vendor's indices and this project's; last, OpenSC's list of directory files.
    private typealias Indices = (
        keys: ObjectIndex?, certificates: ObjectIndex?, data: ObjectIndex?, directories: [UInt8]?
    )

    private func readIndices() throws(TokenError) -> Indices {
        let directories = [RecordDirectory.keys, .certificates, .data]
        let paths = directories.map(\.index) + [PKCS15Directories.file]
        var contents: [FilePath: KnownFiles.Content] = [:]
        if hasBatches {
            if known(RecordDirectory.keys.index, .index) == nil { contents = try askForIndices() }
        } else if !notes.hasAsked, !isPlain || session.known.changeCounter == nil {
            // The content is at least as new as a counter that was read before it. If that was long ago, the next
            // search finds a different one and reads once more.
            try readChangeCounter()
        }
        let others = paths.filter { contents[$0] == nil }
        for (path, content) in zip(others, try readFiles(others, .index)) { contents[path] = content }
        let indices = directories.map { directory in
            contents[directory.index]?.whole.flatMap { ObjectIndex(parsing: $0, magic: directory.magic) }
        }
        return (indices[0], indices[1], indices[2], contents[PKCS15Directories.file]?.whole)
    }

    /// One reply has room for the index of keys. Of the others it tells whether they exist.
    private func askForIndices() throws(TokenError) -> [FilePath: KnownFiles.Content] {
        let others = [PKCS15Directories.file, RecordDirectory.certificates.index, RecordDirectory.data.index]
        let keys = RecordDirectory.keys.index
        let selections = others.map { CardCommand.select($0) }
        let responses = try sendFirst(
            selections + [.select(keys), .read(at: 0, count: Self.firstBlock)], goesOn: true)
        guard responses.count == others.count + 2 else { throw .malformedAnswer }
        var contents: [FilePath: KnownFiles.Content] = [:]
        for (path, response) in zip(others + [keys], responses) where response.status == .fileNotFound {
            contents[path] = .absent
        }
        if contents[keys] == nil, let read = responses.last,
            read.status == .success || read.status == .endOfFileReached,
            ObjectIndex.isComplete(read.data)
        {
            contents[keys] = .whole(read.data)
        }
        for (path, content) in contents { know(path, content) }
        return contents
    }
}
