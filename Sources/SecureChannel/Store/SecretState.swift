// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets

/// A state of a secret of a ``SecretStore``: its value, or the tombstone of one.
///
/// Its content is the number of bytes of its fields, in two bytes; state (1 alive, 0 deleted), generation and revision
/// as data objects; in a secret that is alive also service, account and the number of bytes of the value; then the
/// value, and zeros up to the next multiple of 256 bytes.
struct SecretState {
    let identity: [UInt8]
    /// nil makes this a tombstone.
    let name: SecretStore.Name?
    let version: Version
    /// Tells states of one version apart, on every machine alike.
    let salt: [UInt8]
    /// The sealed file.
    let file: [UInt8]
    /// The range of the value in the content.
    private let value: Range<Int>

    /// Which of two states counts.
    struct Version: Equatable {
        /// The number of times that the secret was added.
        var generation: UInt32 = 1
        /// Counts the states of a generation.
        var revision: UInt32 = 1

        /// The next state of the same generation.
        var next: Version { Version(generation: generation, revision: min(revision, .max - 1) + 1) }
    }

    /// Contents are multiples of this number of bytes, so that they do not reveal the length of a value.
    private static let block = 256

    /// Opens a file; nil if it is not of this key, or its content is malformed.
    init?(file: [UInt8], key: borrowing Secret, kind: SealedFile.Kind) {
        guard let sealed = SealedFile(opening: file, key: key, kind: kind) else { return nil }
        guard sealed.content.count >= 2 else { return nil }
        let start = 2 + (Int(sealed.content.bytes[0]) << 8 | Int(sealed.content.bytes[1]))
        guard start <= sealed.content.count else { return nil }
        var fields = ByteCursor([UInt8](copying: sealed.content.extracting(2..<start)))
        guard let isAlive = try? fields.number(0x80, in: 0...1), let generation = try? fields.uint32(0x81),
            let revision = try? fields.uint32(0x82)
        else { return nil }
        if isAlive == 1 {
            guard let service = try? fields.object(0x83), let account = try? fields.object(0x84),
                let count = try? fields.uint32(0x85), Int(count) <= sealed.content.count - start
            else { return nil }
            let name = SecretStore.Name(
                service: String(decoding: service, as: UTF8.self), account: String(decoding: account, as: UTF8.self))
            guard name.identity(key) == sealed.identity else { return nil }
            self.name = name
            value = start..<start + Int(count)
        } else {
            name = nil
            value = start..<start
        }
        guard fields.isAtEnd else { return nil }
        identity = sealed.identity
        version = Version(generation: generation, revision: revision)
        salt = sealed.salt
        self.file = file
    }

    /// The content of a state; a tombstone's has no name and an empty value.
    static func content(_ name: SecretStore.Name?, _ version: Version, _ value: borrowing Secret) -> Secret {
        var fields: [UInt8] = []
        fields.appendObject(0x80, [name == nil ? 0 : 1])
        fields.appendUInt32(0x81, version.generation)
        fields.appendUInt32(0x82, version.revision)
        if let name {
            fields.appendObject(0x83, Array(name.service.utf8))
            fields.appendObject(0x84, Array(name.account.utf8))
            fields.appendUInt32(0x85, UInt32(clamping: value.count))
        }
        var octets: [UInt8] = []
        octets.appendUInt16(fields.count)
        octets += fields
        let rest = (octets.count + value.count) % block
        let zeros = [UInt8](repeating: 0, count: rest == 0 ? 0 : block - rest)
        return Secret(copying: octets).appending(value.bytes).appending(zeros.span)
    }

    /// The value, read from the file again; nil in a tombstone.
    func secret(_ key: borrowing Secret, kind: SealedFile.Kind) -> Secret? {
        guard name != nil, let sealed = SealedFile(opening: file, key: key, kind: kind) else { return nil }
        return sealed.content.extracting(value)
    }

    /// Whether this state counts, and not the other one: of a later generation, else deleted, else of a higher revision.
    func supersedes(_ other: SecretState) -> Bool {
        if version.generation != other.version.generation { return version.generation > other.version.generation }
        if (name == nil) != (other.name == nil) { return name == nil }
        if version.revision != other.version.revision { return version.revision > other.version.revision }
        return other.salt.lexicographicallyPrecedes(salt)
    }
}

extension SecretStore.Name {
    /// The identity that names a secret's files. Only the key tells which secret it is.
    func identity(_ key: borrowing Secret) -> [UInt8] {
        let label = Array("Kanal secret name".utf8)
        var seed: [UInt8] = []
        seed.appendUInt16(service.utf8.count)
        seed += Array(service.utf8) + Array(account.utf8)
        let digest = KDF.derive(key: key.bytes, label: label.span, seed: seed.span)
        return Array([UInt8](copying: digest).prefix(16))
    }
}

extension ByteCursor {
    /// The next object, a number of four bytes.
    fileprivate mutating func uint32(_ tag: UInt8) throws(MalformedBytes) -> UInt32 {
        var number = ByteCursor(try object(tag, length: 4))
        return try number.uint32()
    }
}

extension [UInt8] {
    /// Appends an object that is a number of four bytes.
    fileprivate mutating func appendUInt32(_ tag: UInt8, _ number: UInt32) {
        var octets: [UInt8] = []
        octets.appendUInt32(number)
        appendObject(tag, octets)
    }
}
