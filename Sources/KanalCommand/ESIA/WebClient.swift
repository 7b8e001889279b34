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

    /// The longest reply, with HTTP's status behind it.
    private static let limit = 1 << 20 + 4
    /// The most that a pipe takes at once without a reader.
    private static let pipe = 1 << 16

    /// - Parameter authorities: A file with certificates of those that certify the server; nil for the system's.
    init(authorities: String?, seconds: Int) throws {
        self.seconds = seconds
        var arguments = [
            "curl", "--disable", "--silent", "--show-error", "--proto", "=https", "--tlsv1.2", "--max-time",
            "\(seconds)",
            "--data-binary", "@-", "--write-out", "\n%{http_code}",
        ]
        if let authorities {
            guard unsafe access(authorities, R_OK) == 0 else { throw SystemError(errno, authorities) }
            arguments += ["--cacert", authorities]
        }
        self.arguments = arguments
    }

    /// Sends a request.
    func send(_ request: TokenRequest) throws -> (status: Int, body: [UInt8]) {
        guard request.body.count <= Self.pipe else { throw CommandError(.failed, "the answer's code is too long") }
        let program = try ChildProgram(
            arguments + ["--header", "Content-Type: \(request.contentType)", "--header", "Accept: application/json"]
                + ["--url", request.url],
            environment: Self.environment)
        let result = try program.run(
            input: request.body, limit: Self.limit, until: .now + .seconds(seconds + 1))
        guard result.status == 0 else {
            throw CommandError(
                .failed,
                "the identity service cannot be reached: \(result.message.map(Phrase.init(verbatim:)) ?? Phrase("curl has failed"))"
            )
        }
        let digits = result.output.suffix(3)
        guard let status = Int(String(decoding: digits, as: UTF8.self)), result.output.dropLast(3).last == 0x0A else {
            throw CommandError(.failed, "the program curl does not report the outcome of the request")
        }
        return (status, Array(result.output.dropLast(4)))
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
