// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Locking
import Terminal
import Translation

/// Whether authorities are asked about certificates, at the addresses that certificates name.
struct OnlineOptions: ParsableArguments {
    @Flag(
        help: .saying(
            """
            Do not ask authorities about revocation, and fetch no certificates: use only the message and the files.
            """))
    var offline = false

    /// The way to authorities; nil if none is to be asked.
    var answers: AuthorityAnswers? {
        guard !offline else { return nil }
        let client = AnswerClient()
        return AuthorityAnswers(cache: AnswerFolder()) { request in try client.answer(to: request) }
    }
}

/// Asks authorities by the program `curl`. An address that has failed is not asked again in the same run.
private final class AnswerClient: Sendable {
    private let failed = Lock<[String: AddressFailure]>([:])

    /// The number of seconds that a reply may take.
    private static let timeLimit = 10

    func answer(to request: AuthorityRequest) throws -> [UInt8] {
        if let failure = failed.withLock({ $0[request.url] }) { throw failure }
        do { return try ask(request) } catch let failure as AddressFailure {
            failed.withLock { $0[request.url] = failure }
            throw failure
        }
    }

    private func ask(_ request: AuthorityRequest) throws -> [UInt8] {
        let client = try WebClient(following: request.url, seconds: Self.timeLimit)
        let (url, limit) = (request.url, request.kind.sizeLimit)
        let reply: (status: Int, body: [UInt8])
        do {
            reply =
                request.kind == .response
                ? try client.post(
                    request.body, "application/ocsp-request", accepting: "application/ocsp-response", to: url,
                    limit: limit)
                : try client.get(url, limit: limit)
        } catch let failure as WebClient.Unreachable {
            throw AddressFailure(explanation: failure.cause)
        } catch ChildProgram.Failure.tooLong {
            throw AddressFailure(explanation: Phrase("the answer is too long"))
        } catch ChildProgram.Failure.late {
            throw AddressFailure(explanation: Phrase("the answer did not come in time"))
        }
        guard reply.status == 200 else {
            throw AddressFailure(explanation: Phrase("the answer has the status \(reply.status)"))
        }
        return reply.body
    }
}

/// Why an address has no answer.
private struct AddressFailure: Explained {
    let explanation: Phrase
}

extension Distrust {
    /// The end of the message about a state or an issuer that authorities did not say.
    static func remedy(for signers: [Distrust?]) -> Phrase? {
        guard signers.contains(where: { $0?.causes.isEmpty == false }) else { return nil }
        return "--crl or --ocsp names a file with the state, --offline does without it"
    }
}
