// SPDX-License-Identifier: Apache-2.0
import Translation

/// What some messages of the library's log mean for the user, and what follows.
struct LogMeaning: Sendable {
    /// The last part of the finding's name.
    let name: String
    let severity: Finding.Severity
    /// Parts of messages, any of which has this meaning.
    private let parts: [String]
    let words: Phrase
    let remedy: @Sendable (Person) -> Phrase

    private init(
        _ name: String, _ parts: [String], _ words: Phrase, _ severity: Finding.Severity = .error,
        remedy: @autoclosure @escaping @Sendable () -> Phrase
    ) {
        self.init(name, parts, words, severity) { _ in remedy() }
    }

    private init(
        _ name: String, _ parts: [String], _ words: Phrase, _ severity: Finding.Severity = .error,
        for remedy: @escaping @Sendable (Person) -> Phrase
    ) {
        self.name = name
        self.severity = severity
        self.parts = parts
        self.words = words
        self.remedy = remedy
    }

    func isMeant(by text: String) -> Bool { parts.contains { text.contains($0) } }

    /// The first that is meant counts: causes stand before what they lead to.
    static let all: [LogMeaning] = [
        LogMeaning(
            "service", ["there are no readers: pcscd does not run", "pcscd does not answer"],
            "pcscd did not run when the program looked for readers",
            for: { $0.asRoot($0.hasSystemd ? "systemctl start pcscd.socket" : "pcscd") }),
        LogMeaning(
            "service-refuses", ["pcscd refuses this process", "pcscd does not let this user in"],
            "pcscd did not let the program in: polkit forbids it to the program's user, or there are too many clients",
            remedy: "Run kanal doctor as the user of that program, in the same session or service"),
        LogMeaning(
            "attack",
            [
                "possible attack", "may be an attack", "possible downgrade attack", "has a wrong MAC", "it gets no PIN",
                "with another key than before", "plain_bluetooth does not allow that", "does not prove to be the one",
            ],
            "the token did not show what it showed when it was activated: it was exchanged, reset, or somebody is between",
            remedy: "Give it no PIN before its owner says that it was formatted; then activate it again: kanal pair"),
        LogMeaning(
            "held", ["another program holds"], "another program held the card for itself",
            remedy: .command("kanal doctor")),
        LogMeaning(
            "activation",
            [
                "the token is not activated", "wants a secure channel, which is not activated", "activate it again",
                "activate the token again", "must be activated again", "the record of the pairing is damaged",
            ],
            "the token wants a secure channel that is not activated for the program's user",
            remedy: .command("kanal pair")),
        LogMeaning(
            "configuration", ["kanal.conf"], "a file of the configuration has an error, which closes what it protects",
            remedy: .command("kanal doctor")),
        LogMeaning(
            "home", ["does not belong to user", "the user has no home directory", "is not an absolute path"],
            "the program's environment names directories that are not its user's, so that pairings are not found",
            remedy: "Set HOME to the home directory of the program's user"),
        LogMeaning(
            "store", ["the pairings", "what is remembered of tokens cannot be read"],
            "the directory of pairings cannot be used", remedy: "Run kanal doctor as the user of that program"),
        LogMeaning(
            "channel", ["offers no secure channel, and is not used without one"],
            "the token is reached over the air and has no secure channel, so that nothing is sent to it",
            remedy: "Use this token in a reader with contacts"),
        LogMeaning(
            "profile", ["minimum_profile demands", "have no profile in common"],
            "token and configuration have no common profile of the secure channel",
            remedy: "Make an activation password of the modern profile: kanal pairings password"),
        LogMeaning(
            "pin-locked", ["CKR_PIN_LOCKED", "has no tries left"], "the PIN or password has no tries left",
            remedy: .command("kanal pin unblock")),
        LogMeaning(
            "pin", ["CKR_PIN_INCORRECT", "the PIN was not taken again"], "the program gave a wrong PIN",
            remedy: "Give the program the right PIN: each wrong one takes a try"),
        LogMeaning(
            "password", ["CKR_SM_PASSWORD_INVALID"], "the activation password was wrong or malformed",
            remedy: .command("kanal pair")),
        LogMeaning(
            "login", ["CKR_USER_NOT_LOGGED_IN", "the card wants a login"],
            "the program did something that needs a login, without one",
            remedy: "Let the program ask for the PIN, or name it by pin-source"),
        LogMeaning(
            "wrong-token", ["wrong token", "another token is in the place"],
            "another token came into the reader while the program worked", remedy: "Put the right token back"),
        LogMeaning(
            "absent",
            ["waiting for token", "the card left the reader", "there is no card in the reader", "CKR_DEVICE_REMOVED"],
            "the token was taken out, or out of reach, while the program worked", .warning,
            remedy: "Set reconnect_window, or reconnect_window_wired, to the seconds that it may be away"),
        LogMeaning(
            "mute", ["the card does not answer to power"], "the card did not answer to power",
            remedy: "Take the card out, clean its contacts, and put it in with the chip first"),
        LogMeaning(
            "descriptors", ["no file descriptors left"], "the program had no file descriptors left",
            remedy: .command("ulimit -n 4096")),
        LogMeaning(
            "memory", ["the card has no room", "CKR_DEVICE_MEMORY"], "the token has no room for another object",
            remedy: "Delete what is not needed: kanal list"),
        LogMeaning(
            "budget", ["nothing of it is shown"], "the token says that it has more than any token can have",
            remedy: "Do not use this token: it is none, or broken"),
        LogMeaning(
            "mechanism", ["CKR_MECHANISM_INVALID"], "the program asked for an algorithm that the key or token has not",
            remedy: "Choose another algorithm or key in the program's settings"),
    ]

    static let refusal = "refusal"

    /// A call that was refused for a reason that says all.
    init?(refusal text: String) {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count == 3, words[0].hasPrefix("C_"), words[1].hasPrefix("0x") else { return nil }
        // Programs ask for lengths, attributes and events that there may not be: none of these answers is a fault.
        let harmless = [
            "CKR_ATTRIBUTE_SENSITIVE", "CKR_ATTRIBUTE_TYPE_INVALID", "CKR_BUFFER_TOO_SMALL", "CKR_NO_EVENT",
            "CKR_CRYPTOKI_ALREADY_INITIALIZED",
        ]
        guard words[2].hasPrefix("CKR_"), !harmless.contains(where: words[2].hasPrefix) else { return nil }
        self.init(
            Self.refusal, [], "\(words[0]) was refused: \(Phrase(told: String(words[2])))", .warning,
            remedy: "Correct what the program asks for, or report the fault with this log")
    }
}
