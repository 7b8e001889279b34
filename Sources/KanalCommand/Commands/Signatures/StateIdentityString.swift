// SPDX-License-Identifier: Apache-2.0
import KanalESIA
import KanalKit
import Terminal
import Translation

/// A string that the state identity service (ESIA) wants signed by its clients.
struct StateIdentityString {
    let file: String
    let key: String?
    /// Whether a detached message is wanted, as by versions before 2.90, and not the signature alone.
    let isMessage: Bool
    /// Whether the certificate of a message may be expired.
    let expired: Bool
    let place: String?
    let replacing: OverwriteOption

    /// Far more than any string of parameters has.
    private static let limit = 1 << 20

    func sign(on token: Token, _ secrets: KeyUseOptions, _ output: OutputOptions) async throws {
        if place != "-" { try replacing.check(place) }
        let text = try InputFile(file).all(limit: Self.limit)
        guard !text.isEmpty, text.last != 0x0A else {
            throw CommandError(
                .failed,
                "\(file) is empty or ends with a line break, which is not a part of the string: write it by printf")
        }
        let (name, isMessage, expired) = (key, isMessage, expired)
        let secret = try await secrets.perform(on: token) { session in
            if isMessage {
                let signer = try MessageSigners.certificates(of: session, named: name, with: [], expired: expired)
                    .signer
                return try session.clientSecret(signing: text, by: signer)
            }
            let key = try session.keyPairs().only(named: name, .key, by: "--key")
            return try session.clientSecret(signing: text, with: key)
        }
        if let place, place != "-" {
            let result = try replacing.open(place)
            try result.write(Array(secret.utf8))
            try result.finish()
        }
        try output.show(SignedString(clientSecret: secret, file: place == "-" ? nil : place?.shownName))
    }
}

private struct SignedString: Report {
    let clientSecret: String
    let file: String?

    func text(_ style: Style) -> String { file == nil ? clientSecret + "\n" : "" }
}
