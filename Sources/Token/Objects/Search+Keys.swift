// SPDX-License-Identifier: Apache-2.0
import APDU

/// Finding keys: their records, and the templates of key files.
extension Transaction {
    /// As many bytes as a key file's template has, or more.
    private static let templateSize = 48

    func readKeys(_ files: [UInt16]) throws(TokenError) -> [TokenObject] {
        var templates: [FilePath: FileTemplate] = [:]
        let records = try readRecords(files, guessing: &templates)
        // The halves of a pair have the same properties: the private one's file tells of both.
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

    /// Reads the records in these files; nil for those without one that this login may read.
    ///
    /// - Parameter templates: Takes those of the key files that are known, and of those that probably belong to the
    ///   records: keys are numbered from 1.
    private func readRecords(
        _ files: [UInt16], guessing templates: inout [FilePath: FileTemplate]
    ) throws(TokenError) -> [ObjectRecord?] {
        for (path, template) in notes.files?.templates ?? [:] { templates[path] = try? FileTemplate(parsing: template) }
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
            know(path, .whole(content))
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
            notes.files?.templates[path] = response.data
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

    /// The files that tell what its key can do: its own, or else that of the other half.
    fileprivate var keyFiles: [FilePath] {
        guard let keyFile else { return [] }
        return [keyFile]
            + [FilePath.privateKeys, .publicKeys].map { $0.file(UInt16(keyNumber)) }.filter { $0 != keyFile }
    }
}
