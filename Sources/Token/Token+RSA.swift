import APDU
import Secrets

/// RSA keys: the card computes on whole blocks, little-endian; padding is the host's business.
extension Token {
    /// Makes an RSA key pair on the token and stores what describes it. Needs User's login.
    ///
    /// - Returns: The public and the private half.
    package func generateRSAKeyPair(_ template: RSAKeyPairTemplate) throws(TokenError) -> (TokenRSAKey, TokenRSAKey) {
        try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            return try card.withNewKeyFiles { number throws(TokenError) in
                try card.perform([
                    card.selection(.objects), card.keyFile(.privateKey, number, template.size),
                    card.keyFile(.publicKey, number, template.size),
                ])
                // The exponent 65537, little-endian. Without these data a key of 4096 bits would be malformed.
                let exponent: [UInt8] = [0xA6, 0x06, 0x94, 0x04, 0x01, 0x00, 0x01, 0x00]
                let answer = try card.perform(.generateKeyPair(number, parameters: exponent, ne: 256))
                guard answer.count == template.size.blockSize else { throw .malformedAnswer }
                let value = RSAPublicValue(modulus: answer.reversed(), exponent: [0x01, 0x00, 0x01])
                let keys = try card.describe(template, number: number, value: value)
                card.objectsChanged { $0.rsaKeys.enter(keys.0, keys.1) }
                return keys
            }
        }
    }

    /// Deletes one half of a key pair, and its key file. Needs User's login.
    package func delete(_ key: TokenRSAKey) throws(TokenError) {
        guard !key.isForeign else { throw .unsupported }
        try delete(key.half, number: key.number, record: key.file, key.annotation)
    }
}

extension Transaction {
    func keyFile(_ half: TokenKey.Half, _ number: UInt8, _ size: RSAKeySize) -> CardCommand {
        half == .privateKey
            ? keyFile(half, number, size: size.privateSize, properties: [RSAKeySize.privateType, 0x00, 0x00])
            : keyFile(half, number, size: size.publicSize, properties: [RSAKeySize.publicType, 0x00, 0x00])
    }

    fileprivate func describe(
        _ template: RSAKeyPairTemplate, number: UInt8, value: RSAPublicValue
    ) throws(TokenError) -> (TokenRSAKey, TokenRSAKey) {
        func record(
            _ kind: ObjectRecord.Kind, _ half: KeyPairTemplate.Half
        ) -> (ObjectRecord, ObjectAnnotation) {
            var record = ObjectRecord(kind: kind, keyNumber: number, items: [(.label, half.label), (.id, half.id)])
            // Not every token gives a public key back, and either half may be deleted: both records keep it.
            record[.value] = value.encoded(template.size)
            record.isPrivate = half.annotation.isPrivate
            return (record, half.annotation)
        }
        let stored = try store(
            [record(.publicKey, template.publicKey), record(.privateKey, template.privateKey)], on: .keys)
        guard stored.count == 2 else { throw .malformedAnswer }
        func key(_ half: TokenKey.Half, _ index: Int, _ text: KeyPairTemplate.Half) -> TokenRSAKey {
            TokenRSAKey(
                half: half, file: stored[index].file, number: number, label: text.label, id: text.id,
                bits: template.size.bits, modulus: value.modulus, publicExponent: value.exponent, isImported: false,
                annotation: stored[index].annotation)
        }
        return (key(.publicKey, 0, template.publicKey), key(.privateKey, 1, template.privateKey))
    }
}
