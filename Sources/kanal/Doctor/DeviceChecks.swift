// SPDX-License-Identifier: Apache-2.0
import Translation

/// Tokens on USB, as the kernel lists them, and what keeps pcscd from them.
struct DeviceChecks {
    let person: Person
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
                "reader.driver", "\(name) is plugged in, and pcscd has no driver for it",
                remedy: person.install(debian: "libccid", fedora: "pcsc-lite-ccid", arch: "ccid"))
        }
        let known = Files.lines(list).contains { $0.lowercased().contains("0x" + number) }
        if known { return nil }
        return .error(
            "reader.driver", "\(name) is younger than pcscd's driver: \(list) does not list it",
            remedy: person.install(debian: "libccid", fedora: "pcsc-lite-ccid", arch: "ccid"))
    }

    /// ModemManager sends commands to every serial line that it finds, those of tokens included.
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
                "reader.modem", "\(manager.phrase) takes the token's serial line \(tty) for a modem",
                remedy: .command("echo \(rule.quoted) | \(person.asRoot("tee /etc/udev/rules.d/78-kanal.rules"))"))
        ]
    }
}
