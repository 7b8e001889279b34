// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel

/// What is known of the objects, and the state of the card it was read in.
struct ObjectCache {
    var changeCounter: UInt32
    var objects: [TokenObject]
}

/// Finding objects, in as few round trips as the token allows: one for the index of keys, then one for each reply full of
/// records and key files.
extension Token {
    /// All objects that the present login may see. The card is only asked what changed since the last time.
    package func objects() throws(TokenError) -> [TokenObject] {
        let isPublic = login != .user && !serial.isEmpty
        if session.known.objects == nil, isPublic {
            session.known.objects = session.settings.publicObjects.value(serial: serial, isProtected: isProtected)
        }
        return try transaction(first: session.known.objects == nil ? .read : .any) { card throws(TokenError) in
            let session = card.session
            if let cache = session.known.objects, cache.changeCounter == session.known.changeCounter {
                return cache.objects
            }
            if card.login == .user { try card.requireLogin(.user) }
            let objects = try card.searching { () throws(TokenError) in try card.readObjects() }
            session.know(objects)
            if let cache = session.known.objects, isPublic, card.login != .user {
                card.settings.publicObjects.keep(
                    cache, serial: session.identity.serial, isProtected: session.isProtected)
            }
            return objects
        }
    }
}

extension Transaction {
    /// As many bytes as a key file's template may have.
    private static let templateSize = 64

    fileprivate func readObjects() throws(TokenError) -> [TokenObject] {
        let indices = try readIndices()
        var objects = try readKeys(indices.keys?.files ?? [])
        let places = [(RecordDirectory.certificates, indices.certificates), (.data, indices.data)]
            .flatMap { directory, index in (index?.files ?? []).map { (directory, $0) } }
        let contents = try readFiles(places.map { $0.0.file($0.1) })
        for ((directory, file), content) in zip(places, contents) {
            guard let record = content.flatMap({ ObjectRecord(parsing: $0) }) else { continue }
            if let object = TokenObject(record, file: file, in: directory) { objects.append(object) }
            if record.kind == .annotation, directory == .data { objects.attach(record, in: file) }
        }
        if let directories = indices.directories { objects += try readPKCS15(directories) }
        objects = objects.sortedByKind
        objects.completePublicKeys()
        return objects
    }

    // MARK: Indices

    /// The vendor's indices and this project's; last, OpenSC's list of directory files.
    private typealias Indices = (
        keys: ObjectIndex?, certificates: ObjectIndex?, data: ObjectIndex?, directories: [UInt8]?
    )

    private func readIndices() throws(TokenError) -> Indices {
        guard hasBatches else {
            // What is read now is at least as new as a counter that was asked for before. If that was long ago, the next
            // search finds another and reads once more.
            if !notes.hasAsked, !isPlain || session.known.changeCounter == nil { try readChangeCounter() }
            return (
                try readIndex(of: .keys), try readIndex(of: .certificates), try readIndex(of: .data),
                try readIfAllowed(PKCS15Directories.file)
            )
        }
        // One reply has room for the index of keys. Of the others it says whether they are there.
        let commands: [CardCommand] = [
            .select(PKCS15Directories.file), .select(RecordDirectory.certificates.index),
            .select(RecordDirectory.data.index),
            .select(RecordDirectory.keys.index), .read(at: 0, count: Self.firstBlock),
        ]
        let responses = try sendFirst(commands, goesOn: true)
        guard responses.count == commands.count else { throw .malformedAnswer }
        var keys = try content(Array(responses[3...])).flatMap { ObjectIndex(parsing: $0) }
        if keys?.isComplete == false { keys = try readIndex(of: .keys) }
        return (
            keys,
            responses[1].status == .success ? try readIndex(of: .certificates) : nil,
            responses[2].status == .success ? try readIndex(of: .data) : nil,
            responses[0].status == .success ? try readIfAllowed(PKCS15Directories.file) : nil
        )
    }

    // MARK: Keys

