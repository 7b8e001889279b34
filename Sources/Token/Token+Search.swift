import APDU
import GOST
import SecureChannel

/// What is known of the objects, and the state of the card it was read in.
struct ObjectCache {
    var changeCounter: UInt32
    var objects: TokenObjects
}

/// Finding objects, in as few round trips as the token allows: one for the index of keys, then one for each reply full of
/// records and key files.
extension Token {
    /// All objects that the present login may see. The card is only asked what changed since the last time.
    package func objects() throws(TokenError) -> TokenObjects {
        let isPublic = login != .user && !serial.isEmpty
        if session.known.objects == nil, isPublic {
            session.known.objects = session.settings.publicObjects.cache(serial: serial, isProtected: isProtected)
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

    /// The GOST keys among ``objects()``.
    package func keys() throws(TokenError) -> [TokenKey] { try objects().keys }
}

extension Transaction {
    /// As many bytes as a key file's template may have.
    private static let templateSize = 64

    fileprivate func readObjects() throws(TokenError) -> TokenObjects {
        var objects = TokenObjects()
        let indices = try readIndices()
        try readKeys(indices.keys?.files ?? [], into: &objects)
        let certificates = indices.certificates?.files ?? []
        let data = indices.data?.files ?? []
        let contents = try readFiles(
            certificates.map(Shelf.certificates.file) + data.map(Shelf.data.file))
        let records = contents.map { $0.flatMap(ObjectRecord.init(parsing:)) }
        for case (let file, let record?) in zip(certificates, records) {
            if let certificate = TokenCertificate(record, file: file) { objects.certificates.append(certificate) }
        }
        for case (let file, let record?) in zip(data, records.dropFirst(certificates.count)) {
            if let object = TokenData(record, file: file) { objects.data.append(object) }
            if let key = TokenStoredKey(record, file: file) { objects.storedKeys.append(key) }
            if let annotation = record.annotation(in: file) { objects.attach(annotation, to: record[.target]) }
        }
        if let directories = indices.directories { try readPKCS15(directories, into: &objects) }
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
            .select(PKCS15Directories.file), .select(Shelf.certificates.index), .select(Shelf.data.index),
            .select(Shelf.keys.index), .read(at: 0, count: Self.firstBlock),
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

    private func readKeys(_ files: [UInt16], into objects: inout TokenObjects) throws(TokenError) {
        var templates: [FilePath: FileTemplate] = [:]
        let records = try readRecords(files, guessing: &templates)
        // The halves of a pair have the same properties: the private one's file tells of both.
        let privateNumbers = Set(records.compactMap { $0?.kind == .privateKey ? $0?.keyNumber : nil })
        func file(of record: ObjectRecord) -> FilePath? {
            privateNumbers.contains(record.keyNumber) ? record.privateKeyFile : record.keyFile
        }
        let missing = Set(records.compactMap { $0.flatMap(file) }).filter { templates[$0] == nil }
        try readTemplates(of: Array(missing), into: &templates)
        for case (let file, let record?) in zip(files, records) {
            guard let path = record.keyFile,
                let template = templates[path] ?? record.privateKeyFile.flatMap({ templates[$0] })
            else { continue }
            if let key = try key(of: record, in: file, template, at: path) {
                objects.keys.append(key)
            } else if let key = try rsaKey(of: record, in: file, template, records) {
                objects.rsaKeys.append(key)
            } else if let key = TokenECKey(record, file: file, template) {
                objects.ecKeys.append(key)
            }
        }
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
            files.map(Shelf.keys.file), and: guessed.map { .select($0, ne: Self.templateSize) }, answers: &responses)
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

    /// The key that a record describes; nil for keys of other algorithms.
    private func key(
        of record: ObjectRecord, in file: UInt16, _ template: FileTemplate, at path: FilePath
    ) throws(TokenError) -> TokenKey? {
        guard let oid = record[.gostR3410Parameters], let curve = Curve(oid: oid) else { return nil }
        let half: TokenKey.Half = record.kind == .publicKey ? .publicKey : .privateKey
        let flags = template.properties.count > 2 ? template.properties[2] : 0
        var value = record[.value]
        if half == .publicKey, value == nil { value = try readPublicKey(path) }
        return TokenKey(
            half: half, file: file, number: record.keyNumber, curve: curve, label: record[.label] ?? [],
            id: record[.id] ?? [], gostR3410Parameters: oid, gostR3411Parameters: record[.gostR3411Parameters] ?? [],
            gost28147Parameters: record[.gost28147Parameters] ?? [], value: value, canDerive: flags & 0x01 != 0,
            signsJournal: flags & 0x04 != 0, isImported: flags & 0x08 != 0)
    }

    /// The RSA key that a record describes; nil if its file is of another kind.
    ///
    /// - Parameter records: Those of all keys, in one of which the public half may have been kept.
    private func rsaKey(
        of record: ObjectRecord, in file: UInt16, _ template: FileTemplate, _ records: [ObjectRecord?]
    ) throws(TokenError) -> TokenRSAKey? {
        guard template.properties.count > 2 else { return nil }
        let half: TokenKey.Half = record.kind == .publicKey ? .publicKey : .privateKey
        let size =
            switch template.properties[0] {
            case RSAKeySize.privateType: RSAKeySize(privateSize: template.size)
            case RSAKeySize.publicType: RSAKeySize(publicSize: template.size)
            default: RSAKeySize?.none
            }
        guard let size else { return nil }
        let publicRecord = records.first { $0?.kind == .publicKey && $0?.keyNumber == record.keyNumber } ?? nil
        var bytes = record[.value] ?? publicRecord?[.value]
        if bytes == nil { bytes = try readPublicKey(FilePath.publicKeys.file(UInt16(record.keyNumber))) }
        let value = bytes.flatMap { RSAPublicValue(parsing: $0, size: size) }
        return TokenRSAKey(
            half: half, file: file, number: record.keyNumber, label: record[.label] ?? [], id: record[.id] ?? [],
            bits: size.bits, modulus: value?.modulus, publicExponent: value?.exponent,
            isImported: template.properties[2] & 0x08 != 0)
    }

    /// Reads a public key's file; nil from a token that does not give it back.
    private func readPublicKey(_ path: FilePath) throws(TokenError) -> [UInt8]? {
        do throws(TokenError) {
            return try read(path)
        } catch {
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
