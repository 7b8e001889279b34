// SPDX-License-Identifier: Apache-2.0

import Glibc
import Terminal
import Translation

/// pcscd: installed, running, reachable, willing.
struct ServiceChecks {
    let person: CurrentUser
    let probe: ServiceProbe
    let processes: [RunningProcess]

    /// The service runs under this name.
    private var service: RunningProcess? { processes.first { $0.name == "pcscd" } }
    var clients: ServiceClients { ServiceClients(of: probe.path, among: processes) }

    func findings() -> [Finding] {
        switch probe.answer {
        case .answers: []
        case .absent: [isInstalled ? notRunning : notInstalled]
        case .forbidden: [forbidden]
        case .hangsUp: [refuses]
        case .silent: [silent]
        }
    }

    private var isInstalled: Bool {
        ["/usr/sbin", "/usr/local/sbin", "/sbin", "/usr/bin", "/usr/local/bin"].contains {
            Files.allows(X_OK, $0 + "/pcscd")
        }
    }

    private var notInstalled: Finding {
        .error(
            "pcscd.installed", "pcscd, the service that reads cards, is not installed",
            remedy: person.install(debian: "pcscd libccid", fedora: "pcsc-lite pcsc-lite-ccid", arch: "pcsclite ccid"))
    }

    private var notRunning: Finding {
        let seen: Phrase = Files.exists(probe.path) ? "no process listens at" : "there is no socket"
        let lost: Phrase = service.map { ", though \($0.phrase) runs" } ?? ""
        guard service == nil, !person.hasSystemd, let (file, other) = leftover else {
            return .error(
                "pcscd.running", "pcscd does not run: \(seen) \(probe.path)\(lost)",
                remedy: person.asRoot(startCommand))
        }
        return .error(
            "pcscd.running",
            """
            pcscd does not run: \(seen) \(probe.path). Its process number was left in \(file), and belongs to \(other) \
            now, so that pcscd would believe that it runs already
            """, remedy: person.asRoot("sh -c \("rm -f \(file.quoted); pcscd".quoted)"))
    }

    /// The file with the number of pcscd's process, beside its socket.
    private var numberFile: String { Files.parent(probe.path) + "/pcscd.pid" }

    /// The file of a pcscd that was killed, if another process has its number by now.
    private var leftover: (file: String, process: Phrase)? {
        guard let text = Files.content(numberFile, limit: 64), let number = Int(text.filter(\.isNumber)), number > 0,
            Files.exists("/proc/\(number)")
        else { return nil }
        let other = processes.first { $0.id == number }
        return (numberFile, other?.phrase ?? "process \(number)")
    }

    private var startCommand: String { person.hasSystemd ? "systemctl start pcscd.socket" : "pcscd" }

    /// The first directory on the way that is closed, or the socket.
    private var forbidden: Finding {
        var path = ""
        for part in probe.path.split(separator: "/") {
            path += "/" + part
            guard path != probe.path, Files.allows(X_OK, path) else { break }
        }
        let isSocket = path == probe.path
        let status = Files.status(path)
        let seen: Phrase = status.map { " (mode \($0.access), owner \($0.owner))" } ?? ""
        return .error(
            "pcscd.socket", "user \(person.name) may not use pcscd's socket \(probe.path): \(path)\(seen) is closed",
            remedy: person.asRoot("chmod \(isSocket ? "a+rw" : "a+rx") \(path.quoted)"))
    }

    /// So many connections, half of what it takes as a rule, count as the reason why pcscd takes no more.
    private static let crowd = 100

    /// pcscd hangs up on this program, at its first question or at a later one.
    var refuses: Finding {
        let clients = clients
        if clients.count < Self.crowd {
            let polkit = PolkitCheck(person: person)
            if let finding = polkit.unreachable ?? (person.isRoot ? nil : polkit.finding) { return finding }
        }
        let remedy = clients.remedy(for: person, otherwise: restart)
        if clients.count < Self.crowd {
            let seen: Phrase = clients.programs.isEmpty ? "" : "; connected to it are \(clients.names)"
            return .error(
                "pcscd.clients", "pcscd closes the connection at once: it may have reached its limit of clients\(seen)",
                remedy: remedy)
        }
        let seen: Phrase = clients.programs.isEmpty ? "" : ": \(clients.names)"
        return .error(
            "pcscd.clients",
            "pcscd closes the connection at once: it has reached its limit of clients. It has \(clients.count) connections\(seen)",
            remedy: remedy)
    }

    /// pcscd takes connections, and does not say what is in its readers.
    var isStuck: Finding {
        let seen: Phrase = clients.programs.isEmpty ? "" : "; connected to it are \(clients.names)"
        return .error(
            "pcscd.readers", "pcscd does not report its readers' state within 6 s\(seen)", remedy: restart)
    }

