// SPDX-License-Identifier: Apache-2.0

import Translation

/// Reads what a program's `KANAL_LOG` has, and says in words what it means.
struct LogReader {
    let path: String
    let person: CurrentUser

    /// What is read of a longer file: the end.
    private static let limit = 16 << 20
    /// The limit of reported refusals without a known meaning.
    private static let most = 10

    /// A message that occurs, or several with the same meaning, and where.
    private struct Occurrence {
        let id: MessageID
        let meaning: LogMeaning
        let text: String
        let first: Int
        var last: Int
        var count: Int
    }

    /// - Returns: nil if the file cannot be read.
    func findings() -> [Finding]? {
        guard let bytes = Files.bytes(path, limit: Self.limit) else { return nil }
        var found: [Occurrence] = []
        // Programs repeat themselves: the place in "found" of each text that was met, nil for a meaningless text.
        var known: [ArraySlice<UInt8>: Int?] = [:]
        for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            guard let text = Self.message(line) else { continue }
            let place = known[text] ?? place(of: String(decoding: text, as: UTF8.self), at: index + 1, in: &found)
            known[text] = .some(place)
            guard let place else { continue }
            found[place].last = index + 1
            found[place].count += 1
        }
        return found.map(finding)
    }

    /// Where a text's meaning is in the list, at whose end a new one comes. Each refusal without a meaning of its own is
    /// told, up to ``most`` of them.
    private func place(of text: String, at line: Int, in found: inout [Occurrence]) -> Int? {
        guard let end = text.firstIndex(of: "]"), let id = MessageID(rawValue: String(text[..<end].dropFirst())) else {
            return nil
        }
        let meaning = LogMeaning(id, for: person)
        let same = found.firstIndex { other in
            other.meaning.words == meaning.words && (id != .callRefused || other.text == text)
        }
        if let same { return same }
        guard id != .callRefused || found.count(where: { $0.id == id }) < Self.most else { return nil }
        found.append(Occurrence(id: id, meaning: meaning, text: text, first: line, last: line, count: 0))
        return found.count - 1
    }

    private func finding(_ occurrence: Occurrence) -> Finding {
        let more: Phrase =
            occurrence.count > 1 ? ", \(occurrence.count) times until line \(occurrence.last)" : ""
        let meaning = occurrence.meaning
        return Finding(
            check: "log.\(meaning.name)", severity: meaning.severity,
            problem: "line \(occurrence.first)\(more): \(meaning.words) (\"\(occurrence.text)\")",
            remedy: meaning.remedy, message: occurrence.id)
    }

    /// The message of a line, from its identifier on, without time, process and level; nil for a line of another program,
    /// and for a message without an identifier.
    private static func message(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let first = line.first, (0x30...0x39).contains(first),
            let bracket = line.firstIndex(of: UInt8(ascii: "]"))
        else { return nil }
        let rest = line[bracket...].dropFirst(2)
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), levels.contains(where: rest[..<colon].elementsEqual)
        else { return nil }
        let message = rest[colon...].dropFirst(2)
        return message.first == UInt8(ascii: "[") ? message : nil
    }

    private static let levels = ["error", "warning", "notice", "debug"].map { Array($0.utf8) }
}

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
    init(_ id: MessageID, for person: CurrentUser) {
        switch id {
        case .attackDowngrade, .attackKeyChanged, .attackNoChannel, .attackNoChannelAnyMore, .attackReflection,
            .attackTokenReplaced, .attackUnproven, .attackWrongMAC:
            self.init(
                "attack",
                """
                the token did not prove the identity that it had when it was activated: it was exchanged or reset, or is \
                under attack
                """,
                remedy:
                    "Enter no PIN until its owner confirms that it was formatted; then activate it again: kanal pair"
            )
        case .activationBetterProfile, .activationDamaged, .activationNeeded, .activationRemoved,
            .activationUnknownHost:
            self.init(
                "activation", "the token requires a secure channel that is not activated for the program's user",
                remedy: .command("kanal pair"))
        case .callMechanism:
            self.init(
                "mechanism", "the program asked for an algorithm that the key or token does not have",
                remedy: "Choose another algorithm or key in the program's settings")
        case .callRefused:
            self.init(
                "refusal", "a call of the program was refused", .warning,
                remedy: "Correct the program's request, or report the fault with this log")
        case .cardAbsent, .cardRemoved, .cardWaiting:
            self.init(
                "absent", "the token was taken out, or out of reach, while the program worked", .warning,
                remedy: "Set reconnect_window, or reconnect_window_wired, to the seconds that it may be away")
        case .cardHeld:
            self.init("held", "another program held the card exclusively", remedy: .command("kanal doctor"))
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
                remedy: """
                    Have the security officer make an activation password of the modern profile, on a machine that is \
                    paired with the token: kanal pairings password
                    """)
        case .configurationClosed, .configurationError:
            self.init(
                "configuration", "a configuration file has an error: everything that it protects is refused",
                remedy: .command("kanal doctor"))
        case .homeIgnored, .homeMissing:
            self.init(
                "home",
                "the program's environment names directories that are not its user's, so that pairings are not found",
                remedy: "Set HOME to the home directory of the program's user")
        case .loginNeeded:
            self.init(
                "login", "the program used a key or an object that needs a login, without a login",
                remedy: "Let the program ask for the PIN, or name it by pin-source")
        case .passwordMalformed, .passwordUnusable, .passwordWrong:
            self.init(
                "password", "the activation password was wrong or malformed", remedy: .command("kanal pair"))
        case .passwordLocked:
            self.init(
                "password-locked", "the activation password has no tries left",
                remedy: """
                    Use another activation password, or have the security officer make a new one on a machine that is paired \
                    with the token: kanal pairings password
                    """)
        case .pinLocked:
            self.init("pin-locked", "the PIN has no tries left", remedy: .command("kanal pin unblock"))
        case .pinNotTakenAgain, .pinWrong:
            self.init(
                "pin", "the program gave a wrong PIN",
                remedy: "Give the program the right PIN: each wrong PIN uses up a try")
        case .processDescriptors:
            self.init(
                "descriptors", "the program had no file descriptors left", remedy: .command("ulimit -n 4096"))
        case .processRoot:
            self.init(
                "root", "the program changed its root directory (chroot) before it had found its token",
                remedy: "Let the program find its token and log in before it changes its root directory")
        case .serviceAbsent:
            self.init(
                "service", "pcscd did not run when the program looked for readers",
                remedy: person.asRoot(person.hasSystemd ? "systemctl start pcscd.socket" : "pcscd"))
        case .serviceIncompatible:
            self.init(
                "service-version", "pcscd and the program's libpcsclite are of different versions",
                remedy: ServiceVersions.remedy)
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
                "pcscd refused the program: polkit forbids it to the program's user, or there are too many clients",
                remedy: "Run kanal doctor as the user of that program, in the same session or service")
        case .storeCrowded:
            self.init(
                "store", "the directory of pairings has more files than are read, and pairings may be missing",
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
                "budget", "the token reports more than any token can hold",
                remedy: "Do not use this token: it is broken or not genuine")
        }
    }
}
