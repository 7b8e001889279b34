// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import HostCrypto
import Secrets

/// A key of a pair, of one of the kinds, with its parameters and what is known of its public key: everything in which
/// keys differ from others on a card and in the records. Each kind has a file of its own.
package enum CardKey: Sendable, Equatable {
    case gost(GOSTKey)
    case rsa(RSAKey)
    case ec(ECKey)

    /// The key that a record and the template of a key file of its pair describe; nil if it is of no known kind.
    init?(_ record: ObjectRecord, _ template: FileTemplate) {
        let key =
            GOSTKey(record).map(CardKey.gost) ?? RSAKey(template).map(CardKey.rsa)
            ?? ECKey(record, template).map(CardKey.ec)
        guard let key else { return nil }
        self = key
    }

    /// The key that OpenSC describes; nil if it is of no known kind.
    ///
    /// - Parameter publicKey: The content of the public key's file.
    init?(_ entry: PKCS15Entry, _ half: TokenKey.Half, publicKey: [UInt8]?) {
        let gost = GOSTKey(entry, half, publicKey: publicKey).map(CardKey.gost)
        guard let key = gost ?? RSAKey(entry, publicKey: publicKey).map(CardKey.rsa) else { return nil }
        self = key
    }

    package var gostKey: GOSTKey? { if case .gost(let key) = self { key } else { nil } }
    package var rsaKey: RSAKey? { if case .rsa(let key) = self { key } else { nil } }
    package var ecKey: ECKey? { if case .ec(let key) = self { key } else { nil } }

    /// The kind's place in a search.
    var rank: Int {
        switch self {
        case .gost: 0
        case .rsa: 1
        case .ec: 2
        }
    }
}

/// Public keys and records.
extension CardKey {
    /// The public key as the card and the records have it; nil if it is unknown, or does not belong to this half.
    package var value: [UInt8]? {
        switch self {
        case .gost(let key): key.value
        case .rsa(let key): key.value
        case .ec(let key): key.value
        }
    }

    /// Whether a half shows the public key, and this one does not know it. Both halves of RSA do.
    func lacksValue(_ half: TokenKey.Half) -> Bool {
        if case .rsa(let key) = self { key.modulus == nil } else { half == .publicKey && value == nil }
    }

    /// Whether the file of a public key can be read, where the record has no value.
    var hasReadableFile: Bool { ecKey == nil }

    /// Stores the public key in a record's or the card's form, if it is one.
    mutating func take(_ value: [UInt8], _ half: TokenKey.Half) {
        switch self {
        case .rsa(var key):
            key.take(value)
            self = .rsa(key)
        case .gost(var key) where half == .publicKey:
            key.value = value
            self = .gost(key)
        case .ec(var key) where half == .publicKey:
            key.take(value)
            self = .ec(key)
        case .gost, .ec: break
        }
    }

    /// Stores the public key of a certificate, if it is one of these parameters.
    mutating func take(_ info: PublicKeyInfo) {
        switch (self, info) {
        case (.gost(var key), .gost(let info)):
            key.take(info)
            self = .gost(key)
        case (.rsa(var key), .rsa(let info)) where info.bitCount == key.size.bits:
            (key.modulus, key.publicExponent) = (info.modulus, info.publicExponent)
            self = .rsa(key)
        case (.ec(var key), .ec(let info)) where info.curve.oid == key.parameters:
            key.point = Array(info.point.dropFirst())
            self = .ec(key)
        default: break
        }
    }

    /// The record's items for the key, without its value.
    package func items(label: [UInt8], id: [UInt8]) -> [(ObjectRecord.Item, [UInt8])] {
        switch self {
        case .gost(let key):
            [
                (.label, label), (.id, id), (.gostR3410Parameters, key.curve.oid),
                (.gostR3411Parameters, key.gostR3411Parameters), (.gost28147Parameters, key.gost28147Parameters),
            ]
        case .rsa: [(.label, label), (.id, id)]
        case .ec(let key): [(.ecParameters, key.parameters), (.label, label), (.id, id)]
        }
    }
}

/// Key files, and how keys are made.
extension CardKey {
    /// The properties of the key files; nil if the parameters have no key files.
    package var files: KeyFiles? {
        switch self {
        case .gost(let key): key.files
        case .rsa(let key): key.files
        case .ec(let key): key.files
        }
    }

    /// Whether real tokens are known to take such key files.
    var isPublished: Bool {
        switch self {
        case .gost(let key): key.isPublished
        case .rsa: true
        case .ec: false
        }
    }

    /// Command data of GENERATE KEY PAIR; if not empty, the command is not batched.
    var generationParameters: [UInt8] { rsaKey == nil ? [] : RSAKey.generationParameters }
    /// The bytes of the answer to GENERATE KEY PAIR.
    var generatedSize: Int { rsaKey?.size.blockSize ?? files?.publicSize ?? 0 }
    /// The public key in this answer.
    func generatedValue(_ answer: [UInt8]) -> [UInt8] { rsaKey?.generatedValue(answer) ?? answer }

    /// A private key's value in the card's form.
    ///
    /// - Parameter value: As applications have it.
    func imported(_ value: borrowing Secret) -> Secret { ecKey == nil ? value.copy() : value.reversed() }
}

/// The use of private keys. The card's numbers are little-endian.
extension CardKey {
    /// Whether real tokens are known to compute with keys of the kind by these commands.
    var isUsePublished: Bool { ecKey == nil }

    /// A digest in the card's form; nil if the card does not sign digests.
    func digest(_ digest: [UInt8]) -> [UInt8]? {
        switch self {
        case .gost: digest
        case .rsa: nil
        case .ec(let key): key.digest(digest)
        }
    }

    /// The bytes of a signature of a digest.
    package var signatureSize: Int {
        switch self {
        case .gost(let key): 2 * key.curve.coordinateSize
        case .rsa(let key): key.size.blockSize
        case .ec: 2 * ECKey.size
        }
    }

    /// A signature as applications have it: r ‖ s of GOST R 34.10 reversed as a whole is s ‖ r in the standard's order.
    func signature(_ answer: [UInt8]) -> [UInt8] { ecKey == nil ? answer.reversed() : ECKey.swapped(answer) }

    /// Command data of a key agreement; nil if the card has none for the kind.
    func agreement(with peer: [UInt8], ukm: [UInt8]) -> [UInt8]? {
        switch self {
        case .gost: .object(0x85, peer) + .object(0x94, ukm)
        case .rsa: nil
        case .ec: .object(0x85, ECKey.swapped(peer))
        }
    }

    /// The bytes of the secret that is agreed on.
    ///
    /// - Parameter hash: The hash function for the agreed point; nil for the kinds without.
    func agreedSize(_ hash: HashAlgorithm?) -> Int { ecKey == nil ? hash?.digestSize ?? 0 : ECKey.size }

    /// The agreed secret as applications have it.
    func agreed(_ answer: borrowing Secret) -> Secret { ecKey == nil ? answer.copy() : answer.reversed() }
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

    /// Reads the public keys that the token does not return from the certificates that go with them: how the
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
