// SPDX-License-Identifier: Apache-2.0
import Translation

/// The meaning of a message of the library's log for the user, and what to do about it.
struct LogMeaning: Sendable {
    /// The last part of the finding's name.
    let name: String
    let severity: Finding.Severity
    let words: Phrase
    let remedy: Phrase

    private init(_ name: String, _ words: Phrase, _ severity: Finding.Severity = .error, remedy: Phrase) {
        (self.name, self.severity, self.words, self.remedy) = (name, severity, words, remedy)
    }

    /// - Parameter person: The user who asks.
    init(_ id: MessageID, for person: Person) {
        switch id {
        case .attackDowngrade, .attackKeyChanged, .attackNoChannel, .attackNoChannelAnyMore, .attackReflection,
            .attackTokenReplaced, .attackUnproven, .attackWrongMAC:
            self.init(
                "attack",
                "the token did not show what it showed when it was activated: it was exchanged or reset, or an attacker is between",
                remedy: "Give it no PIN before its owner says that it was formatted; then activate it again: kanal pair"
            )
        case .activationBetterProfile, .activationDamaged, .activationNeeded, .activationRemoved,
            .activationUnknownHost:
            self.init(
                "activation", "the token wants a secure channel that is not activated for the program's user",
                remedy: .command("kanal pair"))
        case .callMechanism:
            self.init(
                "mechanism", "the program asked for an algorithm that the key or token has not",
                remedy: "Choose another algorithm or key in the program's settings")
        case .callRefused:
            self.init(
                "refusal", "a call of the program was refused", .warning,
                remedy: "Correct what the program asks for, or report the fault with this log")
        case .cardAbsent, .cardRemoved, .cardWaiting:
            self.init(
                "absent", "the token was taken out, or out of reach, while the program worked", .warning,
                remedy: "Set reconnect_window, or reconnect_window_wired, to the seconds that it may be away")
        case .cardHeld:
            self.init("held", "another program held the card for itself", remedy: .command("kanal doctor"))
        case .cardMute:
            self.init(
                "mute", "the card did not respond (no ATR)",
                remedy: "Take the card out, clean its contacts, and put it in with the chip first")
        case .channelNone:
            self.init(
                "channel", "the token is reached over the air and has no secure channel, so that nothing is sent to it",
                remedy: "Use this token in a reader with contacts")
        case .channelProfile:
            self.init(
                "profile", "token and configuration have no common profile of the secure channel",
                remedy: "Make an activation password of the modern profile: kanal pairings password")
        case .configurationClosed, .configurationError:
            self.init(
                "configuration", "a file of the configuration has an error, which closes what it protects",
                remedy: .command("kanal doctor"))
        case .homeIgnored, .homeMissing:
            self.init(
                "home",
                "the program's environment names directories that are not its user's, so that pairings are not found",
                remedy: "Set HOME to the home directory of the program's user")
        case .loginNeeded:
            self.init(
                "login", "the program did something that needs a login, without one",
                remedy: "Let the program ask for the PIN, or name it by pin-source")
        case .passwordMalformed, .passwordUnusable, .passwordWrong:
            self.init(
                "password", "the activation password was wrong or malformed", remedy: .command("kanal pair"))
        case .passwordLocked, .pinLocked:
            self.init(
                "pin-locked", "the PIN or password has no tries left", remedy: .command("kanal pin unblock"))
        case .pinNotTakenAgain, .pinWrong:
            self.init(
                "pin", "the program gave a wrong PIN",
                remedy: "Give the program the right PIN: each wrong one takes a try")
        case .processDescriptors:
            self.init(
                "descriptors", "the program had no file descriptors left", remedy: .command("ulimit -n 4096"))
        case .serviceAbsent:
            self.init(
                "service", "pcscd did not run when the program looked for readers",
                remedy: person.asRoot(person.hasSystemd ? "systemctl start pcscd.socket" : "pcscd"))
        case .serviceLibrary:
            self.init(
                "service-library", "libpcsclite.so.1, by which programs reach pcscd, is not installed",
                remedy: person.installPCSCLite)
        case .serviceRedirected:
            self.init(
                "redirected", "the program has more rights than its user, whose environment names another service",
                remedy: .command("unset PCSCLITE_CSOCK_NAME LIBPCSCLITE_DELEGATE"))
        case .serviceRefused:
            self.init(
                "service-refuses",
                "pcscd did not let the program in: polkit forbids it to the program's user, or there are too many clients",
                remedy: "Run kanal doctor as the user of that program, in the same session or service")
        case .storeCrowded:
            self.init(
                "store", "the directory of pairings has more files than are looked at, and pairings may be missing",
                remedy: "Remove the files of other programs from that directory")
        case .storeUnusable:
            self.init(
                "store", "the directory of pairings cannot be used",
                remedy: "Run kanal doctor as the user of that program")
        case .tokenFull:
            self.init(
                "memory", "the token has no room for another object", remedy: "Delete what is not needed: kanal list")
        case .tokenHostsFull:
            self.init(
                "hosts", "the token has no room for another host",
                remedy: "Remove a host that is not needed: kanal pairings revoke")
        case .tokenOther:
            self.init(
                "wrong-token", "another token came into the reader while the program worked",
                remedy: "Put the right token back")
        case .tokenTooMuch:
            self.init(
                "budget", "the token says that it has more than any token can have",
                remedy: "Do not use this token: it is not a token, or broken")
        }
    }
}
