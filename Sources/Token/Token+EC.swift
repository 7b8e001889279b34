import APDU
package import Secrets

/// Keys of ECDSA and ECDH on P-256 and secp256k1. Nobody published the commands for them, so that these go to tokens only
/// that are known to take them: this project's.
extension Token {
    /// Makes a key pair on the token and stores what describes it. Needs User's login.
    ///
    /// - Parameter parameters: The object identifier of the curve, in DER.
    /// - Returns: The public and the private half.
    package func generateECKeyPair(
        on parameters: [UInt8] = TokenECKey.p256, publicKey: KeyPairTemplate.Half, privateKey: KeyPairTemplate.Half,
        canDerive: Bool = false
    ) throws(TokenError) -> (TokenECKey, TokenECKey) {
        guard let curve = TokenECKey.parameterByte(parameters) else { throw .unsupported }
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.requireOwnCommands()
            return try card.withNewKeyFiles { number throws(TokenError) in
                let answer = try card.perform([
                    card.selection(.objects), card.ecKeyFile(.privateKey, number, curve, canDerive),
                    card.ecKeyFile(.publicKey, number, curve, canDerive),
                    .generateKeyPair(number, ne: card.hasBatches ? 2 * TokenECKey.size : 256),
                ])
                guard answer.count == 2 * TokenECKey.size else { throw .malformedAnswer }
                let stored = try card.store(
                    [
                        card.ecRecord(.publicKey, publicKey, parameters, number: number, point: answer),
                        card.ecRecord(.privateKey, privateKey, parameters, number: number),
                    ], on: .keys)
                guard stored.count == 2 else { throw .malformedAnswer }
                func key(
                    _ half: TokenKey.Half, _ text: KeyPairTemplate.Half,
                    _ place: (file: UInt16, annotation: ObjectAnnotation)
                ) -> TokenECKey {
                    TokenECKey(
                        half: half, file: place.file, number: number, parameters: parameters, label: text.label,
                        id: text.id, point: half == .publicKey ? TokenECKey.reversed(answer) : nil, isImported: false,
                        canDerive: canDerive, annotation: place.annotation)
                }
                let keys = (key(.publicKey, publicKey, stored[0]), key(.privateKey, privateKey, stored[1]))
                card.objectsChanged { $0.ecKeys.enter(keys.0, keys.1) }
                return keys
            }
        }
    }

    /// Takes a private key that was made elsewhere. Needs User's login.
    ///
    /// - Parameters:
    ///   - scalar: Big-endian, as long as a coordinate.
    ///   - parameters: The object identifier of the curve, in DER.
    package func importECKey(
        _ scalar: borrowing Secret, on parameters: [UInt8] = TokenECKey.p256, _ half: KeyPairTemplate.Half,
        canDerive: Bool = false
    ) throws(TokenError) -> TokenECKey {
        guard let curve = TokenECKey.parameterByte(parameters) else { throw .unsupported }
        let value = scalar.reversed()
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.requireOwnCommands()
            guard value.count == TokenECKey.size else { throw .unsupported }
            return try card.withNewKeyFiles { number throws(TokenError) in
                try card.perform([
                    card.selection(.objects), card.ecKeyFile(.privateKey, number, curve, canDerive),
                    card.selection(.privateKeys.file(UInt16(number))),
                ])
                try card.importSelected(value)
                let record = card.ecRecord(.privateKey, half, parameters, number: number)
                guard let stored = try card.store([record], on: .keys).first else { throw .malformedAnswer }
                let key = TokenECKey(
                    half: .privateKey, file: stored.file, number: number, parameters: parameters,
                    label: half.label, id: half.id, isImported: true, canDerive: canDerive,
                    annotation: stored.annotation)
                card.objectsChanged { $0.ecKeys.enter(key) }
                return key
            }
        }
    }

    /// Signs a digest. Needs User's login.
    ///
    /// - Parameter digest: Of any length; of more than 32 bytes, the first count.
    /// - Returns: r ‖ s, each big-endian.
    package func sign(digest: [UInt8], with key: TokenECKey) throws(TokenError) -> [UInt8] {
        let size = TokenECKey.size
        let number = [UInt8](repeating: 0, count: max(0, size - digest.count)) + digest.prefix(size)
        return try transaction(first: .act) { card throws(TokenError) in
            try card.requireOwnCommands()
            try card.requireLogin(.user)
            let commands: [CardCommand] = [
                .setKey(key.number, for: .signature), .computeSignature(number.reversed(), ne: 2 * size),
            ]
            let responses = try card.sendFirst(commands, asking: !card.isPlain)
            guard let last = responses.last else { throw .malformedAnswer }
            let answer = try card.data(of: last)
            guard responses.count == 2, answer.count == 2 * size else { throw .malformedAnswer }
            return TokenECKey.reversed(answer)
        }
    }

    /// Deletes one half of a key pair, and its key file. Needs User's login.
    package func delete(_ key: TokenECKey) throws(TokenError) {
        try delete(key.half, number: key.number, record: key.file, key.annotation)
    }
}

extension Transaction {
    fileprivate func ecKeyFile(_ half: TokenKey.Half, _ number: UInt8, _ curve: UInt8, _ canDerive: Bool) -> CardCommand
    {
        let (type, size) =
            half == .privateKey
            ? (TokenECKey.privateType, TokenECKey.size) : (TokenECKey.publicType, 2 * TokenECKey.size)
        let uses: UInt8 = canDerive ? 0x01 : 0x00
        return keyFile(half, number, size: size + 4, properties: [type, curve, uses])
    }

    /// - Parameter point: As the card gives it, little-endian.
    fileprivate func ecRecord(
        _ half: TokenKey.Half, _ text: KeyPairTemplate.Half, _ parameters: [UInt8], number: UInt8,
        point: [UInt8]? = nil
    ) -> (ObjectRecord, ObjectAnnotation) {
        var record = ObjectRecord(
            kind: half == .publicKey ? .publicKey : .privateKey, keyNumber: number,
            items: [(.ecParameters, parameters), (.label, text.label), (.id, text.id)])
        record[.value] = point
        record.isPrivate = text.annotation.isPrivate
        return (record, text.annotation)
    }
}

extension TokenECKey {
    /// - Returns: nil if the record is not such a key's.
    init?(_ record: ObjectRecord, file: UInt16, _ template: FileTemplate) {
        guard let parameters = record[.ecParameters], template.properties.count > 2,
            [Self.privateType, Self.publicType].contains(template.properties[0])
        else { return nil }
        let isPublic = record.kind == .publicKey
        let value = isPublic ? record[.value] : nil
        self.init(
            half: isPublic ? .publicKey : .privateKey, file: file, number: record.keyNumber, parameters: parameters,
            label: record[.label] ?? [], id: record[.id] ?? [],
            point: value?.count == 2 * Self.size ? value.map(Self.reversed) : nil,
            isImported: template.properties[2] & 0x08 != 0, canDerive: template.properties[2] & 0x01 != 0)
    }
}
