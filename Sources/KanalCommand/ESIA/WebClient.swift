// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalESIA
import Terminal
import Translation

/// Sends a request by the program `curl`, which nearly every machine has: linked with libcurl, each start of the
/// command would take five milliseconds longer.
///
/// The request's body goes through a pipe, and never onto the command line, where every user of the machine could read
/// it. The program gets none of this one's descriptors, and of the environment only the variables of network access.
struct WebClient {
    private let arguments: [String]
    /// When everything must have come, by the monotonic clock.
    private let seconds: Int

    /// The default limit of a reply.
    private static let limit = 1 << 20
    /// The size of HTTP's status behind a reply.
    private static let statusSize = 4
    /// The capacity of a pipe without a reader.
    private static let pipe = 1 << 16

    /// - Parameters:
    ///   - authorities: A file with certificates of those that certify the server; nil for the system's.
    ///   - schemes: The schemes of addresses, as the program has them.
    ///   - further: Further arguments of the program.
    init(authorities: String?, seconds: Int, schemes: String = "=https", further: [String] = []) throws {
        self.seconds = seconds
        var arguments = [
            "curl", "--disable", "--silent", "--show-error", "--proto", schemes, "--tlsv1.2", "--max-time",
            "\(seconds)", "--write-out", "\n%{http_code}",
        ]
        if let authorities {
            guard unsafe access(authorities, R_OK) == 0 else { throw SystemError(errno, authorities) }
            arguments += ["--cacert", authorities]
        }
        self.arguments = arguments + further
    }

    /// A client for an authority's address, that follows a few redirections, which may not lead from https to http.
    init(following url: String, seconds: Int) throws {
        let schemes = url.lowercased().hasPrefix("https:") ? "=https" : "=http,https"
        try self.init(
            authorities: nil, seconds: seconds, schemes: schemes,
            further: [
                "--location", "--max-redirs", "3", "--proto-redir", schemes, "--post301", "--post302", "--post303",
                "--globoff",
            ])
    }

    /// The program's own reason why no reply has come.
    struct Unreachable: Error {
        let cause: Phrase
    }

    /// Sends a request to the identity service.
    func send(_ request: TokenRequest) throws -> (status: Int, body: [UInt8]) {
        guard request.body.count <= Self.pipe else { throw CommandError(.failed, "the answer's code is too long") }
        do {
            return try post(request.body, request.contentType, accepting: "application/json", to: request.url)
        } catch let failure as Unreachable {
            throw CommandError(.failed, "the identity service cannot be reached: \(failure.cause)")
        }
    }

    /// Sends a request of at most 64 KiB.
    ///
    /// - Parameter limit: The longest reply, in bytes.
    /// - Throws: ``Unreachable``; `ChildProgram.Failure`.
    func post(
        _ body: [UInt8], _ type: String, accepting reply: String, to url: String, limit: Int = Self.limit
    ) throws -> (status: Int, body: [UInt8]) {
        try run(
            ["--data-binary", "@-", "--header", "Content-Type: \(type)", "--header", "Accept: \(reply)", "--url", url],
            input: body, limit)
    }

    /// Fetches what is at an address.
    ///
    /// - Parameter limit: The longest reply, in bytes.
    /// - Throws: ``Unreachable``; `ChildProgram.Failure`.
    func get(_ url: String, limit: Int) throws -> (status: Int, body: [UInt8]) {
        try run(["--url", url], input: [], limit)
    }

    private func run(_ further: [String], input: [UInt8], _ limit: Int) throws -> (status: Int, body: [UInt8]) {
        let program = try ChildProgram(arguments + further, environment: Self.environment)
        let result = try program.run(
            input: input, limit: limit + Self.statusSize, until: .now + .seconds(seconds + 1))
        guard result.status == 0 else {
            throw Unreachable(cause: result.message.map(Phrase.init(verbatim:)) ?? Phrase("curl has failed"))
        }
        let digits = result.output.suffix(3)
        guard let status = Int(String(decoding: digits, as: UTF8.self)), result.output.dropLast(3).last == 0x0A else {
            throw CommandError(.failed, "the program curl does not report the outcome of the request")
        }
        return (status, Array(result.output.dropLast(Self.statusSize)))
    }

    /// The environment variables of network access.
    private static var environment: [String] {
        [
            "PATH", "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
            "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR",
        ].compactMap { name in
            ProgramContext.current.variable(name).map { name + "=" + $0 }
        }
    }
}
