import CCryptoki
import Token

/// Something that a token keeps.
enum TokenItem: Equatable {
    case key(TokenKey)
    case rsaKey(TokenRSAKey)
    case certificate(TokenCertificate)
    case data(TokenData)

    /// Whether it is a key, which a token makes and never changes.
    var isKey: Bool {
        switch self {
        case .key, .rsaKey: true
        case .certificate, .data: false
        }
    }

    /// Everything on a token.
    static func items(of objects: TokenObjects) -> [TokenItem] {
        objects.keys.map { .key($0) } + objects.rsaKeys.map { .rsaKey($0) }
            + objects.certificates.map { .certificate($0) } + objects.data.map { .data($0) }
    }

    /// What would keep these attributes; nil for keys, which a token makes itself.
    init?(_ attributes: Attributes) {
        func bytes(_ type: CK_ATTRIBUTE_TYPE) -> [UInt8] { attributes[type] ?? [] }
        switch try? attributes.number(CKA_CLASS) {
        case CKO_CERTIFICATE:
            var attributes = attributes
            attributes.completeCertificate()
            self = .certificate(
                TokenCertificate(
                    label: bytes(CKA_LABEL), id: bytes(CKA_ID), subject: attributes[CKA_SUBJECT] ?? [],
                    value: bytes(CKA_VALUE)))
        case CKO_DATA:
            self = .data(
                TokenData(
                    label: bytes(CKA_LABEL), application: bytes(CKA_APPLICATION),
                    objectIdentifier: bytes(CKA_OBJECT_ID), value: bytes(CKA_VALUE),
                    isPrivate: bytes(CKA_PRIVATE) == [1]))
        default: return nil
        }
    }
}

extension Token {
    /// Stores a certificate or data. Needs User's login.
    func store(_ item: TokenItem) throws(TokenError) -> TokenItem {
        switch item {
        case .key, .rsaKey: throw .unsupported
        case .certificate(let certificate):
            return .certificate(
                try storeCertificate(
                    certificate.value, subject: certificate.subject, label: certificate.label, id: certificate.id))
        case .data(let data): return .data(try storeData(data))
        }
    }

    /// Deletes what the token keeps. Needs User's login.
    func delete(_ item: TokenItem) throws(TokenError) {
        switch item {
        case .key(let key): try delete(key)
        case .rsaKey(let key): try delete(key)
        case .certificate(let certificate): try delete(certificate)
        case .data(let data): try delete(data)
        }
    }
}