    private func readKeys(_ files: [UInt16]) throws(TokenError) -> [TokenObject] {
        var templates: [FilePath: FileTemplate] = [:]
        let records = try readRecords(files, guessing: &templates)
        // The halves of a pair have the same properties: the private one's file tells of both.
        let privateNumbers = Set(records.compactMap { $0?.kind == .privateKey ? $0?.keyNumber : nil })
        func file(of record: ObjectRecord) -> FilePath? {
            privateNumbers.contains(record.keyNumber) ? record.privateKeyFile : record.keyFile
        }
        let missing = Set(records.compactMap { $0.flatMap(file) }).filter { templates[$0] == nil }
        try readTemplates(of: Array(missing), into: &templates)
        var objects: [TokenObject] = []
        for case (let file, let record?) in zip(files, records) {
            guard let path = record.keyFile,
                let template = templates[path] ?? record.privateKeyFile.flatMap({ templates[$0] }),
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
    /// - Parameter records: Those of all keys, in one of which the public key may have been kept.
    private func key(
        of record: ObjectRecord, _ template: FileTemplate, _ records: [ObjectRecord?]
    ) throws(TokenError) -> TokenKey? {
        for form in keyKinds {
            guard var kind = form.init(record, template) else { continue }
            let half: TokenKey.Half = record.kind == .publicKey ? .publicKey : .privateKey
            var value = record[.value]
            if value == nil, kind.lacksValue(half) {
                let other = records.first { $0?.kind == .publicKey && $0?.keyNumber == record.keyNumber }
                value = other??[.value]
                if value == nil, form.hasReadableFile {
                    value = try readPublicKey(.publicKeys.file(UInt16(record.keyNumber)))
                }
            }
            if let value { kind.take(value, half) }
            let flags = template.properties.count > 2 ? template.properties[2] : 0
            var key = TokenKey(half, kind, TokenKey.Properties(rawValue: flags).intersection(.all))
            key.number = record.keyNumber
            return key
        }
        return nil
    }

    /// Reads the records in these files; nil where there is none that this login may read.
    ///
    /// - Parameter templates: Takes those of the key files that probably belong to them: keys are numbered from 1.
    private func readRecords(
        _ files: [UInt16], guessing templates: inout [FilePath: FileTemplate]
    ) throws(TokenError) -> [ObjectRecord?] {
        let directory = login == .user ? FilePath.privateKeys : .publicKeys
        let count = login == .user ? (files.count + 1) / 2 : files.count
        let guessed = hasBatches ? (0..<count).map { directory.file(UInt16(clamping: $0 + 1)) } : []
        var responses: [Response] = []
        let contents = try readFiles(
            files.map(RecordDirectory.keys.file), and: guessed.map { .select($0, ne: Self.templateSize) },
            answers: &responses)
        Self.take(responses[...], of: guessed, into: &templates)
        return contents.map { $0.flatMap(ObjectRecord.init(parsing:)) }
    }

    private func readTemplates(
        of paths: [FilePath], into templates: inout [FilePath: FileTemplate]
    ) throws(TokenError) {
        guard !paths.isEmpty else { return }
        try spend(files: paths.count)
        let responses = try send(paths.map { .select($0, ne: Self.templateSize) }, goesOn: true)
        Self.take(responses[...], of: paths, into: &templates)
    }

    /// Reads a public key's file; nil from a token that does not give it back.
    private func readPublicKey(_ path: FilePath) throws(TokenError) -> [UInt8]? {
        do throws(TokenError) { return try read(path) } catch {
            switch error {
            case .notFound, .notLoggedIn, .refused: return nil
            default: throw error
            }
        }
    }

    private static func take(
        _ responses: ArraySlice<Response>, of paths: [FilePath], into templates: inout [FilePath: FileTemplate]
    ) {
        for (path, response) in zip(paths, responses) where response.status == .success {
            templates[path] = try? FileTemplate(parsing: response.data)
        }
    }
}

extension ObjectRecord {
    /// The key file that the record belongs to; nil for what is no key.
    fileprivate var keyFile: FilePath? {
        switch kind {
        case .publicKey: FilePath.publicKeys.file(UInt16(keyNumber))
        case .privateKey: FilePath.privateKeys.file(UInt16(keyNumber))
        case .certificate, .data, .secretKey, .publicValue, .annotation: nil
        }
    }

    /// The file of the private half; nil for what is no key.
    fileprivate var privateKeyFile: FilePath? {
        keyFile == nil ? nil : FilePath.privateKeys.file(UInt16(keyNumber))
    }
}
