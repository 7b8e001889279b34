// SPDX-License-Identifier: Apache-2.0
package import KanalKit
import Terminal
import Translation

/// The key containers of CryptoPro CSP on the tokens that are there. Their names are personal: a finding has the place.
package struct ContainerChecks {
    /// The PIN of the only token with containers; nil to check what everybody may see.
    let pin: HeldPIN?
    /// In seconds since 1970.
    let now: Int64

    /// A period that ends sooner is a finding.
    private static let notice: Int64 = 30 * 86_400

    package init(pin: HeldPIN?, now: Int64 = Timestamp.now.seconds) { (self.pin, self.now) = (pin, now) }

    func findings(_ manager: TokenManager) async -> [Finding] {
        do { return try await Deadline.run { try await look(manager) } } catch KanalError.cancelled {
            return [
                .error(
                    "containers.hangs", "looking at the key containers of the tokens took longer than 6 s",
                    remedy: "Leave one token in, and ask again when no other program uses it")
            ]
        } catch {
            return []
        }
    }

    /// The same, however long it takes.
    package func look(_ manager: TokenManager) async throws -> [Finding] {
        var tokens: [(token: Token, containers: [KeyContainer])] = []
        for token in try await manager.allTokens() {
            let containers = (try? await token.keyContainers()) ?? []
            if !containers.isEmpty { tokens.append((token, containers)) }
        }
        let pin = tokens.count == 1 ? pin : nil
        var findings: [Finding] = []
        for (token, containers) in tokens {
            findings.append(Self.found(containers, on: token, isChecked: pin != nil))
            if let pin { findings += await checked(token, pin) }
        }
        guard !Task.isCancelled else { throw KanalError.cancelled }
        return findings
    }

    private static func found(_ containers: [KeyContainer], on token: Token, isChecked: Bool) -> Finding {
        let places = Phrase(listing: containers.map { Phrase(verbatim: $0.place) })
        let problem: Phrase =
            containers.count == 1
            ? "the token \(token.information.serialText) has a key container of CryptoPro CSP, in 1000/1003: \(places)"
            : """
            the token \(token.information.serialText) has \(containers.count) key containers of CryptoPro CSP, in \
            1000/1003: \(places)
            """
        let remedy: Phrase =
            isChecked
            ? "Nothing needs to be done; keep copies of them, made by CryptoPro CSP"
            : "To check their files, leave one such token inserted, and supply its PIN: kanal doctor --pin-source SOURCE"
        return .information("container.found", problem, remedy: remedy)
    }

    private func checked(_ token: Token, _ pin: HeldPIN) async -> [Finding] {
        let serial = token.information.serialText
        let findings: [Finding]
        do {
            let conditions = try await token.perform(pin: pin.value) { session in
                try session.containerConditions(openingKeys: true)
            }
            findings = conditions.flatMap { self.findings($0, serial) }
        } catch {
            let reason = ExitStatus.message(of: error) ?? Phrase(verbatim: "\(error)")
            findings = [
                .error(
                    "container.login", "the key containers of the token \(serial) cannot be checked: \(reason)",
                    remedy: "Give the PIN of this token with --pin-source")
            ]
        }
        await token.forgetPIN()
        return findings
    }

    private func findings(_ condition: ContainerCondition, _ serial: String) -> [Finding] {
        let subject: Phrase = "the key container \(condition.container.place) of the token \(serial)"
        if let fault = condition.fault { return [unusable(subject, fault)] }
        return [pairs(condition, subject), certificate(condition, subject), end(condition, subject)].compactMap(\.self)
    }

    private func unusable(_ subject: Phrase, _ fault: ContainerCondition.Fault) -> Finding {
        let problem: Phrase = "\(subject) cannot be used: \(fault.text)"
        guard fault.isDamage else {
            return .warning("container.unusable", problem, remedy: "Use it with CryptoPro CSP")
        }
        return .error(
            "container.unusable", problem,
            remedy: "Restore a copy of the container by CryptoPro CSP; without a copy, ask for a new certificate")
    }

    /// The pairs of files with the keys.
    private func pairs(_ condition: ContainerCondition, _ subject: Phrase) -> Finding? {
        switch (condition.mainFault, condition.reserveFault) {
        case (nil, nil): nil
        case (let fault?, nil) where condition.hasReserve:
            .warning(
                "container.reserve",
                "\(subject) works only by its reserve files, because its main files do not: \(fault.text)",
                remedy: "Make a copy of the container by CryptoPro CSP, which may repair it when it opens it")
        case (let fault?, _): unusable(subject, fault)
        case (nil, let fault?):
            .warning(
                "container.reserve",
                "\(subject) works, but its reserve files do not: \(fault.text)",
                remedy: "Make a copy of the container by CryptoPro CSP, and use that")
        }
    }

    private func certificate(_ condition: ContainerCondition, _ subject: Phrase) -> Finding? {
        guard condition.keys.contains(where: { !$0.hasCertificate }) else { return nil }
        return .warning(
            "container.certificate", "\(subject) has a key without a certificate",
            remedy: "When the authority has issued it, have CryptoPro CSP put it into the container")
    }

    private func end(_ condition: ContainerCondition, _ subject: Phrase) -> Finding? {
        guard let end = condition.keys.flatMap(\.ends).min(), end < now + Self.notice else { return nil }
        let day = Timestamp(end).day
        let renewal: Phrase = "Ask the authority for a new certificate"
        return end < now
            ? .warning("container.expired", "\(subject) has a key that expired on \(day)", remedy: renewal)
            : .warning("container.expires-soon", "\(subject) has a key that expires on \(day)", remedy: renewal)
    }
}
