// SPDX-License-Identifier: Apache-2.0
import Translation

/// Whether polkit keeps this user from pcscd, which asks it for the action `access_pcsc` and tells nobody the answer. By
/// default only those who sit at the machine are let in: neither ssh nor services.
struct PolkitCheck {
    let person: Person

    private static let policy = "/usr/share/polkit-1/actions/org.debian.pcsc-lite.policy"
    private static let rules = [
        "/etc/polkit-1/rules.d", "/usr/local/share/polkit-1/rules.d", "/usr/share/polkit-1/rules.d",
    ]

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

    /// Where this process runs, in words, by its control group and what logind has written of the session.
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
