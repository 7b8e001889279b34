// SPDX-License-Identifier: Apache-2.0

import APDU
import GOST
import Secrets
import Storage

/// A file of a sealed directory: an entry's identity in the clear, its content enciphered and authenticated with it.
///
///     magic ‖ identity, 16 bytes ‖ salt, 32 bytes ‖ Kuznyechik-MGM(K, ICN 0^16, all before ‖ context, content) ‖ tag
///     K = KDF_GOSTR3411_2012_256(key, label, identity ‖ salt)
///
/// The tag has 16 bytes. The salt is random and new in each file, so that no key enciphers twice.
struct SealedFile: ~Copyable {
    /// Names the entry: all files of this identity are states of the same one.
    let identity: [UInt8]
    let salt: [UInt8]
    let content: Secret

    /// The kind of the files in a directory.
    struct Kind: Sendable {
        /// The beginning of every file. The last byte is the version of the format.
        let magic: [UInt8]
        /// The label of the keys' derivation.
        let label: [UInt8]
        /// Data that are authenticated with a file, and not in it.
        let context: [UInt8]
        /// The end of a file's name.
        let suffix: String
        /// The greatest size of a file that is read.
        let limit: Int

        /// A pairing with a token.
        static let pairing = Kind(
            magic: Array("Kanal sealed pairing".utf8) + [1], label: Array("Kanal pairing".utf8), context: [],
            suffix: ".pairing", limit: PairingStore.limit)

        static let secretSuffix = ".secret"

        /// A secret of an access group.
        static func secret(of group: [UInt8]) -> Kind {
            Kind(
                magic: Array("Kanal sealed secret".utf8) + [1], label: Array("Kanal secret".utf8), context: group,
                suffix: secretSuffix, limit: SecretStore.valueLimit + 2048)
        }
    }

    static let identitySize = 16
    private static let nonce = [UInt8](repeating: 0, count: CipherAlgorithm.kuznyechik.blockSize)

    /// Opens a file; nil if it is malformed, changed, or sealed under a different key. Constant time in its secret
    /// inputs.
    init?(opening file: [UInt8], key: borrowing Secret, kind: Kind = .pairing) {
        var cursor = ByteCursor(file)
        guard let magic = try? cursor.bytes(kind.magic.count), magic == kind.magic,
            let identity = try? cursor.bytes(16), let salt = try? cursor.bytes(32)
        else { return nil }
        let header = magic + identity + salt + kind.context
        let sealed = cursor.rest()
        guard let cipher = try? SealedFile.cipher(identity, salt, key, kind) else { return nil }
        guard
            let content = try? cipher.open(sealed.span, nonce: SealedFile.nonce.span, authenticating: header.span)
        else { return nil }
        self.identity = identity
        self.salt = salt
        self.content = content
    }

    /// The possible identities of a file that does not open: the beginning of its name, and the bytes behind the magic
    /// of any version. A damaged file may have kept only one of them.
    static func identities(name: String, file: [UInt8], kind: Kind = .pairing) -> [[UInt8]] {
        var identities: [[UInt8]] = []
        if let named = [UInt8](hexadecimal: name.utf8.prefix(32)), named.count == 16 { identities.append(named) }
        var cursor = ByteCursor(file)
        if let start = try? cursor.bytes(kind.magic.count), start.dropLast() == kind.magic.dropLast(),
            let identity = try? cursor.bytes(16)
        {
            identities.append(identity)
        }
        return identities
    }

    /// A file with this content. Constant time in its secret inputs.
    static func seal(
        _ content: borrowing Secret, identity: [UInt8], key: borrowing Secret, random: any RandomSource,
        kind: Kind = .pairing
    ) throws(ChannelError) -> [UInt8] {
        let salt = try drawing { () throws(RandomUnavailable) in try random.bytes(32) }
        let header = kind.magic + identity + salt
        let authenticated = header + kind.context
        do throws(GOSTError) {
            let cipher = try cipher(identity, salt, key, kind)
            let sealed = try cipher.seal(content.bytes, nonce: nonce.span, authenticating: authenticated.span)
            return header + [UInt8](copying: sealed)
        } catch {
            throw ChannelError(error)
        }
    }

    private static func cipher(
        _ identity: [UInt8], _ salt: [UInt8], _ key: borrowing Secret, _ kind: Kind
    ) throws(GOSTError) -> MGM {
        let seed = identity + salt
        let key = KDF.derive(key: key.bytes, label: kind.label.span, seed: seed.span)
        return try MGM(.kuznyechik, key: key.bytes)
    }
}

extension SealedFile.Kind {
    /// The public content of a token.
    static let cache = SealedFile.Kind(
        magic: Array("Kanal sealed cache".utf8) + [1], label: Array("Kanal cache".utf8), context: [], suffix: ".cache",
        limit: SealedCache.limit + 128)
}