    var isIncompatible: Finding { ServiceVersions(probe: probe, service: service).finding }

    /// Restarts pcscd: the last resort, because every program loses its card.
    var restart: Phrase {
        let command: Phrase
        if person.hasSystemd {
            command = person.asRoot("systemctl restart pcscd")
        } else if let service {
            // A pcscd that was killed leaves its number behind.
            let steps = "kill -KILL \(service.id); sleep 1; rm -f \(numberFile.quoted); pcscd"
            command = person.asRoot("sh -c \(steps.quoted)")
        } else {
            return "Close all programs that use cards, end the process that listens at \(probe.path), and start pcscd"
        }
        return """
            Close the programs that use cards. As a last resort, which ends the work of all programs with cards: \(command)
            """
    }

    private var silent: Finding {
        if let service, service.isStopped {
            return .error(
                "pcscd.answers", "pcscd does not answer within 3 s: \(service.phrase) is stopped by a signal",
                remedy: person.asRoot("kill -CONT \(service.id)"))
        }
        return .error("pcscd.answers", "pcscd does not answer within 3 s at \(probe.path)", remedy: restart)
    }
}

/// Whether polkit keeps this user from pcscd, which asks it for the action `access_pcsc` and does not report the
/// answer. By default only local sessions have access: neither ssh nor services.
struct PolkitCheck {
    let person: CurrentUser

    private static let policy = "/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy"
    private static let rules = [
        "/etc/polkit-1/rules.d", "/usr/local/share/polkit-1/rules.d", "/usr/share/polkit-1/rules.d",
    ]

    private static let buses = ["/run/dbus/system_bus_socket", "/var/run/dbus/system_bus_socket"]

    /// pcscd refuses everybody, root too, if it cannot ask polkit.
    ///
    /// - Returns: nil if pcscd does not ask polkit on this machine, or can ask it.
    var unreachable: Finding? {
        guard Files.exists(Self.policy), !Self.buses.contains(where: Files.exists) else { return nil }
        return .error(
            "pcscd.polkit",
            """
            pcscd has to ask polkit whether user \(person.name) may use it, but cannot reach polkit: \
            the system's D-Bus does not run (there is no \(Self.buses[0]))
            """,
            remedy: person.hasSystemd
                ? person.asRoot("systemctl start dbus")
                : "Start the system's D-Bus and polkit; where polkit is not wanted, start pcscd with --disable-polkit")
    }

    /// - Returns: nil if pcscd does not ask polkit on this machine.
    var finding: Finding? {
        guard Files.exists(Self.policy) else { return nil }
        let naming = Self.rules.flatMap { folder in Files.names(in: folder).map { "\(folder)/\($0)" } }
            .filter { $0.hasSuffix(".rules") && Files.content($0)?.contains("org.debian.pcsc-lite") ?? false }
        let cause: Phrase =
            naming.isEmpty
            ? "no rule that can be read allows it" : "the rules are in \(naming.joined(separator: ", "))"
        return .error(
            "pcscd.polkit",
            "polkit does not let user \(person.name) \(session) use pcscd (org.debian.pcsc-lite.access_pcsc): \(cause)",
            remedy: remedy)
    }

    private var remedy: Phrase {
        let rule: String =
            "polkit.addRule(function(action, subject) {"
            + " if (action.id.indexOf(\"org.debian.pcsc-lite.\") == 0 && subject.user == \"\(person.name)\")"
            + " return polkit.Result.YES; });"
        let isPlain = person.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"'\"\\".utf8.contains($0) }
        guard isPlain else { return "Allow org.debian.pcsc-lite.access_pcsc and access_card to this user in polkit" }
        // Rules are read in the order of their names, and the first answer counts.
        return .command("echo \(rule.quoted) | \(person.asRoot("tee /etc/polkit-1/rules.d/00-kanal.rules"))")
    }

    /// The place of this process, in words, by its control group and what logind has written of the session.
    private var session: Phrase {
        let groups = Files.lines("/proc/self/cgroup").joined(separator: "/")
        guard
            let scope = groups.split(separator: "/").last(where: { $0.hasPrefix("session-") && $0.hasSuffix(".scope") })
        else {
            if groups.contains("/user@") { return "in a service of the user" }
            return groups.contains(".service") ? "in a service" : "outside of a session"
        }
        let id = scope.dropFirst("session-".count).dropLast(".scope".count)
        let facts = Files.lines("/run/systemd/sessions/\(id)")
        if facts.contains("REMOTE=1") { return "in a session from another machine (ssh)" }
        return facts.contains("ACTIVE=1") ? "in the active session" : "in a session that is not active"
    }
}
