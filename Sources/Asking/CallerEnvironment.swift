// SPDX-License-Identifier: Apache-2.0
import CProcess
import Glibc
import HostProcess

/// The caller's environment: its terminal, its display, its language.
struct CallerEnvironment {
    /// The path of the terminal; nil without one.
    let terminal: String?

    init() { terminal = Self.findTerminal() }

    /// Whether there is a terminal or a display.
    var canShow: Bool {
        terminal != nil || Environment.variable("DISPLAY") != nil || Environment.variable("WAYLAND_DISPLAY") != nil
    }

    /// The environment for pinentry: names and values of its options.
    var options: [(name: String, value: String?)] {
        func locale(_ category: String) -> String? {
            Environment.variable("LC_ALL") ?? Environment.variable(category) ?? Environment.variable("LANG")
        }
        var options: [(name: String, value: String?)] = []
        if let terminal {
            options.append(("ttyname", terminal))
            options.append(("ttytype", Environment.variable("TERM") ?? "vt100"))
        }
        for (name, value) in [
            ("display", Environment.variable("DISPLAY")), ("lc-ctype", locale("LC_CTYPE")),
            ("lc-messages", locale("LC_MESSAGES")),
        ] {
            if let value { options.append((name, value)) }
        }
        options.append(("owner", "\(getpid())/\(geteuid()) \(HostNames.machine())"))
        return options
    }

    /// The variables of the host's environment that a program gets; it gets no others.
    static let variables = [
        "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TERM", "GPG_TTY",
        "DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE", "XDG_CURRENT_DESKTOP",
        "DBUS_SESSION_BUS_ADDRESS", "PINENTRY_USER_DATA",
    ]

    static var environment: [String] {
        variables.compactMap { name in Environment.variable(name).map { "\(name)=\($0)" } }
    }

    /// The terminal that `GPG_TTY` names, else that of descriptors 0 to 2, else the process's controlling one.
    private static func findTerminal() -> String? {
        if let path = Environment.variable("GPG_TTY"), path.hasPrefix("/dev/"), let file = UserTerminal(path) {
            _ = consume file
            return path
        }
        var name = [CChar](repeating: 0, count: Int(PATH_MAX))
        for number in 0...2 as ClosedRange<Int32> where unsafe ttyname_r(number, &name, name.count) == 0 {
            if let path = text(name) { return path }
        }
        return controlling()
    }

    /// The path of the controlling terminal, which has the same name in another session.
    private static func controlling() -> String? {
        guard let terminal = UserTerminal("/dev/tty") else { return nil }
        let device = terminal_device(terminal.descriptor)
        let (major, minor) = (device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xF_FF00)
        let path: String
        switch (major, minor) {
        case (136...143, _): path = "/dev/pts/\((major - 136) << 8 | minor)"
        case (4, 0..<64): path = "/dev/tty\(minor)"
        case (4, _): path = "/dev/ttyS\(minor - 64)"
        default: return nil
        }
        guard let found = UserTerminal(path), terminal_device(found.descriptor) == device else { return nil }
        return path
    }

    private static func text(_ name: [CChar]) -> String? {
        let bytes = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
    }
}
