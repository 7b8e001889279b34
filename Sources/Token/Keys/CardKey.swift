// SPDX-License-Identifier: Apache-2.0

package import GOST
package import HostCrypto
package import Secrets

/// A kind of key pairs: everything in which its keys differ from others on a card and in the records.
///
/// A value has the parameters of one key, and what is known of its public key. Each kind has a file of its own, and a
/// place in ``cardKeyTypes``.
package protocol CardKey: Sendable, Equatable {
    /// The kind of the key that a record and the template of a key file of its pair describe; nil if it is a different
    /// one.
    init?(_ record: ObjectRecord, _ template: FileTemplate)
    /// The kind of the key that OpenSC describes; nil if it is a different one.
    ///
    /// - Parameter publicKey: The content of the public key's file.
    init?(_ entry: PKCS15Entry, _ half: TokenKey.Half, publicKey: [UInt8]?)

    /// The public key as the card and the records have it; nil if it is unknown, or does not belong to this half.
    var value: [UInt8]? { get }
    /// Whether a half shows the public key, and this one does not know it.
    func lacksValue(_ half: TokenKey.Half) -> Bool
    /// Whether the file of a public key can be read, where the record has no value.
    static var hasReadableFile: Bool { get }
    /// Takes the public key as a record or the card has it, if it is one.
    mutating func take(_ value: [UInt8], _ half: TokenKey.Half)
    /// Takes the public key out of a certificate, if it is one of these parameters.
    mutating func take(_ info: PublicKeyInfo)

    /// The record's items for the key, without its value.
    func items(label: [UInt8], id: [UInt8]) -> [(ObjectRecord.Item, [UInt8])]
    /// The properties of the key files; nil if the parameters have no key files.
    var files: KeyFiles? { get }
    /// Whether real tokens are known to take such key files.
    var isPublished: Bool { get }
    /// Whether real tokens are known to compute with keys of the kind by these commands.
    static var isUsePublished: Bool { get }
    /// Command data of GENERATE KEY PAIR; if not empty, the command is not batched.
    static var generationParameters: [UInt8] { get }
    /// The bytes of the answer to GENERATE KEY PAIR.
    var generatedSize: Int { get }
    /// The public key in this answer.
    func generatedValue(_ answer: [UInt8]) -> [UInt8]

    /// A private key's value as the card takes it.
    ///
    /// - Parameter value: As applications have it.
    static func imported(_ value: borrowing Secret) -> Secret
    /// A digest as the card takes it; nil if the card does not sign digests.
    func digest(_ digest: [UInt8]) -> [UInt8]?
    /// The bytes of a signature of a digest.
    var signatureSize: Int { get }
    /// A signature as applications have it.
    static func signature(_ answer: [UInt8]) -> [UInt8]
    /// Command data of a key agreement; nil if the card has none for the kind.
    func agreement(with peer: [UInt8], ukm: [UInt8]) -> [UInt8]?
    /// The bytes of the secret that is agreed on.
    ///
    /// - Parameter hash: The hash function for the agreed point; nil for the kinds without.
    func agreedSize(_ hash: HashAlgorithm?) -> Int
    /// The agreed secret as applications have it.
    static func agreed(_ answer: borrowing Secret) -> Secret
}

/// All kinds, in the order of a search.
let cardKeyTypes: [any CardKey.Type] = [GOSTKey.self, RSAKey.self, ECKey.self]

/// Defaults of most kinds.
extension CardKey {
    package init?(_ entry: PKCS15Entry, _ half: TokenKey.Half, publicKey: [UInt8]?) { return nil }
    package static var hasReadableFile: Bool { true }
    package static var isUsePublished: Bool { true }
    package static var generationParameters: [UInt8] { [] }
    package var generatedSize: Int { files?.publicSize ?? 0 }
    package func generatedValue(_ answer: [UInt8]) -> [UInt8] { answer }
    package static func imported(_ value: borrowing Secret) -> Secret { value.copy() }
    package func digest(_ digest: [UInt8]) -> [UInt8]? { nil }
    package func agreement(with peer: [UInt8], ukm: [UInt8]) -> [UInt8]? { nil }
    package static func agreed(_ answer: borrowing Secret) -> Secret { answer.copy() }

