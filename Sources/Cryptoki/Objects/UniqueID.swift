import CCryptoki
import GOST
import Secrets
import Token

/// `CKA_UNIQUE_ID` (PKCS #11 v3.0, 4.4.1): 32 hexadecimal digits.
///
/// A token stores none for a new object: the identifier is derived from the object and from the random name of its
/// record's file. A changed object moves to another file. From then on its former identifier is one of its attributes.
enum UniqueID {
    /// The identifier of a new object of a session.
    static func random(_ source: any RandomSource) throws(CKError) -> [UInt8] {
        do { return digits(try source.bytes(16)) } catch { throw .functionFailed }
    }

    /// The identifier of an object on a token whose attributes have none.
    static func derived(from item: TokenItem) -> [UInt8] { derived(from: item.identity) }

    /// The identifier of a profile.
    static func derived(from profile: CK_ULONG) -> [UInt8] { derived(from: [Array("profile".utf8), profile.bytes]) }

    private static func derived(from fields: [[UInt8]]) -> [UInt8] {
        // Each field has its length before it, so that no two lists of fields are the same octets.
        digits(Streebog256.hash(fields.flatMap { CK_ULONG($0.count).bytes + $0 }).prefix(16))
    }

    private static func digits(_ octets: some Sequence<UInt8>) -> [UInt8] {
        octets.flatMap { octet in [octet >> 4, octet & 0x0F].map { $0 < 10 ? 0x30 + $0 : 0x57 + $0 } }
    }
}

extension TokenItem {
    /// What distinguishes it from all others on its token, those that are gone included, as long as its record is not
    /// rewritten. Nothing of it is secret to those who see the object.
    fileprivate var identity: [[UInt8]] {
        switch self {
        case .key(let key): key.identity("key", key.half, key.number, key.gostR3410Parameters)
        case .rsaKey(let key): key.identity("key of RSA", key.half, key.number, CK_ULONG(key.bits).bytes)
        case .ecKey(let key): key.identity("key of a curve", key.half, key.number, key.parameters)
        case .certificate(let certificate): certificate.identity("certificate") + [certificate.value]
        case .data(let data):
            // The value, which may be a secret, stays out of it.
            data.identity("data") + [data.label, data.application, data.objectIdentifier]
        case .storedKey(let key):
            key.identity(key.kind == .secretKey ? "secret key" : "public key")
                + key.attributes.sorted { $0.key < $1.key }.flatMap { [CK_ULONG($0.key).bytes, $0.value] }
        }
    }
}

extension FiledObject {
    fileprivate func identity(_ kind: StaticString) -> [[UInt8]] {
        [Array("\(kind)".utf8), CK_ULONG(file).bytes, [isForeign ? 1 : 0]]
    }

    /// The number of a key file stays the same for as long as the key exists.
    fileprivate func identity(
        _ kind: StaticString, _ half: TokenKey.Half, _ number: UInt8, _ parameters: [UInt8]
    ) -> [[UInt8]] {
        identity(kind) + [[half == .publicKey ? 1 : 0, number], parameters]
    }
}
