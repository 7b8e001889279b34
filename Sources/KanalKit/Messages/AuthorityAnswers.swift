// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Translation

/// The way to what authorities say about certificates, at addresses that certificates name. The application reaches them by its
/// own means: this library opens no connection.
///
/// Asked is about certificates that lead to a trusted one already, and for issuers that are missing on the way. Every answer is
/// verified like one that is given, before it is used or kept.
public struct AuthorityAnswers: Sendable {
    /// Sends a request, and returns the body of the reply. It must limit time and size, and follow redirections only a few
    /// times and never from https to http. What it throws becomes a cause of ``Distrust/causes``.
    public typealias Transport = @Sendable (_ request: AuthorityRequest) async throws -> [UInt8]

    /// The number of requests that may be sent for one message or time stamp.
    public var requestLimit = 16
    let cache: (any AnswerCache)?
    let transport: Transport

    /// - Parameters:
    ///   - cache: Keeps answers for the next messages; nil for none.
    ///   - transport: The way to the addresses.
    public init(cache: (any AnswerCache)? = nil, transport: @escaping Transport) {
        (self.cache, self.transport) = (cache, transport)
    }
}

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

/// Keeps answers of authorities, which are verified again when they are used.
public protocol AnswerCache: Sendable {
    /// The answer that was kept, if it may still be used; nil otherwise.
    func answer(to request: AuthorityRequest) -> [UInt8]?

    /// Keeps an answer, which was verified.
    ///
    /// - Parameter until: When it must not be used any more, in seconds since 1970.
    func keep(_ answer: [UInt8], to request: AuthorityRequest, until: Int64)
}
