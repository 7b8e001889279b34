// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto
import Secrets
import Translation

/// The answers of authorities that were fetched for one message.
struct FetchedAnswers {
    /// A question about a certificate, in DER.
    enum Question: Hashable {
        /// For its state; the issuer's certificate is known.
        case state([UInt8], issuer: [UInt8])
        /// For its issuer's certificate.
        case issuer([UInt8])

        var certificate: [UInt8] {
            switch self {
            case .state(let certificate, _), .issuer(let certificate): certificate
            }
        }
    }

    private let source: AuthorityAnswers
    /// The requests that may still be sent.
    private var left: Int
    private var asked: Set<Question> = []
    /// The replies, or the reasons for their absence, by the name of the request.
    private var replies: [String: Result<[UInt8], Refusal>] = [:]
    private(set) var certificates: [[UInt8]] = []
    private(set) var lists: [[UInt8]] = []
    private(set) var responses: [[UInt8]] = []
    /// Why questions have no answer, by certificate.
    private(set) var causes: [[UInt8]: [Explanation]] = [:]

    private struct Refusal: Error {
        let cause: Phrase
    }

    /// The longest time for which an answer is kept, in seconds.
    private static let lifetime = 7 * 86_400

    init(_ source: AuthorityAnswers) {
        self.source = source
        left = max(0, source.requestLimit)
    }

    /// Asks the questions that were not asked before.
    ///
    /// - Returns: Whether an answer has come.
    /// - Throws: ``KanalError/cancelled``; failures of the host.
    mutating func ask(_ questions: [Question]) async throws -> Bool {
        var hasNew = false
        for question in questions where asked.insert(question).inserted {
            guard let read = try? Certificate(der: question.certificate.span) else { continue }
            let addresses = CertificateAddresses(read)
            switch question {
            case .state(let certificate, let issuer):
                var isKnown = try await ask(addresses.responders, .response, about: certificate, issuer)
                if !isKnown { isKnown = try await ask(addresses.lists, .list, about: certificate, issuer) }
                if isKnown { hasNew = true }
            case .issuer(let certificate):
                if try await ask(addresses.issuers, .certificates, about: certificate, []) { hasNew = true }
            }
        }
        return hasNew
    }

    /// Asks one address after the other, until one has an answer that counts.
    private mutating func ask(
        _ addresses: [String], _ kind: AuthorityRequest.Kind, about certificate: [UInt8], _ issuer: [UInt8]
    ) async throws -> Bool {
        for url in addresses {
            let (request, nonce) = try Self.request(kind, url, certificate, issuer)
            let now = Int(Glibc.time(nil))
            // A kept answer has the nonce of its own request.
            if let kept = source.cache?.answer(to: request),
                (try? take(kept, kind, certificate, issuer, nonce: [], now)) != nil
            {
                return true
            }
            do {
                let reply = try await reply(to: request)
                let end = try take(reply, kind, certificate, issuer, nonce: nonce, now)
                if let end { source.cache?.keep(reply, to: request, until: Int64(min(end, now + Self.lifetime))) }
                return true
            } catch let refusal as Refusal {
                causes[certificate, default: []].append(Explanation("\(url): \(refusal.cause)"))
            }
        }
        return false
    }

    private static func request(
        _ kind: AuthorityRequest.Kind, _ url: String, _ certificate: [UInt8], _ issuer: [UInt8]
    ) throws(KanalError) -> (AuthorityRequest, nonce: [UInt8]) {
        guard kind == .response else {
            return try onHost { () throws(HostCryptoError) in
                (try AuthorityRequest(kind, url, about: certificate), [])
            }
        }
        guard let nonce = try? SystemRandom().bytes(16) else { throw KanalError(host: .randomUnavailable) }
        return try onHost { () throws(HostCryptoError) in
            let body = try OCSPRequest(certificate, issuer: issuer, nonce: nonce).der
            return (try AuthorityRequest(kind, url, body: body, about: certificate), nonce)
        }
    }

