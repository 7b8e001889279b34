import APDU
import GOST
import SecureChannel

/// What is known of the objects, and the state of the card it was read in.
struct ObjectCache {
    var changeCounter: UInt32
    var keys: [TokenKey]
}

/// Finding objects, in as few round trips as the token allows: one for the index, then one for each reply full of
/// records and key files.
extension Token {
    /// Bytes of a file that are read in the same round trip in which it is selected. Most records are shorter.
    private static let firstBlock = 200
    /// As many bytes as a key file's template may have.
    private static let templateSize = 64

    /// All keys that the present login may see. The card is only asked what changed since the last time.
    public func keys() throws(TokenError) -> [TokenKey] {
        try transaction(cache == nil ? .reading : .neither) { () throws(TokenError) in
            if let cache, cache.changeCounter == changeCounter { return cache.keys }
            let keys = try readKeys()
            cache = changeCounter.map { ObjectCache(changeCounter: $0, keys: keys) }
            return keys
        }
    }

    private func readKeys() throws(TokenError) -> [TokenKey] {
        let files = try readIndexAtOnce()?.files ?? []
        var templates: [FilePath: FileTemplate] = [:]
        let records = try readRecords(files, guessing: &templates)
        let missing = records.compactMap { $0?.keyFile }.filter { templates[$0] == nil }
        try readTemplates(of: missing, into: &templates)
        var keys: [TokenKey] = []
        for case (let file, let record?) in zip(files, records) {
            guard let path = record.keyFile, let template = templates[path] else { continue }
            if let key = try key(of: record, in: file, template, at: path) { keys.append(key) }
        }
        return keys
    }

    private func readIndexAtOnce() throws(TokenError) -> ObjectIndex? {
        let steps = [Step.select(FilePath.objects.file(Self.indexFile)), .read(at: 0, count: Self.firstBlock)]
        var responses = try send(firstSteps + steps, goesOn: true)
        takeChangeCounter(from: &responses)
        guard let content = try content(responses) else { return nil }
        let index = ObjectIndex(parsing: content)
        return index?.isComplete == false ? try readIndex() : index
    }

    /// Reads the records in these files; nil where there is none that this login may read.
    ///
    /// - Parameter templates: Takes those of the key files that probably belong to them: keys are numbered from 1.
    private func readRecords(
        _ files: [UInt16], guessing templates: inout [FilePath: FileTemplate]
    ) throws(TokenError) -> [ObjectRecord?] {
        let paths = files.map { FilePath.objects.file($0) }
        let guessed = hasBatches ? (0..<(files.count + 1) / 2).flatMap(Self.keyFiles) : []
        let steps =
            paths.flatMap { [Step.select($0), .read(at: 0, count: Self.firstBlock)] }
            + guessed.map { .select($0, ne: Self.templateSize) }
        guard !steps.isEmpty else { return [] }
        let responses = try send(steps, goesOn: true)
        guard responses.count == steps.count else { throw .malformedAnswer }
        Self.take(responses.suffix(guessed.count), of: guessed, into: &templates)
        var records: [ObjectRecord?] = []
        for (index, path) in paths.enumerated() {
            var content = try content(Array(responses[2 * index...2 * index + 1]))
            if content?.count == Self.firstBlock { content = try read(path) }
            records.append(content.flatMap(ObjectRecord.init(parsing:)))
        }
        return records
    }

    private func readTemplates(
        of paths: [FilePath], into templates: inout [FilePath: FileTemplate]
    ) throws(TokenError) {
        guard !paths.isEmpty else { return }
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
        if half == .publicKey, value == nil { value = try read(path) }
        return TokenKey(
            half: half, file: file, number: record.keyNumber, curve: curve, label: record[.label] ?? [],
            id: record[.id] ?? [], gostR3410Parameters: oid, gostR3411Parameters: record[.gostR3411Parameters] ?? [],
            gost28147Parameters: record[.gost28147Parameters] ?? [], value: value, canDerive: flags & 0x01 != 0,
            isImported: flags & 0x08 != 0)
    }

    /// Whether several commands cost one round trip.
    private var hasBatches: Bool { channel?.capabilities.features.contains(.batch) == true }

    /// Both key files of the number after `index`.
    private static func keyFiles(_ index: Int) -> [FilePath] {
        let number = UInt16(clamping: index + 1)
        return [FilePath.publicKeys.file(number), FilePath.privateKeys.file(number)]
    }

    private static func take(
        _ responses: ArraySlice<Response>, of paths: [FilePath], into templates: inout [FilePath: FileTemplate]
    ) {
        for (path, response) in zip(paths, responses) where response.status == .success {
            templates[path] = try? FileTemplate(parsing: response.data)
        }
    }

    /// What SELECT and READ BINARY brought; nil if there is no such file, or none that this login may read.
    private func content(_ responses: [Response]) throws(TokenError) -> [UInt8]? {
        for response in responses {
            switch response.status {
            case .success, .endOfFileReached: continue
            case .fileNotFound: return nil
            case .securityStatusNotSatisfied:
                // User may read everything: the card was told by another process to drop the right.
                if login == .user { forgetLogin() }
                return nil
            default: throw TokenError(response.status)
            }
        }
        return responses.last?.data
    }
}

extension ObjectRecord {
    /// The key file that the record belongs to; nil for a certificate.
    fileprivate var keyFile: FilePath? {
        switch kind {
        case .publicKey: FilePath.publicKeys.file(UInt16(keyNumber))
        case .privateKey: FilePath.privateKeys.file(UInt16(keyNumber))
        case .certificate: nil
        }
    }
}
