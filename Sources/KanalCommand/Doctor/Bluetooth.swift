// SPDX-License-Identifier: Apache-2.0
import Glibc
import Terminal
import Translation

/// Bluetooth on this machine, as BlueZ's program `bluetoothctl` reports it.
enum Bluetooth: Equatable {
    /// BlueZ is not installed: nothing is known.
    case unknown
    /// The kernel knows a radio, and the service does not answer.
    case noService
    /// The machine has no radio, or no driver for it.
    case noRadio
    /// The radio is off; `isBlocked` if the kernel's switch keeps it so.
    case off(isBlocked: Bool)
    /// The radio is on. Known tokens, whether they are near or not.
    case on([Device])

    /// A token, as BlueZ knows it.
    struct Device: Equatable {
        let address: String
        let name: String
        let isPaired: Bool
        let isConnected: Bool
    }

    /// The longest wait for all answers. Without its service, bluetoothctl waits for it without an end.
    private static let patience = Duration.seconds(5)
    /// The most tokens that are asked for.
    private static let limit = 8

    /// Asks, and changes nothing.
    static func look() -> Bluetooth {
        let folders = (ProgramContext.current.variable("PATH") ?? "").split(separator: ":")
        guard let program = folders.map({ "\($0)/bluetoothctl" }).first(where: { Files.allows(X_OK, $0) }) else {
            return .unknown
        }
        let end = ContinuousClock.now + patience
        func ask(_ words: String...) -> [String]? { lines([program] + words, until: end) }
        guard let radio = ask("show") else {
            return Files.names(in: "/sys/class/bluetooth").isEmpty ? .noRadio : .noService
        }
        guard radio.contains(where: { $0.hasPrefix("Controller ") }) else { return .noRadio }
        guard radio.contains("Powered: yes") else { return .off(isBlocked: isBlocked) }
        let tokens = (ask("devices") ?? []).compactMap { line -> (address: String, name: String)? in
            let words = line.split(separator: " ", maxSplits: 2)
            guard words.count == 3, words[0] == "Device", isAddress(words[1]) else { return nil }
            return words[2].lowercased().contains("rutoken") ? (String(words[1]), String(words[2]).printable) : nil
        }
        return .on(
            tokens.prefix(limit).map { token in
                let facts = ask("info", token.address) ?? []
                return Device(
                    address: token.address, name: token.name, isPaired: facts.contains("Paired: yes"),
                    isConnected: facts.contains("Connected: yes"))
            })
    }

    private static func isAddress(_ text: Substring) -> Bool {
        text.utf8.count == 17 && text.allSatisfy { $0 == ":" || $0.isASCII && $0.isHexDigit }
    }

    /// Whether the kernel keeps a Bluetooth radio off, which a user may change.
    private static var isBlocked: Bool {
        let switches = "/sys/class/rfkill"
        return Files.names(in: switches).contains { name in
            Files.lines("\(switches)/\(name)/type").first == "bluetooth"
                && Files.lines("\(switches)/\(name)/soft").first == "1"
        }
    }

    /// The lines of a program's output; nil if it does not end in time, or is ended by a signal.
    private static func lines(_ arguments: [String], until end: ContinuousClock.Instant) -> [String]? {
        let environment = ["PATH", "DBUS_SYSTEM_BUS_ADDRESS"].compactMap { name in
            ProgramContext.current.variable(name).map { "\(name)=\($0)" }
        }
        guard let child = try? ChildProgram(arguments, environment: environment + ["LC_ALL=C"]),
            let result = try? child.run(input: [], limit: 1 << 16, until: end), result.status & 0x7F == 0
        else { return nil }
        return String(decoding: result.output, as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }
    }
}