    fileprivate func isEqual(_ other: any CardKey) -> Bool { other as? Self == self }
}

/// The properties of the two key files of a pair.
package struct KeyFiles {
    /// Tag 85, byte 0, of the private key; the public key's has bit 4 set.
    let type: UInt8
    /// Tag 85, byte 1: the parameter set.
    let parameter: UInt8
    /// Bytes of the values.
    let privateSize, publicSize: Int
    /// Bytes of a file behind its value.
    var padding = 0
}

/// One half of a key pair.
package struct TokenKey: Sendable, Equatable {
    package enum Half: Sendable { case publicKey, privateKey }

    package var half: Half
    package var kind: any CardKey
    /// The number of its key file; 0 before there is one, and for a public key that OpenSC has stored.
    package var number: UInt8 = 0
    package var properties: Properties

    /// The properties of a key in its file: tag 85, byte 2.
    package struct Properties: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Key agreement is allowed.
        package static let derives = Properties(rawValue: 0x01)
        /// The key signs the token's journal.
        package static let signsJournal = Properties(rawValue: 0x04)
        /// The key was made outside the token.
        package static let imported = Properties(rawValue: 0x08)
        static let all: Properties = [.derives, .signsJournal, .imported]
    }

    package init(_ half: Half, _ kind: any CardKey, _ properties: Properties = []) {
        self.half = half
        self.kind = kind
        self.properties = properties
    }

    package static func == (left: TokenKey, right: TokenKey) -> Bool {
        left.half == right.half && left.number == right.number && left.properties == right.properties
            && left.kind.isEqual(right.kind)
    }
}

extension [TokenObject] {
    /// The certificates that go with public keys of which the token does not give the value.
    var certificatesOfUnknownKeys: [Int] {
        var ids = Set<[UInt8]>()
        for object in self {
            if let key = object.key, key.kind.lacksValue(key.half), !object.id.isEmpty { ids.insert(object.id) }
        }
        guard !ids.isEmpty else { return [] }
        // The first one counts.
        return indices.filter { index in
            guard case .certificate = self[index].content else { return false }
            return ids.remove(self[index].id) != nil
        }
    }

    /// Takes the public keys that the token does not give back from the certificates that go with them: how the
    /// vendor's library reads them is not published, and its records do not have them.
    mutating func completePublicKeys() {
        for index in indices {
            guard case .key(var key) = self[index].content, key.kind.lacksValue(key.half),
                let info = certifiedKey(self[index].id)
            else { continue }
            key.kind.take(info)
            self[index].content = .key(key)
        }
    }

    /// The public key in the first certificate with this identifier.
    private func certifiedKey(_ id: [UInt8]) -> PublicKeyInfo? {
        for object in self {
            guard !id.isEmpty, object.id == id, case .certificate(_, let value?) = object.content else { continue }
            guard let info = try? Certificate(der: value.span).subjectPublicKeyInfo else { return nil }
            return try? PublicKeyInfo(der: info.span)
        }
        return nil
    }
}

/// A private key of the token that may be used once. Every computation with a key takes one, and only asking makes one.
package struct PermittedKey: Sendable {
    package let object: TokenObject
    /// The password of the key's container; nil for a key that needs none.
    let password: SharedSecret?

    /// - Parameters:
    ///   - password: The password of the key's container, if it has one.
    ///   - asking: Has the key's owner asked if that is wanted, and throws without leave.
    package init<Refusal: Error>(
        _ object: TokenObject, password: SharedSecret? = nil, asking: () throws(Refusal) -> Void
    ) throws(Refusal) {
        try asking()
        self.object = object
        self.password = password
    }
}
