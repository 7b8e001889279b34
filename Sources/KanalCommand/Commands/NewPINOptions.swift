// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

/// The source of a new PIN.
struct NewPINOptions: ParsableArguments {
    @Option(
        help: .saying(
            "The source of the new PIN: file:PATH, env:NAME, fd:NUMBER, or - for standard input. (default: ask twice)",
            valueName: "source"),
        completion: .sources)
    var newPinSource: SecretSource?

    /// A new PIN in the place of one, which is known to be right.
    ///
    /// - Parameter details: The limits of the PIN; nil if unknown.
    func read(inPlaceOf role: Role, _ details: PINDetails?) throws -> HeldPIN {
        let prompt: Phrase =
            if let lengths = details?.lengths {
                "New PIN (\(lengths.lowerBound) to \(lengths.upperBound) bytes): "
            } else {
                "New PIN: "
            }
        let question = SecretQuestion(prompt: prompt, source: newPinSource, option: "--new-pin-source")
        return HeldPIN(
            try question.newSecret { secret in
                let bytes = secret.bytes
                let isMakers = Self.makersPINs.contains { text in
                    text.utf8.count == bytes.count && zip(text.utf8, bytes.indices).allSatisfy { $0 == bytes[$1] }
                }
                let makers: Phrase = "this PIN is the maker's, which is public: choose another one"
                if isMakers { return makers }
                guard let lengths = details?.lengths, !lengths.contains(bytes.count) else { return nil }
                let limits: Phrase = "the new PIN has \(lengths.lowerBound) to \(lengths.upperBound) bytes"
                return limits
            })
    }

    /// The PINs of the user and the security officer that all models are sold with.
    private static let makersPINs = ["12345678", "87654321"]

    /// The new PIN; a typed PIN is asked for twice.
    func read() throws -> HeldPIN { try Self.read(from: newPinSource) }

    static func read(from source: SecretSource?) throws -> HeldPIN {
        HeldPIN(try SecretQuestion(prompt: "New PIN: ", source: source, option: "--new-pin-source").newSecret())
    }
}
