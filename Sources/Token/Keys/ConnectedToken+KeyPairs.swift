// SPDX-License-Identifier: Apache-2.0
import APDU
package import Secrets

/// Key pairs that the token generates, and private keys that it imports.
extension ConnectedToken {
    /// Makes a key pair on the token and stores its description. Needs User's login.
    ///
    /// - Parameters: The halves to make, with one kind; the token chooses their places.
    /// - Returns: The public and the private half.
    package func generateKeyPair(
        _ publicKey: TokenObject, _ privateKey: TokenObject
    ) throws(TokenError) -> (TokenObject, TokenObject) {
        guard let key = privateKey.key, let files = key.kind.files else { throw .unsupported }
        guard model != .lite else { throw .keepsFilesOnly }
        guard model != .folder else { throw .readOnly }
        return try transaction { card throws(TokenError) in
            try card.requireNewKey(key)
            return try card.withNewKeyFiles { number throws(TokenError) in
                let value = try card.generate(key, files, number: number)
                let stored = try card.store([publicKey.made(number, value), privateKey.made(number, value)])
                guard stored.count == 2 else { throw .malformedAnswer }
                card.objectsChanged { $0.enter(stored) }
                return (stored[0], stored[1])
            }
        }
    }

    /// Imports a private key that was made elsewhere. Needs User's login.
    ///
    /// - Parameters:
    ///   - value: A number as long as a coordinate: of GOST R 34.10 little-endian, of ECDSA big-endian. Of RSA, what
    ///     ``RSAKeySize/privateValue(_:)`` makes.
    ///   - object: The description of the key.
    package func importKey(_ value: borrowing Secret, as object: TokenObject) throws(TokenError) -> TokenObject {
        guard let key = object.key, let files = key.kind.files else { throw .unsupported }
        guard model != .lite else { throw .keepsFilesOnly }
        guard model != .folder else { throw .readOnly }
        let value = key.kind.imported(value)
        return try transaction { card throws(TokenError) in
            try card.requireNewKey(key)
            guard value.count == files.privateSize else { throw .unsupported }
            return try card.withNewKeyFiles { number throws(TokenError) in
                try card.perform([
                    card.selection(.objects), files.creation(of: .privateKey, number, key.properties),
                    card.selection(.privateKeys.file(UInt16(number))),
                ])
                try card.importSelected(value)
                var object = object.made(number)
                if case .key(var key) = object.content {
                    key.properties.insert(.imported)
                    object.content = .key(key)
                }
                let stored = try card.store([object])
                guard let first = stored.first else { throw .malformedAnswer }
                card.objectsChanged { $0.enter(stored) }
                return first
            }
        }
    }
}

extension TokenObject {
    /// The object with the number of its key file.
    ///
    /// - Parameter value: The public key that the card has made.
    fileprivate func made(_ number: UInt8, _ value: [UInt8]? = nil) -> TokenObject {
        guard case .key(var key) = content else { return self }
        key.number = number
        if let value { key.kind.take(value, key.half) }
        var object = self
        object.content = .key(key)
        return object
    }
}

extension KeyFiles {
    /// The command that creates a key file, after ``FilePath/objects`` was selected. The card itself notes that a key
    /// was made elsewhere.
    fileprivate func creation(
        of half: TokenKey.Half, _ number: UInt8, _ properties: TokenKey.Properties
    ) -> CardCommand {
        let isPrivate = half == .privateKey
        return .create(
            UInt16(number), .key, size: (isPrivate ? privateSize : publicSize) + padding,
            properties: [
                isPrivate ? type : type | 0x10, parameter, properties.subtracting(.imported).rawValue, 0xAA, 0x00, 0x00,
            ], access: isPrivate ? .privateKey : .publicKey)
    }
}

extension Transaction {
    /// Makes sure that a key may be made. A parameter set whose number no real token was seen to use goes to this
    /// project's tokens only.
    fileprivate func requireNewKey(_ key: TokenKey) throws(TokenError) {
        try requireLogin(.user)
        if !key.kind.isPublished { try requireOwnCommands() }
    }

    /// Runs `body` with the number of a new key. If it fails nothing half-made stays behind, as far as the card can be
    /// reached; the caller gets the first error.
    fileprivate func withNewKeyFiles<Result>(
        _ body: (UInt8) throws(TokenError) -> Result
    ) throws(TokenError) -> Result {
        let number = try freeKeyNumber()
        return try changing { () throws(TokenError) in
            for directory in [FilePath.privateKeys, .publicKeys] { forget(directory.file(UInt16(number))) }
            do throws(TokenError) { return try body(number) } catch {
                throw undoing(error) { () throws(TokenError) in
                    try establish()
                    try deleteKeyFiles(number)
                }
            }
        }
    }

    /// Creates both key files and fills them (GENERATE KEY PAIR).
    ///
    /// - Returns: The public key, as records have it.
    fileprivate func generate(_ key: TokenKey, _ files: KeyFiles, number: UInt8) throws(TokenError) -> [UInt8] {
        let (parameters, size) = (key.kind.generationParameters, key.kind.generatedSize)
        let creations = [
            selection(.objects), files.creation(of: .privateKey, number, key.properties),
            files.creation(of: .publicKey, number, key.properties),
        ]
        let answer: [UInt8]
        if parameters.isEmpty {
            // A batch has to have room for the replies that its commands announce.
            answer = try perform(creations + [.generateKeyPair(number, ne: hasBatches ? size : 256)])
        } else {
            try perform(creations)
            answer = try perform(.generateKeyPair(number, parameters: parameters, ne: 256))
        }
        var kind = key.kind
        let value = kind.generatedValue(answer)
        kind.take(value, .publicKey)
        guard answer.count == size, !kind.lacksValue(.publicKey) else { throw .malformedAnswer }
        return value
    }

    /// The lowest number that no key file has, of those that no known key has.
    private func freeKeyNumber() throws(TokenError) -> UInt8 {
        let known = Set((session.known.objects?.objects ?? []).compactMap(\.key?.number))
        for number in 1...0xFF as ClosedRange<UInt8> where !known.contains(number) {
            let paths = [FilePath.privateKeys, .publicKeys].map { $0.file(UInt16(number)) }
            let responses = try send(paths.map { selection($0) }, goesOn: true)
            if responses.allSatisfy({ $0.status == .fileNotFound }) { return number }
        }
        throw .memoryFull
    }

    private func deleteKeyFiles(_ number: UInt8) throws(TokenError) {
        try delete(UInt16(number), in: .publicKeys)
        try delete(UInt16(number), in: .privateKeys)
    }
}
