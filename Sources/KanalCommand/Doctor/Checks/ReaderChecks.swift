// SPDX-License-Identifier: Apache-2.0

import KanalKit
import Translation

/// Readers, and the cards in them.
struct ReaderChecks {
    let person: CurrentUser
    let states: [CardState]
    let processes: [RunningProcess]
    let clients: ServiceClients
    /// The user's `kanal.conf`; nil without a home.
    let configurationFile: String?

    /// Programs that take readers for themselves, by the 15 characters that the kernel keeps of a name.
    static let grabbers: Set<String> = ["scdaemon", "openct", "openctd", "ifdhandler", "ifdproxy"]

    func findings() -> [Finding] {
        guard !states.isEmpty else { return [noReader] }
        let troubles = states.compactMap(trouble)
        let hasToken = states.contains { $0.condition == .token }
        if troubles.isEmpty, !hasToken { return [noToken] }
        return troubles + states.compactMap(uncovered)
    }

    private var grabber: RunningProcess? { processes.first { Self.grabbers.contains($0.name) } }

    private func end(_ process: RunningProcess) -> Phrase {
        // GnuPG starts it again when it is needed.
        if process.name == "scdaemon", process.owner == person.id {
            return .command("gpgconf --kill scdaemon")
        }
        return process.end(for: person)
    }

    private var noReader: Finding {
        if let grabber, DeviceChecks.haveReader {
            return .error(
                "reader.held", "pcscd sees no reader while \(grabber.phrase) runs, which claims readers for itself",
                remedy: end(grabber))
        }
        return .error("reader.none", "pcscd knows no reader", remedy: "Plug in the token, or its reader")
    }

    private var noToken: Finding {
        let names = states.map { "\"\($0.reader)\"" }.joined(separator: ", ")
        return .error(
            "token.none", "there is no token in \(names)",
            remedy: states.contains(where: \.isWireless)
                ? "Hold the token's button until it blinks, or put a token into a reader"
                : "Put the token into the reader")
    }

    private func trouble(_ state: CardState) -> Finding? {
        switch state.condition {
        case .empty, .token: nil
        case .foreign: foreign(state)
        case .held: held(state)
        case .mute:
            .error(
                "token.mute", "the card in \"\(state.reader)\" does not respond (no ATR)",
                remedy: "Take the card out, clean its contacts, and put it in with the chip first")
        case .busy: busy(state)
        case .crowded: crowded(state)
        case .unreachable(let reason):
            .error(
                "reader.unreachable", "the card in \"\(state.reader)\" cannot be reached: \(reason)", remedy: plugAgain)
        }
    }

    private var plugAgain: Phrase {
        clients.programs.isEmpty
            ? "Pull the reader out, and plug it in again"
            : "Pull the reader out, and plug it in again. This ends the work with its card of \(clients.names)"
    }

    /// A transaction of another program, or a card that does not answer it: the two cannot always be told apart.
    private func busy(_ state: CardState) -> Finding {
        .error(
            "reader.busy", "pcscd opens no connection to the card in \"\(state.reader)\" within 4 s: \(keeper)",
            remedy: clients.remedy(for: person, otherwise: putInAgain))
    }

    private var keeper: Phrase {
        switch clients.programs.count {
        case 0: "it does not answer, or a program that is not visible from here keeps it"
        case 1: "\(clients.names) keeps it, or it does not answer"
        default: "one of these programs keeps it, or it does not answer: \(clients.names)"
        }
    }

    private var putInAgain: Phrase { "Take the token out, and put it in again" }

    /// pcscd takes about 200 connections to one card, of all programs together.
    private func crowded(_ state: CardState) -> Finding {
        let seen: Phrase = clients.programs.isEmpty ? "" : ": connected to pcscd are \(clients.names)"
        return .error(
            "reader.crowded",
            "pcscd accepts no further connection to the card in \"\(state.reader)\"; its limit is about 200\(seen)",
            remedy: clients.remedy(for: person, otherwise: plugAgain))
    }

    /// A card of another kind does not disturb where there is a token as well.
    private func foreign(_ state: CardState) -> Finding {
        let hasToken = states.contains { $0.condition == .token }
        return Finding(
            check: "token.foreign", severity: hasToken ? .warning : .error,
            problem: "the card in \"\(state.reader)\" is not supported by Kanal",
            remedy: "Put a Rutoken into the reader instead of this card")
    }

    private func held(_ state: CardState) -> Finding {
        let holders = clients.programs.map(\.process)
        let names = clients.names
        // Several programs may be the holder: the remedy must not end the wrong one.
        guard let holder = grabber ?? (holders.count == 1 ? holders.first : nil) else {
            return .error(
                "reader.held", "another program holds the card in \"\(state.reader)\" exclusively",
                remedy: clients.hasHidden && holders.isEmpty && !person.isRoot
                    ? .command("sudo kanal doctor")
                    : holders.isEmpty
                        ? "Close the other programs that use cards"
                        : "Close the program among these that holds the card: \(names)")
        }
        return .error(
            "reader.held", "\(holder.phrase) holds the card in \"\(state.reader)\" exclusively",
            remedy: end(holder))
    }

