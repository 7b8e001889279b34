// SPDX-License-Identifier: Apache-2.0
import Glibc
import Translation

/// pcscd: installed, running, reachable, willing.
struct ServiceChecks {
    let person: Person
    let probe: ServiceProbe
    let processes: [RunningProcess]

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

    private var service: RunningProcess? { processes.first { $0.name == "pcscd" } }

    private var notInstalled: Finding {
        .error(
            "pcscd.installed", "pcscd, the service that reads cards, is not installed",
            remedy: person.install(debian: "pcscd libccid", fedora: "pcsc-lite pcsc-lite-ccid", arch: "pcsclite ccid"))
    }

    private var notRunning: Finding {
        let seen: Phrase = Files.exists(probe.path) ? "no process listens at" : "there is no socket"
        let lost: Phrase = service.map { ", though \($0.phrase) runs" } ?? ""
        return .error(
            "pcscd.running", "pcscd does not run: \(seen) \(probe.path)\(lost)", remedy: person.asRoot(startCommand))
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

    private var refuses: Finding {
        if !person.isRoot, let finding = PolkitCheck(person: person).finding { return finding }
        let clients = processes.filter { $0.usesReaders && $0.name != "pcscd" }.prefix(5)
        let seen: Phrase = clients.isEmpty ? "" : "; among those that use it are \(RunningProcess.list(clients))"
        let restart = service.map { "kill \($0.id)" }
        return .error(
            "pcscd.clients", "pcscd hangs up: it has as many clients as it takes\(seen)",
            remedy: person.hasSystemd
                ? person.asRoot("systemctl restart pcscd")
                : restart.map(person.asRoot) ?? "End the programs that use cards and are not needed")
    }

    private var silent: Finding {
        if let service, service.isStopped {
            return .error(
                "pcscd.answers", "pcscd does not answer within 3 s: \(service.phrase) is stopped by a signal",
                remedy: person.asRoot("kill -CONT \(service.id)"))
        }
        let kill = service.map { person.asRoot("kill -KILL \($0.id)") }
        return .error(
            "pcscd.answers", "pcscd does not answer within 3 s at \(probe.path)",
            remedy: person.hasSystemd
                ? person.asRoot("systemctl restart pcscd") : kill ?? "End what listens there, and start pcscd")
    }
}
