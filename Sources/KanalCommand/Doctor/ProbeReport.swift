// SPDX-License-Identifier: Apache-2.0

import KanalKit
import Secrets
import Terminal
import Translation

/// The answers of the tokens that are there, for their owners to send. Neither readers nor tokens are named in it.
struct ProbeReport: Report {
    struct Entry: Encodable {
        let model: String
        let hardware: String?
        let firmware: String?
        let answerToReset: String
        let way: String
        let isComplete: Bool
        let commands: [Command]
    }

    struct Command: Encodable {
        let command: String
        let status: String
        /// Two digits for each byte, `xx` for a byte that is not shown.
        let answer: String
        let milliseconds: Double
    }

    /// This command's version.
    let program: String
    let probes: [Entry]

    init(_ probes: [Probe], program: String) {
        self.program = program
        self.probes = probes.map { Entry($0) }
    }

    func text(_ style: Style) -> String {
        // A form for programs and people of any language: it is sent as it is.
        var lines = ["# kanal \(program), doctor --probe"]
        for probe in probes {
            lines.append("")
            lines.append("model: \(probe.model)")
            lines.append("hardware: \(probe.hardware ?? "unknown")")
            lines.append("firmware: \(probe.firmware ?? "unknown")")
            lines.append("atr: \(probe.answerToReset)")
            lines.append("way: \(probe.way)")
            for command in probe.commands {
                lines.append("> \(command.command)")
                let answer = command.answer.isEmpty ? "" : " \(command.answer)"
                lines.append("< \(command.status) \(command.milliseconds) ms\(answer)")
            }
            if !probe.isComplete { lines.append("interrupted") }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension ProbeReport.Entry {
    fileprivate init(_ probe: Probe) {
        model = probe.model
        hardware = probe.hardware?.description
        firmware = probe.firmware?.description
        answerToReset = probe.answerToReset.hexadecimal
        way = probe.way
        isComplete = probe.isComplete
        commands = probe.exchanges.map { exchange in
            let (seconds, attoseconds) = exchange.time.components
            let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
            return ProbeReport.Command(
                command: exchange.command.hexadecimal,
                status: [UInt8(truncatingIfNeeded: exchange.status >> 8), UInt8(truncatingIfNeeded: exchange.status)]
                    .hexadecimal,
                answer: exchange.answer.map { byte in byte.map { [$0].hexadecimal } ?? "xx" }.joined(),
                milliseconds: Double(microseconds / 10) / 100)
        }
    }
}
