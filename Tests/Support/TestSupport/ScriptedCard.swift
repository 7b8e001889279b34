// SPDX-License-Identifier: Apache-2.0
package import APDU
import Secrets
import Testing

/// A card that expects certain commands and returns certain answers. Any other command is a test failure.
package final class ScriptedCard: CardConnection {
    private var steps: [(command: String?, reply: Result<String, LinkError>)] = []

    /// The commands that came, in hexadecimal.
    package private(set) var received: [String] = []

    package init() {}

    /// A card that expects the keys and answers with the values, all in hexadecimal, status words included.
    package init(_ exchanges: KeyValuePairs<String, String>) {
        for (command, reply) in exchanges { expect(command, reply: reply) }
    }

    /// Whether all expected commands came.
    package var isFinished: Bool { steps.isEmpty }

    /// Adds a command to expect and the answer to it.
    package func expect(_ command: String, reply: String) { steps.append((command, .success(reply))) }

    /// Adds a command to expect that the link fails to take.
    package func expect(_ command: String, error: LinkError) { steps.append((command, .failure(error))) }

    /// Adds an answer to any command.
    package func answer(_ reply: String) { steps.append((nil, .success(reply))) }

    package func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        guard let encoded = try? command.encoded() else { throw .malformed }
        let text = encoded.bytes.indices.map { encoded.bytes[$0] }.hex
        received.append(text)
        guard !steps.isEmpty else {
            Issue.record("the card did not expect another command: \(text)")
            throw .transmission(code: 0)
        }
        let step = steps.removeFirst()
        if let expected = step.command, expected != text {
            Issue.record("the card expected \(expected), not \(text)")
            throw .transmission(code: 0)
        }
        guard let response = Response(parsing: [UInt8](hex: try step.reply.get())) else { throw .malformed }
        return response
    }
}
