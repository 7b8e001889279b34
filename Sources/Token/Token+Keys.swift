import APDU
import GOST

extension Token {
    /// Makes a key pair on the token and stores what describes it. Needs User's login.
    ///
    /// - Returns: The public and the private half.
    package func generateKeyPair(_ template: KeyPairTemplate) throws(TokenError) -> (TokenKey, TokenKey) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.requireAccepted(template.algorithm)
            return try card.withNewKeyFiles { number throws(TokenError) in
                let value = try card.generate(template, number: number)
                let keys = try card.describe(template, number: number, value: value)
                card.objectsChanged { $0.keys.enter(keys.0, keys.1) }
                return keys
            }
        }
    }

    /// Deletes one half of a key pair, and its key file. Needs User's login.
    package func delete(_ key: TokenKey) throws(TokenError) {
        guard !key.isForeign else { throw .unsupported }
        try delete(key.half, number: key.number, record: key.file, key.annotation)
    }

    func delete(
        _ half: TokenKey.Half, number: UInt8, record: UInt16, _ annotation: ObjectAnnotation
    ) throws(TokenError) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.removeRecord(record, from: .keys, annotation: annotation)
            try card.delete(UInt16(number), in: half == .publicKey ? .publicKeys : .privateKeys)
            card.objectsChanged { objects in
                objects.keys.remove(record)
                objects.rsaKeys.remove(record)
                objects.ecKeys.remove(record)
            }
        }
    }
}

extension Transaction {
    /// Runs `body` with the number of a new key. If it fails nothing half-made stays behind, as far as the card can be
    /// reached; what went wrong is what the caller learns.
    func withNewKeyFiles<Result>(
        _ body: (UInt8) throws(TokenError) -> Result
    ) throws(TokenError) -> Result {
        let number = try freeKeyNumber()
        do throws(TokenError) {
            return try body(number)
        } catch {
            try? establish()
            try? deleteKeyFiles(number)
            throw error
        }
    }

    /// What no real token was seen to call a parameter set is told to this project's tokens only.
    func requireAccepted(_ algorithm: KeyAlgorithm) throws(TokenError) {
        if !algorithm.isConfirmed { try requireOwnCommands() }
    }

    /// The command that creates a key file, after ``FilePath/objects`` was selected.
    ///
    /// - Parameters:
    ///   - properties: The type, the parameter set and what the key may do: tag 85, bytes 0 to 2.
    func keyFile(_ half: TokenKey.Half, _ number: UInt8, size: Int, properties: [UInt8]) -> CardCommand {
        .create(
            UInt16(number), .key, size: size, properties: properties + [0xAA, 0x00, 0x00],
            access: half == .privateKey ? .privateKey : .publicKey)
    }

    func keyFile(_ half: TokenKey.Half, _ number: UInt8, _ template: KeyPairTemplate) -> CardCommand {
        let algorithm = template.algorithm
        let (type, size) =
            half == .privateKey
            ? (algorithm.typeByte, algorithm.privateSize) : (algorithm.typeByte | 0x10, algorithm.publicSize)
        let uses: UInt8 = (template.canDerive ? 0x01 : 0x00) | (template.signsJournal ? 0x04 : 0x00)
        return keyFile(half, number, size: size, properties: [type, algorithm.parameterByte, uses])
    }

    /// Creates both key files and fills them (GENERATE KEY PAIR).
    fileprivate func generate(_ template: KeyPairTemplate, number: UInt8) throws(TokenError) -> [UInt8] {
        let size = template.algorithm.publicSize
        // A batch has to have room for what its commands announce.
        let value = try perform([
            selection(.objects), keyFile(.privateKey, number, template), keyFile(.publicKey, number, template),
            .generateKeyPair(number, ne: hasBatches ? size : 256),
        ])
        guard value.count == size else { throw .malformedAnswer }
        return value
    }

    fileprivate func describe(
        _ template: KeyPairTemplate, number: UInt8, value: [UInt8]
    ) throws(TokenError) -> (TokenKey, TokenKey) {
        var publicRecord = template.record(.publicKey, number: number)
        // Not every token gives a public key back, so our own records keep it.
        publicRecord[.value] = value
        let stored = try store(
            [
                (publicRecord, template.publicKey.annotation),
                (template.record(.privateKey, number: number), template.privateKey.annotation),
            ], on: .keys)
        guard stored.count == 2 else { throw .malformedAnswer }
        var keys = (TokenKey(template, .publicKey), TokenKey(template, .privateKey))
        (keys.0.file, keys.1.file) = (stored[0].file, stored[1].file)
        (keys.0.annotation, keys.1.annotation) = (stored[0].annotation, stored[1].annotation)
        (keys.0.number, keys.1.number) = (number, number)
        keys.0.value = value
        return keys
    }

    /// The lowest number that no key file has, of those that no known key has.
    fileprivate func freeKeyNumber() throws(TokenError) -> UInt8 {
        let known = session.known.objects?.objects.keyNumbers ?? []
        for number in 1...0xFF as ClosedRange<UInt8> where !known.contains(number) {
            let paths = [FilePath.privateKeys, .publicKeys].map { $0.file(UInt16(number)) }
            let responses = try send(paths.map { selection($0) }, goesOn: true)
            if responses.allSatisfy({ $0.status == .fileNotFound }) { return number }
        }
        throw .memoryFull
    }

    fileprivate func deleteKeyFiles(_ number: UInt8) throws(TokenError) {
        try delete(UInt16(number), in: .publicKeys)
        try delete(UInt16(number), in: .privateKeys)
    }
}

extension TokenObjects {
    /// The numbers of the keys' files.
    fileprivate var keyNumbers: Set<UInt8> {
        Set(keys.map(\.number) + rsaKeys.map(\.number) + ecKeys.map(\.number))
    }
}

extension KeyPairTemplate {
    /// The record of one half of a GOST key pair.
    func record(_ kind: ObjectRecord.Kind, number: UInt8) -> ObjectRecord {
        let half = kind == .publicKey ? publicKey : privateKey
        var record = ObjectRecord(
            kind: kind, keyNumber: number,
            items: [
                (.label, half.label), (.id, half.id), (.gostR3410Parameters, algorithm.curve.oid),
                (.gostR3411Parameters, gostR3411Parameters), (.gost28147Parameters, gost28147Parameters),
            ])
        record.isPrivate = half.annotation.isPrivate
        return record
    }
}
