import APDU
package import Secrets

/// Private keys that were made elsewhere.
extension Token {
    /// Takes a private key of GOST R 34.10. Needs User's login.
    ///
    /// - Parameters:
    ///   - scalar: Little-endian, as long as a coordinate.
    ///   - template: What the key shall be; what it says of a public half is not used.
    package func importKey(
        _ scalar: borrowing Secret, _ template: KeyPairTemplate
    ) throws(TokenError) -> TokenKey {
        let scalar = scalar.copy()
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            try card.requireAccepted(template.algorithm)
            return try card.withNewKeyFiles { number throws(TokenError) in
                try card.perform([
                    card.selection(.objects), card.keyFile(.privateKey, number, template),
                    card.selection(.privateKeys.file(UInt16(number))),
                ])
                try card.importSelected(scalar)
                let record = template.record(.privateKey, number: number)
                guard let stored = try card.store([(record, template.privateKey.annotation)], on: .keys).first else {
                    throw .malformedAnswer
                }
                var key = TokenKey(template, .privateKey)
                (key.file, key.annotation, key.number) = (stored.file, stored.annotation, number)
                key.isImported = true
                card.objectsChanged { $0.keys.enter(key) }
                return key
            }
        }
    }

    /// Takes a private key of RSA. Needs User's login.
    ///
    /// - Parameters:
    ///   - modulus: Big-endian, as long as `size` says.
    ///   - publicExponent: Big-endian.
    package func importRSAKey(
        _ value: borrowing RSAPrivateValue, modulus: [UInt8], publicExponent: [UInt8], size: RSAKeySize,
        _ half: KeyPairTemplate.Half
    ) throws(TokenError) -> TokenRSAKey {
        let file = value.encoded(size)
        return try transaction { card throws(TokenError) in
            try card.requireLogin(.user)
            guard file.count == size.privateSize, modulus.count == size.blockSize else { throw .unsupported }
            return try card.withNewKeyFiles { number throws(TokenError) in
                try card.perform([
                    card.selection(.objects), card.keyFile(.privateKey, number, size),
                    card.selection(.privateKeys.file(UInt16(number))),
                ])
                try card.importSelected(file)
                var record = ObjectRecord(
                    kind: .privateKey, keyNumber: number, items: [(.label, half.label), (.id, half.id)])
                record[.value] = RSAPublicValue(modulus: modulus, exponent: publicExponent).encoded(size)
                guard let stored = try card.store([(record, half.annotation)], on: .keys).first else {
                    throw .malformedAnswer
                }
                let key = TokenRSAKey(
                    half: .privateKey, file: stored.file, number: number, label: half.label, id: half.id,
                    bits: size.bits, modulus: modulus, publicExponent: publicExponent, isImported: true,
                    annotation: stored.annotation)
                card.objectsChanged { $0.rsaKeys.enter(key) }
                return key
            }
        }
    }
}

/// The numbers that a card computes with (RFC 8017, 3.2), each big-endian.
package struct RSAPrivateValue: ~Copyable {
    package var prime1, prime2, coefficient, exponent1, exponent2: Secret

    package init(
        prime1: consuming Secret, prime2: consuming Secret, coefficient: consuming Secret,
        exponent1: consuming Secret, exponent2: consuming Secret
    ) {
        self.prime1 = prime1
        self.prime2 = prime2
        self.coefficient = coefficient
        self.exponent1 = exponent1
        self.exponent2 = exponent2
    }

    /// p ‖ 00000000 ‖ q ‖ 00000000 ‖ the coefficient ‖ both exponents, each little-endian and half as long as the modulus.
    borrowing func encoded(_ size: RSAKeySize) -> Secret {
        let half = size.blockSize / 2
        let pause = Secret(count: 4)
        var value = prime1.littleEndian(half)
        value = value.appending(pause.bytes)
        let second = prime2.littleEndian(half)
        value = value.appending(second.bytes)
        value = value.appending(pause.bytes)
        let inverse = coefficient.littleEndian(half)
        value = value.appending(inverse.bytes)
        let first = exponent1.littleEndian(half)
        value = value.appending(first.bytes)
        let last = exponent2.littleEndian(half)
        return value.appending(last.bytes)
    }
}

extension Secret {
    /// The bytes from the last to the first.
    borrowing func reversed() -> Secret {
        var result = Secret(count: count)
        var span = result.mutableBytes
        for index in 0..<count { span[count - 1 - index] = bytes[index] }
        return result
    }

    /// A number's bytes from the last to the first, with zeros after them up to `size`, and no more than that.
    fileprivate borrowing func littleEndian(_ size: Int) -> Secret {
        var result = Secret(count: size)
        var span = result.mutableBytes
        for index in 0..<min(count, size) { span[index] = bytes[count - 1 - index] }
        return result
    }
}
