// SPDX-License-Identifier: Apache-2.0
import APDU
import Asking
import CCryptoki
import Secrets
import Token
import Translation

/// An activation that the library asks for by itself (`activation = ask`).
extension Library {
    /// Has the user asked for the activation password of a token that has to be activated, and activates it.
    ///
    /// A failed attempt is remembered until the token leaves, so that a program that retries endlessly does not ask
    /// endlessly.
    ///
    /// - Parameter refusal: The error to throw if the user does not activate the token.
    func askForActivation(of id: CK_SLOT_ID, otherwise refusal: CKError) throws(CKError) {
        guard let prompt = interaction.prompt, prompt.asksUser, interaction.asksForActivation else { throw refusal }
        try inquire(.activation, in: id) { () throws(CKError) in
            var error: String?
            for _ in 0..<Self.passwordAttempts {
                guard let channel = try held({ () throws(CKError) in try activatable(id) }) else { return }
                let insertion = Inquiry.Refusal(serial: channel.serial, events: try entry(id).reader.events)
                let inquiry = try entry(id).inquiry
                guard !inquiry.isRefused(insertion) else { throw refusal }
                let password: SharedSecret
                do throws(CKError) {
                    password = try answer(to: question(channel, in: id, error: error), from: prompt)
                } catch {
                    inquiry.refuse(insertion)
                    throw refusal.following(error)
                }
                do throws(CKError) {
                    return try held { () throws(CKError) in try activate(id, password.secret) }
                } catch let failure {
                    guard failure == .activationPasswordInvalid else {
                        inquiry.refuse(insertion)
                        throw refusal.following(failure)
                    }
                    error = translated("The password is wrong.")
                }
            }
            throw refusal
        }
    }

    /// The limit of questions in one call. A token takes fewer wrong passwords.
    private static let passwordAttempts = 10

    private func activate(_ id: CK_SLOT_ID, _ password: borrowing Secret) throws(CKError) {
        try activate(id, password: password.bytes)
    }

    /// The channel of a token that a password can activate; nil if it is active by now.
    private func activatable(_ id: CK_SLOT_ID) throws(CKError) -> ChannelInfo? {
        let channel = try channelInfo(in: id)
        if channel.state == .active { return nil }
        guard channel.needsActivation, channel.isPairingOpen else { throw .functionNotSupported }
        return channel
    }

    private func question(_ channel: ChannelInfo, in id: CK_SLOT_ID, error: String?) throws(CKError) -> Question {
        let facts = TokenFacts(channel, reader: try entry(id).reader.name)
        var text = facts.text(for: "to activate its secure channel for this user")
        text += "\n" + translated("The password is on the card that came with the token.")
        let tries = channel.passwords.compactMap(\.triesLeft).max()
        if let tries { text += "\n" + translated("Tries left: \(tries)") }
        return Question(
            title: "The activation password of a token", text: text, prompt: translated("Activation password:"),
            error: error)
    }
}