    /// A token with a radio that is in a reader which counts as wired: its window is that of a wire, and a token that
    /// claims to have no channel would be spoken to in plain.
    private func uncovered(_ state: CardState) -> Finding? {
        guard state.condition == .token, state.isBluetooth || state.hasChannel, !state.isWireless,
            VirtualReaders.has(state.reader)
        else { return nil }
        let pattern = VirtualReaders.pattern(of: state.reader)
        let problem: Phrase =
            state.isBluetooth
            ? """
            a Bluetooth token is in the virtual reader "\(state.reader)", which counts as wired: \
            wireless_readers does not name it
            """
            : """
            a shared token with a channel is in the virtual reader "\(state.reader)", which counts as wired: \
            wireless_readers does not name it
            """
        guard let file = configurationFile else {
            return .warning(
                "reader.wireless", problem, remedy: "Set wireless_readers = \(pattern) in /etc/kanal/kanal.conf")
        }
        // Before all sections, and in a file of the user alone.
        let line = "wireless_readers = \(pattern)"
        let isNew = !Files.exists(file)
        let command =
            isNew
            ? "mkdir -p \(Files.parent(file).quoted) && echo \(line.quoted) > \(file.quoted)"
            : "sed -i \(("1i" + line).quoted) \(file.quoted)"
        return .warning("reader.wireless", problem, remedy: .command(command))
    }
}

/// Readers that are no device: programs that pretend to be one.
enum VirtualReaders {
    private static let folder = "/etc/reader.conf.d"

    /// Whether the name says it, or pcscd's configuration has a reader of this name that is no device.
    static func has(_ reader: String) -> Bool {
        let words = reader.lowercased().split { !$0.isLetter }
        if words.contains("virtual") || words.contains("vpcd") { return true }
        return Files.names(in: folder).contains { file in
            let lines = Files.lines("\(folder)/\(file)")
            let isVirtual = lines.contains { $0.hasPrefix("DEVICENAME") && $0.contains("/dev/null") }
            guard isVirtual, let line = lines.first(where: { $0.hasPrefix("FRIENDLYNAME") }) else { return false }
            let parts = line.split(separator: "\"")
            return parts.count > 1 && reader.hasPrefix(parts[1])
        }
    }

    /// A pattern for all slots of a reader: its name without the numbers that pcscd adds.
    static func pattern(of reader: String) -> String {
        var words = reader.split(separator: " ", omittingEmptySubsequences: false)
        while words.count > 1, let last = words.last, last.count == 2, last.allSatisfy(\.isHexDigit) {
            words.removeLast()
        }
        let name = words.joined(separator: " ").replacing(",", with: "?").replacing("#", with: "?")
        return name + "*"
    }
}

/// Tokens on USB, as the kernel lists them, and what keeps pcscd from them.
struct DeviceChecks {
    let person: CurrentUser
    let processes: [RunningProcess]
    /// Whether pcscd knows any reader; nil if that is not known.
    let hasReaders: Bool?

    private static let devices = "/sys/bus/usb/devices"
    /// The maker's number at USB.
    static let vendor = "0a89"
    private static let drivers = ["/usr/lib/pcsc/drivers", "/usr/lib64/pcsc/drivers", "/usr/local/lib/pcsc/drivers"]

    /// Whether there is a reader, or a token of the maker, on USB.
    static var haveReader: Bool {
        Files.names(in: devices).contains { device in
            // The class of readers (USB CCID 1.1, 4.1).
            Files.lines("\(devices)/\(device)/bInterfaceClass").first == "0b"
                || Files.lines("\(devices)/\(device)/idVendor").first == vendor
        }
    }

    func findings() -> [Finding] {
        let tokens = Files.names(in: Self.devices).filter { line("\($0)/idVendor") == Self.vendor }
        guard !tokens.isEmpty else { return [] }
        return tokens.compactMap(driver) + modemManager(tokens)
    }

    private func line(_ file: String) -> String { Files.lines("\(Self.devices)/\(file)").first ?? "" }

    /// Whether pcscd's driver, or a driver at all, knows the token: its list may be older than the token.
    private func driver(_ device: String) -> Finding? {
        guard hasReaders != true else { return nil }
        let number = line("\(device)/idProduct")
        let product = line("\(device)/product")
        let name: Phrase = "the token \"\(product)\" (USB \(Self.vendor):\(number))"
        let lists = Self.drivers.map { $0 + "/ifd-ccid.bundle/Contents/Info.plist" }.filter(Files.exists)
        guard let list = lists.first else {
            return .error(
                "reader.driver", "\(name) is plugged in, but pcscd has no driver for it",
                remedy: person.install(debian: "libccid", fedora: "pcsc-lite-ccid", arch: "ccid"))
        }
        let known = Files.lines(list).contains { $0.lowercased().contains("0x" + number) }
        if known { return nil }
        return .error(
            "reader.driver", "\(name) is newer than pcscd's driver: \(list) does not list it",
            remedy: person.install(debian: "libccid", fedora: "pcsc-lite-ccid", arch: "ccid"))
    }

    /// ModemManager sends commands to every serial line that it finds, tokens included.
    private func modemManager(_ tokens: [String]) -> [Finding] {
        guard let manager = processes.first(where: { $0.name == "ModemManager" }) else { return [] }
        let lines = tokens.flatMap { token in
            Files.names(in: Self.devices).filter { $0.hasPrefix(token + ":") }
                .flatMap { Files.names(in: "\(Self.devices)/\($0)") + Files.names(in: "\(Self.devices)/\($0)/tty") }
        }
        guard let tty = lines.first(where: { $0.hasPrefix("ttyACM") || $0.hasPrefix("ttyUSB") }) else { return [] }
        let rule = "ATTRS{idVendor}==\"\(Self.vendor)\", ENV{ID_MM_DEVICE_IGNORE}=\"1\""
        return [
            .warning(
                "reader.modem", "\(manager.phrase) mistakes the token's serial line \(tty) for a modem",
                remedy: .command("echo \(rule.quoted) | \(person.asRoot("tee /etc/udev/rules.d/78-kanal.rules"))"))
        ]
    }
}
