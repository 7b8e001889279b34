import APDU
public import Secrets

/// RSA keys: the card computes on whole blocks, little-endian; padding is the host's business.
extension Token {
    /// Makes an RSA key pair on the token and stores what describes it. Needs User's login.
    ///
    /// - Returns: The public and the private half.
    public func generateRSAKeyPair(_ template: RSAKeyPairTemplate) throws(TokenError) -> (TokenRSAKey, TokenRSAKey) {
        try transaction { () throws(TokenError) in
            try requireLogin(.user)
            return try withNewKeyFiles { number throws(TokenError) in
                try createFiles(template.size, number: number)
                // The exponent 65537, little-endian. Without these data a key of 4096 bits would be malformed.
                let exponent: [UInt8] = [0xA6, 0x06, 0x94, 0x04, 0x01, 0x00, 0x01, 0x00]
                let answer = try perform(
                    Command(0x00, 0x46, 0x80, number, bytes: exponent, ne: 256))
                guard answer.count == template.size.blockSize else { throw .malformedAnswer }
                let value = RSAPublicValue(modulus: answer.reversed(), exponent: [0x01, 0x00, 0x01])
                return try describe(template, number: number, value: value)
            }
        }
    }

    /// The private operation on a block that was padded for a signature. Needs User's login.
    ///
    /// - Parameter block: As long as the modulus and below it, big-endian.
    /// - Returns: As long as the modulus, big-endian.
    public func sign(block: [UInt8], with key: TokenRSAKey) throws(TokenError) -> [UInt8] {
        let answer = try apply(key, to: block, template: 0xB6, operation: (0x9E, 0x9A))
        return answer.reversed()
    }

    /// The private operation on a cryptogram. Needs User's login.
    ///
    /// - Parameter block: As long as the modulus and below it, big-endian.
    /// - Returns: The padded plaintext, as long as the modulus, big-endian.
    public func decipher(block: [UInt8], with key: TokenRSAKey) throws(TokenError) -> Secret {
        let answer = try apply(key, to: block, template: 0xB8, operation: (0x80, 0x86))
        return Secret(copying: answer.reversed())
    }

    /// Deletes one half of a key pair, and its key file. Needs User's login.
    public func delete(_ key: TokenRSAKey) throws(TokenError) {
        guard !key.isForeign else { throw .unsupported }
        try delete(key.half, number: key.number, record: key.file, key.annotation)
    }

    /// Sets the key (MSE) and has the card compute (PSO).
    private func apply(
        _ key: TokenRSAKey, to block: [UInt8], template: UInt8, operation: (UInt8, UInt8)
    ) throws(TokenError) -> [UInt8] {
        guard key.half == .privateKey, block.count == key.bits / 8 else { throw .unsupported }
        return try transaction(.acting) { () throws(TokenError) in
            try requireLogin(.user)
            let setKey = Step(0x00, 0x22, 0x41, template, bytes: [0x84, 0x01, key.number])
            for response in try sendFirst([setKey], asking: !isPlain) { _ = try data(of: response) }
            let answer = try performLong(
                0x2A, operation.0, operation.1, Secret(copying: block.reversed()), ne: block.count)
            guard answer.count == block.count else { throw .malformedAnswer }
            return answer
        }
    }

    func createPrivateFile(_ size: RSAKeySize, number: UInt8) throws(TokenError) {
        try select(.objects)
        try create(
            UInt16(number), type: [0x10, 0x00], size: size.privateSize,
            properties: [RSAKeySize.privateType, 0x00, 0x00, 0xAA, 0x00, 0x00],
            access: [0x47, 0x02, 0x02, 0x02, 0, 0, 0, 0x02])
    }

    private func createFiles(_ size: RSAKeySize, number: UInt8) throws(TokenError) {
        try createPrivateFile(size, number: number)
        try create(
            UInt16(number), type: [0x10, 0x00], size: size.publicSize,
            properties: [RSAKeySize.publicType, 0x00, 0x00, 0xAA, 0x00, 0x00],
            access: [0x46, 0x00, 0x02, 0x00, 0, 0, 0, 0x02])
    }

    private func describe(
        _ template: RSAKeyPairTemplate, number: UInt8, value: RSAPublicValue
    ) throws(TokenError) -> (TokenRSAKey, TokenRSAKey) {
        func record(_ kind: ObjectRecord.Kind, _ half: KeyPairTemplate.Half) -> ObjectRecord {
            ObjectRecord(kind: kind, keyNumber: number, items: [(.label, half.label), (.id, half.id)])
        }
        var publicRecord = record(.publicKey, template.publicKey)
        // Not every token gives a public key back, so our own records keep it.
        publicRecord.items.append((ObjectRecord.Item.value.rawValue, value.encoded(template.size)))
        publicRecord.isPrivate = template.publicKey.annotation.isPrivate
        let stored = try store(
            [
                (publicRecord, template.publicKey.annotation),
                (record(.privateKey, template.privateKey), template.privateKey.annotation),
            ], on: .keys)
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
