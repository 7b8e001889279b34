// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal
import Translation

/// Whose time stamps are accepted, and how an authority is asked for them.
struct AuthorityOptions: ParsableArguments {
    @Option(
        help: .saying("A file with certificates that are trusted for time stamps.", valueName: "file"),
        completion: .file(), transform: FileName.argument)
    var ca: [String] = []

    @Option(
        help: .saying("A file with lists of revoked certificates, for the authority's.", valueName: "file"),
        completion: .file(), transform: FileName.argument)
    var crl: [String] = []

    @Option(
        help: .saying("A file with a response about the authority's certificate (OCSP).", valueName: "file"),
        completion: .file(), transform: FileName.argument)
    var ocsp: [String] = []

    @Option(help: .saying("The policy that time stamps must follow, as 1.2.3.4. (default: any)", valueName: "policy"))
    var policy: String?

    @Option(help: .saying("The time limit for the authority, 1 to 300.", valueName: "seconds"))
    var timeLimit = 30

    var isGiven: Bool { !ca.isEmpty || !crl.isEmpty || !ocsp.isEmpty || policy != nil }

    func validate(_ url: String) throws {
        guard ["http://", "https://"].contains(where: url.lowercased().hasPrefix) else {
            throw ValidationError(translated("the address of an authority begins with http:// or https://"))
        }
        guard !ca.isEmpty else { throw ValidationError(translated("say by --ca whose time stamps are trusted")) }
        let arcs = policy?.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0) }
        guard arcs.map({ $0.count > 1 && !$0.contains(nil) }) ?? true else {
            throw ValidationError(translated("a policy is written as 1.2.3.4"))
        }
        guard (1...300).contains(timeLimit) else { throw ValidationError(translated("--time-limit is 1 to 300")) }
    }

    /// The authority at an address.
    func authority(at url: String) throws -> TimeStampAuthority {
        var verifier = MessageVerifier(trusting: try MessageTrust.certificates(ca))
        verifier.revocationLists = try crl.flatMap { try PEM.revocationList.read($0) }
        verifier.ocspResponses = try ocsp.flatMap { try PEM.ocspResponse.read($0) }
        verifier.revocationCheck = crl.isEmpty && ocsp.isEmpty ? .none : .signers
        let client = try WebClient(following: url, seconds: timeLimit)
        var authority = TimeStampAuthority(trusting: verifier) { query in try client.stamp(query, from: url) }
        authority.policy = policy
        return authority
    }
}

/// An authority for time stamps that does not answer as one. No other file would be stamped either.
struct AuthorityFailure: Explained {
    let explanation: Phrase

    init(_ url: String, _ cause: Phrase) {
        explanation =
            "the authority for time stamps \(url) does not answer as one: \(cause). Try again later, or name another one"
    }
}

extension WebClient {
    /// Sends a query, and returns the authority's reply.
    func stamp(_ query: [UInt8], from url: String) throws -> [UInt8] {
        let result: (status: Int, body: [UInt8])
        do {
            result = try post(query, "application/timestamp-query", accepting: "application/timestamp-reply", to: url)
        } catch let failure as Unreachable {
            throw AuthorityFailure(url, failure.cause)
        } catch ChildProgram.Failure.tooLong {
            throw AuthorityFailure(url, Phrase("its reply is too long for a time stamp"))
        } catch ChildProgram.Failure.late {
            throw AuthorityFailure(url, Phrase("its reply did not come in time"))
        }
        guard result.status == 200 else {
            throw AuthorityFailure(url, Phrase("its reply has the status \(result.status)"))
        }
        return result.body
    }
}
