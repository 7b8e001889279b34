// SPDX-License-Identifier: Apache-2.0

import Configuration
import KanalKit
import Terminal
import Translation

/// Programs that fail at keys on the tokens, which `kanal.conf` does not hide from them.
struct HiddenKeysCheck {
    /// The user's `kanal.conf`; nil without a home.
    let configurationFile: String?

    func findings(_ manager: TokenManager) async -> [Finding] {
        let installed = await Deadline.run { (engine: isSettled ? nil : engine, shown: programsWithoutDefault) }
        guard let programs = installed, programs.engine != nil || !programs.shown.isEmpty,
            let tokens = try? await Deadline.run(cancelling: { try await facts(manager) })
        else { return [] }
        return openssl(programs.engine, tokens) + programs.shown.flatMap { shown($0, tokens) }
    }

    /// OpenSSL's engine `pkcs11` up to libp11 0.4.12, and pkcs11-provider 1.0, find no RSA key beside a GOST key.
    private func openssl(_ engine: Phrase?, _ tokens: [TokenFacts]) -> [Finding] {
        guard let engine, let token = tokens.first(where: { $0.families.contains("gost") && $0.hasRSA }) else {
            return []
        }
        return [
            .warning(
                "openssl.keys",
                "the token \(token.serial) has a GOST key, beside which \(engine) of some versions does not find its RSA key",
                remedy:
                    "In /etc/kanal/kanal.conf add, for each program that uses it: [program NAME], and below hide_keys = gost"
            )
        ]
    }

    /// A program that is shown keys which it is known to fail at.
    private func shown(_ program: ShownKeys, _ tokens: [TokenFacts]) -> [Finding] {
        guard let token = tokens.first(where: { !$0.families.isDisjoint(with: program.families) }) else { return [] }
        return [
            .warning(
                "programs.keys",
                "the token \(token.serial) has keys that \(program.name) fails at, and kanal.conf shows them to it",
                remedy:
                    "In \(program.file) add: [program \(program.name)], and below hide_keys = \(program.families.joined(separator: ", "))"
            )
        ]
    }

    /// Whether a file hides GOST keys, from whichever program.
    private var isSettled: Bool {
        ["/etc/kanal/kanal.conf", configurationFile].compactMap(\.self).flatMap(Files.lines).contains { line in
            let line = line.filter { !$0.isWhitespace }
            return line.hasPrefix("hide_gost_keys=on") || line.hasPrefix("hide_keys=") && line.contains("gost")
        }
    }

    /// The installed one of the two, as a person calls it.
    private var engine: Phrase? {
        let engines = OpenSSLCheck.folders
        if engines.contains(where: { Files.exists($0 + "/pkcs11.so") }) { return "OpenSSL's engine pkcs11" }
        let hasProvider = OpenSSLCheck.libraries.contains { Files.exists($0 + "/ossl-modules/pkcs11.so") }
        return hasProvider ? .command("pkcs11-provider") : nil
    }

    /// A program that is shown keys which its default hides: the families of these keys, and the file that shows them.
    private struct ShownKeys: Sendable {
        let name: String
        let families: [String]
        let file: String
    }

    /// The installed programs of that kind. Those of PAM run for other users, and do not read this user's file.
    private var programsWithoutDefault: [ShownKeys] {
        let administrators = "/etc/kanal/kanal.conf"
        func families(_ name: String, user: String?) -> [String] {
            (try? Configuration(reading: administrators, user: user, program: name))?.familiesShown(to: name) ?? []
        }
        return ProgramDefaults.programs.filter(ProgramChecks.isInstalled).compactMap { name in
            let shown = families(name, user: ProgramDefaults.pamPrograms.contains(name) ? nil : configurationFile)
            guard !shown.isEmpty else { return nil }
            let isUsers = families(name, user: nil).isEmpty
            return ShownKeys(
                name: name, families: shown, file: isUsers ? configurationFile ?? administrators : administrators)
        }
    }

    /// The kinds of keys on a token, as far as they are seen without the PIN.
    private struct TokenFacts: Sendable {
        let serial: String
        /// By their names in kanal.conf.
        var families: Set<String> = []
        var hasRSA = false
    }

    private func facts(_ manager: TokenManager) async throws -> [TokenFacts] {
        var all: [TokenFacts] = []
        for token in try await manager.allTokens() {
            var facts = TokenFacts(serial: token.information.serialText)
            for object in (try? await token.perform { session in try session.otherObjects() }) ?? [] {
                switch object.kind {
                case .publicKey(.gost256), .publicKey(.gost512), .publicKey(.gost2001): facts.families.insert("gost")
                case .publicKey(.other): facts.families.insert("other-curves")
                case .publicKey(.rsa): facts.hasRSA = true
                default: break
                }
            }
            all.append(facts)
        }
        return all
    }
}
