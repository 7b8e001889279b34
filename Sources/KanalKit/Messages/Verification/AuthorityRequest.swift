// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets
import Translation

/// A question to a certificate's authority.
public struct AuthorityRequest: Sendable, Equatable {
    /// The kind of an answer.
    public enum Kind: Sendable {
        /// A response about a certificate's revocation (OCSP): by POST of ``AuthorityRequest/body``, of the type
        /// `application/ocsp-request`.
        case response
        /// A list of revoked certificates in DER: by GET.
        case list
        /// The issuer's certificate in DER, or several in a message (.p7b): by GET.
        case certificates

        /// The number of bytes that an answer may have.
        public var sizeLimit: Int {
            switch self {
            case .response: 64 << 10
            case .list: 10 << 20
            case .certificates: 256 << 10
            }
        }
    }

    /// The kind of the answer.
    public let kind: Kind
    /// The address, which begins with `http://` or `https://` and is in ASCII.
    public let url: String
    /// The request in DER; empty for a GET.
    public let body: [UInt8]
    /// 64 hexadecimal digits, the same for the same question, though its nonce differs.
    public let name: String

    init(_ kind: Kind, _ url: String, body: [UInt8] = [], about certificate: [UInt8]) throws(HostCryptoError) {
        let subject = try Digest.digest(certificate.span, .sha256)
        let kindName =
            switch kind {
            case .response: "response"
            case .list: "list"
            case .certificates: "certificates"
            }
        let question = Array("\(kindName) \(url) \(kind == .response ? subject.hexadecimal : "")".utf8)
        name = try Digest.digest(question.span, .sha256).hexadecimal
        (self.kind, self.url, self.body) = (kind, url, body)
    }
}
