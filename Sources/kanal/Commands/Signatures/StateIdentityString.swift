// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import KanalKit
import Terminal

/// A string that the state identity service (ESIA) wants signed by its clients.
struct StateIdentityString {
    let file: String
    let key: String?
    /// Whether a detached message is wanted, as by versions before 2.90, and not the signature alone.
    let isMessage: Bool
    let place: String?

    /// Far more than any string of parameters has.
    private static let limit = 1 << 20

    func sign(on token: Token, _ pin: PINOptions, _ output: OutputOptions) async throws {
        let text = try InputFile(file).all(limit: Self.limit)
        guard !text.isEmpty, text.last != 0x0A else {
            throw CommandError(
                .failed,
                "\(file) is empty or ends with a line break, which is no part of the string: write it by printf")
        }
        let (name, isMessage) = (key, isMessage)
        let signature = try await pin.perform(on: token) { session in
            if isMessage {
                let signer = try MessageSigning.certificates(of: session, named: name, with: []).signer
                return try session.signedMessage(of: text, by: signer, isDetached: true)
            }
            let key = try session.keyPairs().only(named: name, "key", by: "--key")
            switch key.kind {
            case .gost256, .rsa: return try session.sign(text.span, with: key)
            default: throw CommandError(.failed, "the service takes keys of GOST with 256 bits and of RSA")
            }
        }
        let secret = Data(signature).base64EncodedString().filter { $0 != "=" }
            .map { ["+": "-", "/": "_"][String($0)] ?? String($0) }.joined()
        if let place, place != "-" {
            let result = try ResultFile(place)
            try result.write(Array(secret.utf8))
            try result.finish()
        }
        try output.show(SignedString(clientSecret: secret, file: place == "-" ? nil : place))
    }
}

private struct SignedString: Report {
    let clientSecret: String
    let file: String?

    func text(_ style: Style) -> String { file == nil ? clientSecret + "\n" : "" }
}
