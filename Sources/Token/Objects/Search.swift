// SPDX-License-Identifier: Apache-2.0

import APDU
import SecureChannel

/// The known objects, and the state of the card they were read in.
struct ObjectCache {
    var changeCounter: UInt32
    var objects: [TokenObject]

    /// Stores an object that was read.
    mutating func take(_ object: TokenObject) {
        guard let index = objects.firstIndex(where: { $0.isSame(as: object) }) else { return }
        objects[index] = object
    }
}

/// Finding objects, in as few round trips as the token allows: one for the index of keys, then one for each reply full of
/// records and key files.
extension ConnectedToken {
    /// All objects that the present login may see. The card is only asked what changed since the last time, and what the
    /// login has made visible.
    ///
    /// - Parameter values: The values that are wanted, too.
    package func objects(reading values: ObjectValues = .all) throws(TokenError) -> [TokenObject] {
        session.recallFiles()
        defer { session.saveFiles() }
        let isNew = session.known.objects == nil && session.known.files == nil
        return try transaction(first: isNew ? .read : .any) { card throws(TokenError) in
            try card.searching { () throws(TokenError) in try card.findObjects(reading: values) }
        }
    }

    /// Certificates and data objects with their values, in their order; nil for a changed object. Needs User's
    /// login for private ones.
    package func read(_ objects: [TokenObject]) throws(TokenError) -> [TokenObject?] {
        guard objects.contains(where: { !$0.isRead }) else { return objects }
        session.recallFiles()
        defer { session.saveFiles() }
        return try transaction { card throws(TokenError) in
            try card.searching { () throws(TokenError) in
                card.loadCache()
                let read = try card.readValues(of: objects)
                card.storeCache()
                return read
            }
        }
    }
}

extension Transaction {
    fileprivate func findObjects(reading values: ObjectValues) throws(TokenError) -> [TokenObject] {
        loadCache()
        var objects: [TokenObject]
        if let cache = session.known.objects, cache.changeCounter == session.known.changeCounter {
            objects = cache.objects
            guard objects.contains(where: { !$0.isRead && values.includes($0) }) else { return objects }
        } else {
            if login == .user { try requireLogin(.user) }
            objects = try readObjects(reading: values)
        }
        let unread = objects.indices.filter { !objects[$0].isRead && values.includes(objects[$0]) }
        var read: [TokenObject?] = objects
        for (index, object) in zip(unread, try readValues(of: unread.map { objects[$0] })) { read[index] = object }
        objects = read.compactMap(\.self)
        session.cache(objects)
        storeCache()
        return objects
    }

    private func readObjects(reading values: ObjectValues) throws(TokenError) -> [TokenObject] {
        let indices = try readIndices()
        var objects = try readKeys(indices.keys?.files ?? [])
        let certificates = (indices.certificates?.files ?? []).map { (RecordDirectory.certificates, $0) }
        let places = certificates + (indices.data?.files ?? []).map { (.data, $0) }
        let paths = places.map { $0.0.file($0.1) }
        // A round trip reads several descriptions. Without one, a value that follows at once needs no second SELECT.
        let wholes = hasBatches || values == .none ? 0 : certificates.count
        let contents =
            try readFiles(Array(paths.prefix(wholes))) + readFiles(Array(paths.dropFirst(wholes)), .description)
        for ((directory, file), content) in zip(places, contents) {
            guard let record = content.record else { continue }
            if let object = TokenObject(record, file: file, in: directory) { objects.append(object) }
            if record.kind == .annotation, directory == .data { objects.attach(record, in: file) }
        }
        if let directories = indices.directories { objects += try readPKCS15(directories) }
        objects += try readContainers()
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

    /// Completes public keys that the token does not return from certificates, whose values it then stores.
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
        } else if !state.hasAsked, !isPlain || session.known.changeCounter == nil {
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

    /// One reply has room for the index of keys. Of the others it shows whether they exist.
    private func askForIndices() throws(TokenError) -> [FilePath: KnownFiles.Content] {
        let others = [PKCS15Directories.file, RecordDirectory.certificates.index, RecordDirectory.data.index]
        let keys = RecordDirectory.keys.index
        let selections = others.map { CardCommand.select($0) }
        let responses = try send(
            selections + [.select(keys), .read(at: 0, count: Self.firstBlock)], goesOn: true, asking: true)
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
        for (path, content) in contents { cache(path, content) }
        return contents
    }
}

/// Finding keys: their records, and the templates of key files.
extension Transaction {
    /// As many bytes as a key file's template has, or more.
    private static let templateSize = 48