    /// The body of the reply. Each request is sent once.
    private mutating func reply(to request: AuthorityRequest) async throws -> [UInt8] {
        if let known = replies[request.name] { return try known.get() }
        guard left > 0 else { throw Refusal(cause: Phrase("not asked, for a message may not need so many requests")) }
        left -= 1
        let result: Result<[UInt8], Refusal>
        do {
            let reply = try await source.transport(request)
            let isShort = reply.count <= request.kind.sizeLimit
            result = isShort ? .success(reply) : .failure(Refusal(cause: Phrase("the answer is too long")))
        } catch {
            guard !Task.isCancelled else { throw KanalError.cancelled }
            result = .failure(Refusal(cause: (error as? any Explained)?.explanation ?? Phrase(verbatim: "\(error)")))
        }
        replies[request.name] = result
        return try result.get()
    }

    /// Verifies an answer, and keeps it for this message.
    ///
    /// - Returns: When it must not be used any more, in seconds since 1970; nil for a reply that must not be used
    ///   again.
    /// - Throws: The reason why it does not count; a failure of the host.
    private mutating func take(
        _ answer: [UInt8], _ kind: AuthorityRequest.Kind, _ certificate: [UInt8], _ issuer: [UInt8], nonce: [UInt8],
        _ now: Int
    ) throws -> Int? {
        switch kind {
        case .response:
            do throws(OCSPFault) {
                let response = try OCSPResponse(reply: answer)
                let found = try response.state(of: certificate, issuer: issuer, at: now, nonce: nonce)
                guard found.state != .unknown else { throw .refused(.unauthorized) }
                responses.append(response.der)
                return found.nextUpdate
            } catch {
                if case .failure(let error) = error { throw KanalError(host: error) }
                throw Refusal(cause: error.words)
            }
        case .list:
            do throws(FetchedList.Fault) {
                let end = try FetchedList.verify(answer, of: issuer, at: now)
                if !lists.contains(answer) { lists.append(answer) }
                return end
            } catch {
                if case .failure(let error) = error { throw KanalError(host: error) }
                throw Refusal(cause: error.words)
            }
        case .certificates:
            let found = try Self.issuers(of: certificate, in: answer)
            guard !found.isEmpty else { throw Refusal(cause: Phrase("the answer has no certificate of the issuer")) }
            certificates += found
            return now + Self.lifetime
        }
    }

    /// The certificates with whose keys the certificate is signed.
    private static func issuers(of certificate: [UInt8], in answer: [UInt8]) throws -> [[UInt8]] {
        let all = (try? Certificate(der: answer.span)).map { [$0.der] } ?? CertificateBundle.certificates(in: answer)
        let above = try CertificateChain.above(certificate, among: Array((all ?? []).prefix(16)))
        return Array(above.prefix(8))
    }
}

extension OCSPFault {
    fileprivate var words: Phrase {
        switch self {
        case .malformed, .failure: "the answer is no response about a certificate, or is damaged"
        case .refused(.unauthorized): "the responder does not know the certificate"
        case .refused(.tryLater): "the responder asks to try again later"
        case .refused: "the responder refuses to answer"
        case .wrongCertificate: "the response is about another certificate"
        case .wrongNonce: "the response answers another request: its nonce differs"
        case .notYetValid(let time):
            "the response is of \(Timestamp(Int64(time)).text), which is to come: check the clock"
        case .outdated(let time): "the response is out of date since \(Timestamp(Int64(time)).text)"
        case .unauthorizedResponder: "the responder has no right to answer for the certificate's issuer"
        case .wrongSignature: "the signature of the response is wrong"
        }
    }
}

extension FetchedList.Fault {
    fileprivate var words: Phrase {
        switch self {
        case .malformed, .failure: "the answer is no list of revoked certificates, or is damaged"
        case .wrongSignature: "the list of revoked certificates is not signed by the certificate's issuer"
        case .notYetValid: "the list of revoked certificates is of a time to come, or not understood: check the clock"
        case .outdated(let time): "the list of revoked certificates is out of date since \(Timestamp(Int64(time)).text)"
        }
    }
}
