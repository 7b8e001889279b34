// SPDX-License-Identifier: Apache-2.0

import Token
import Tokens

/// The answers of a token to known, reading commands, for a report that shows neither the token nor its owner.
package struct Probe: Sendable {
    /// A command and its answer.
    package struct Exchange: Sendable {
        package let command: [UInt8]
        package let status: UInt16
        /// nil for each byte that is not shown.
        package let answer: [UInt8?]
        package let time: Duration
    }

    /// The maker's name of the model by its versions, or of its family.
    package let model: String
    /// nil if the token did not report it.
    package let hardware: VersionNumber?
    package let firmware: VersionNumber?
    package let answerToReset: [UInt8]
    /// `plain`, `channel`, or `closed`: the token accepts commands in a channel alone, which is not open.
    package let way: String
    /// Whether all commands were answered.
    package let isComplete: Bool
    package let exchanges: [Exchange]

    fileprivate init(_ answers: TokenProbe, _ info: TokenInfo) {
        let hasDrive = info.extendedFlags & 0x80 != 0
        let isTold = info.versions != TokenVersions()
        model = KnownModel.find(answers.model, info.versions, hasDrive: hasDrive)?.name ?? answers.model.name
        hardware = isTold ? VersionNumber(info.versions.hardware) : nil
        firmware = isTold ? VersionNumber(info.versions.firmware) : nil
        answerToReset = answers.atr
        way = answers.way.rawValue
        isComplete = answers.isComplete
        exchanges = answers.exchanges.map {
            Exchange(command: $0.command, status: $0.status, answer: $0.answer, time: $0.time)
        }
    }
}

extension Token {
    /// Asks the token for a ``Probe``. No PIN is presented, and nothing is changed.
    package func probe() async throws(KanalError) -> Probe {
        try await inPlace(nil) { [self] slot throws(KanalError) in
            let slots = service.slots
            return try kanalError { () throws(TokensError) in
                try slots.withToken(in: slot) { token throws(TokenError) in
                    let answers = try token.probe()
                    return Probe(answers, try token.info(evicting: false))
                }
            }
        }
    }
}