    func readKeys(_ files: [UInt16]) throws(TokenError) -> [TokenObject] {
        var templates: [FilePath: FileTemplate] = [:]
        let records = try readRecords(files, guessing: &templates)
        // The halves of a pair have the same properties: the private one's file describes both.
        let privateNumbers = Set(records.compactMap { $0?.kind == .privateKey ? $0?.keyNumber : nil })
        func file(of record: ObjectRecord) -> FilePath? {
            privateNumbers.contains(record.keyNumber) ? record.privateKeyFile : record.keyFile
        }
        var missing: [FilePath] = []
        for case let record? in records {
            guard let path = file(of: record), !missing.contains(path),
                record.keyFiles.allSatisfy({ templates[$0] == nil })
            else { continue }
            missing.append(path)
        }
        try readTemplates(of: missing, into: &templates)
        var objects: [TokenObject] = []
        for case (let file, let record?) in zip(files, records) {
            guard let template = record.keyFiles.lazy.compactMap({ templates[$0] }).first,
                let key = try key(of: record, template, records)
            else { continue }
            var object = TokenObject(.key(key), label: record[.label] ?? [], id: record[.id] ?? [])
            object.file = file
            objects.append(object)
        }
        return objects
    }

    /// The key that a record describes; nil if it is of no known kind.
    ///
    /// - Parameter records: The records of all keys, in one of which the public key may have been kept.
    private func key(
        of record: ObjectRecord, _ template: FileTemplate, _ records: [ObjectRecord?]
    ) throws(TokenError) -> TokenKey? {
        guard var kind = CardKey(record, template) else { return nil }
        let half: TokenKey.Half = record.kind == .publicKey ? .publicKey : .privateKey
        var value = record[.value]
        if value == nil, kind.lacksValue(half) {
            let other = records.first { $0?.kind == .publicKey && $0?.keyNumber == record.keyNumber }
            value = other??[.value]
            if value == nil, kind.hasReadableFile {
                value = try readPublicKey(.publicKeys.file(UInt16(record.keyNumber)))
            }
        }
        if let value { kind.take(value, half) }
        let flags = template.properties.count > 2 ? template.properties[2] : 0
        var key = TokenKey(half, kind, TokenKey.Properties(rawValue: flags).intersection(.all))
        key.number = record.keyNumber
        return key
    }

    /// Reads the records in these files; nil for a file without a record that this login may read.
    ///
    /// - Parameter templates: Receives the templates of known key files, and of key files that probably belong to the
    ///   records: keys are numbered from 1.
    private func readRecords(
        _ files: [UInt16], guessing templates: inout [FilePath: FileTemplate]
    ) throws(TokenError) -> [ObjectRecord?] {
        for (path, template) in state.files?.templates ?? [:] { templates[path] = try? FileTemplate(parsing: template) }
        let directory = login == .user ? FilePath.privateKeys : .publicKeys
        let count = login == .user ? (files.count + 1) / 2 : files.count
        let guessed =
            hasBatches && templates.isEmpty ? (0..<count).map { directory.file(UInt16(clamping: $0 + 1)) } : []
        var responses: [Response] = []
        let contents = try readFiles(
            files.map(RecordDirectory.keys.file), .description,
            and: guessed.map { .select($0, ne: Self.templateSize) }, answers: &responses)
        take(responses, of: guessed, into: &templates)
        return contents.map(\.record)
    }

    private func readTemplates(
        of paths: [FilePath], into templates: inout [FilePath: FileTemplate]
    ) throws(TokenError) {
        guard !paths.isEmpty else { return }
        try spend(files: paths.count)
        var responses = try send(paths.map { .select($0, ne: hasBatches ? Self.templateSize : 256) }, goesOn: true)
        for (index, path) in paths.enumerated() where index < responses.count && responses[index].status.sw1 == 0x61 {
            responses[index] = try send(CardCommand.select(path, ne: 256))
        }
        take(responses, of: paths, into: &templates)
    }

    /// Reads a public key's file; nil from a token that does not give it back.
    private func readPublicKey(_ path: FilePath) throws(TokenError) -> [UInt8]? {
        if let known = known(path, .whole) { return known.whole }
        do throws(TokenError) {
            let content = try read(path)
            cache(path, .whole(content))
            return content
        } catch {
            switch error {
            case .notFound, .notLoggedIn, .refused: return nil
            default: throw error
            }
        }
    }

    private func take(
        _ responses: [Response], of paths: [FilePath], into templates: inout [FilePath: FileTemplate]
    ) {
        for (path, response) in zip(paths, responses) where response.status == .success {
            templates[path] = try? FileTemplate(parsing: response.data)
            state.files?.templates[path] = response.data
        }
    }
}

extension ObjectRecord {
    /// The key file that the record belongs to; nil if it describes no key.
    fileprivate var keyFile: FilePath? {
        switch kind {
        case .publicKey: FilePath.publicKeys.file(UInt16(keyNumber))
        case .privateKey: FilePath.privateKeys.file(UInt16(keyNumber))
        case .certificate, .data, .secretKey, .publicValue, .annotation: nil
        }
    }

    /// The file of the private half; nil if it describes no key.
    fileprivate var privateKeyFile: FilePath? {
        keyFile == nil ? nil : FilePath.privateKeys.file(UInt16(keyNumber))
    }

    /// The files that show what its key can do: its own, or else the other half's.
    fileprivate var keyFiles: [FilePath] {
        guard let keyFile else { return [] }
        return [keyFile]
            + [FilePath.privateKeys, .publicKeys].map { $0.file(UInt16(keyNumber)) }.filter { $0 != keyFile }
    }
}
