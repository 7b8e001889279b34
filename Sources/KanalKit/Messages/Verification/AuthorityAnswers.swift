// SPDX-License-Identifier: Apache-2.0
import HostCrypto

/// The way to what authorities say about certificates, at addresses that certificates name. The application reaches them by its
/// own means: this library opens no connection.
///
/// Asked is about certificates that lead to a trusted one already, and for issuers that are missing on the way. Every answer is
/// verified like a passed one, before it is used or kept.
public struct AuthorityAnswers: Sendable {
    /// Sends a request, and returns the body of the reply. It must limit time and size, and follow redirections only a few
    /// times and never from https to http. Its error becomes a cause of ``Distrust/causes``.
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

/// Keeps answers of authorities, which are verified again when they are used.
public protocol AnswerCache: Sendable {
    /// The answer that was kept, if it may still be used; nil otherwise.
    func answer(to request: AuthorityRequest) -> [UInt8]?

    /// Keeps an answer, which was verified.
    ///
    /// - Parameter until: When it must not be used any more, in seconds since 1970.
    func keep(_ answer: [UInt8], to request: AuthorityRequest, until: Int64)
}
