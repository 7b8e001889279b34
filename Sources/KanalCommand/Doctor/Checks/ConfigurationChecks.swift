// SPDX-License-Identifier: Apache-2.0

import Configuration
import Glibc
import KanalKit
import Translation

/// `kanal.conf` of the administrator and of the user.
struct ConfigurationChecks {
    let person: CurrentUser
    let state: LocalState

    func findings() -> [Finding] {
        state.faults.map { fault in
            let problem = fault.placed
            guard fault.isError else {
                return .warning("configuration.effect", problem, remedy: edit(fault))
            }
            if fault.line == nil, let remedy = opening(fault.file) {
                return .error("configuration.access", problem, remedy: remedy)
            }
            return .error("configuration.line", problem, remedy: edit(fault))
        }
    }

    private func edit(_ fault: LocalState.Fault) -> Phrase {
        let place = (fault.line.map { "+\($0) " } ?? "") + fault.file.quoted
        let isOwn = Files.status(fault.file)?.owner == person.id && !person.isRoot
        return isOwn ? .command("editor \(place)") : person.asRoot("editor \(place)")
    }

    /// The command that makes a file readable for the library; nil if it is what is in the file that is wrong.
    private func opening(_ file: String) -> Phrase? {
        guard let status = Files.status(file), status.isFile else { return nil }
        if status.owner != person.id, status.owner != 0 { return person.asRoot("chown \(person.name) \(file.quoted)") }
        let asOwner = status.owner == person.id ? Phrase.command : person.asRoot
        if status.mode & 0o022 != 0 { return asOwner("chmod go-w \(file.quoted)") }
        return Files.allows(R_OK, file) ? nil : asOwner("chmod a+r \(file.quoted)")
    }
}

/// The user's directories, where pairings and settings lie.
struct HomeChecks {
    let person: CurrentUser
    let state: LocalState

    func findings() -> [Finding] {
        let ignored = state.ignoredDirectories.map {
            Finding.error("home.foreign", $0.reason, remedy: unset($0.variable))
        }
        guard let home = state.home else {
            let known: Phrase =
                state.knownHome.map { "\"\($0)\" does not belong to this user" } ?? "the system knows none"
            return ignored + [
                .error(
                    "home.missing",
                    "user \(person.name) has no home directory, so that nothing can be activated: \(known)",
                    remedy: state.knownHome.map(make) ?? "Set HOME to a directory of this user")
            ]
        }
        guard Files.exists(home) else {
            return ignored + [
                .error("home.missing", "the home directory \(home) does not exist", remedy: make(home))
            ]
        }
        return ignored
    }

    /// The command that has the variable count that the library would not follow.
    private func unset(_ variable: String) -> Phrase {
        guard variable == "HOME", let known = state.knownHome, Files.status(known)?.owner == person.id else {
            return .command("unset \(variable)")
        }
        return .command("export HOME=\(known.quoted)")
    }

    private func make(_ path: String) -> Phrase {
        person.asRoot("install -d -m 700 -o \(person.id) -g \(person.group) \(path.quoted)")
    }
}

/// OpenSSL's engine `pkcs11` up to libp11 0.4.12, and pkcs11-provider 1.0, find no RSA key beside a GOST key on a token.
struct HiddenKeysCheck {
    /// The user's `kanal.conf`; nil without a home.
    let configurationFile: String?

    func findings(_ manager: TokenManager) async -> [Finding] {
        guard let program = await Deadline.run({ isSettled ? nil : installed }) ?? nil else { return [] }
        let serial = try? await Deadline.run {
            for token in try await manager.allTokens() {
                let objects = (try? await token.perform { session in try session.otherObjects() }) ?? []
                if objects.contains(where: \.isOfGOST), objects.contains(where: \.isOfRSA) {
                    return token.information.serialText
                }
            }
            return nil
        }
        guard let serial = serial ?? nil else { return [] }
        return [
            .warning(
                "openssl.keys",
                "the token \(serial) has a GOST key, beside which \(program) of some versions does not find its RSA key",
                remedy:
                    "In /etc/kanal/kanal.conf add, for each program that uses it: [program NAME], and below hide_gost_keys = on"
            )
        ]
    }

    /// Whether a file hides GOST keys, from whichever program.
    private var isSettled: Bool {
        ["/etc/kanal/kanal.conf", configurationFile].compactMap(\.self).contains { file in
            (Files.content(file) ?? "").split(whereSeparator: \.isNewline).contains { line in
                line.filter { !$0.isWhitespace }.hasPrefix("hide_gost_keys=on")
            }
        }
    }

    /// The installed one of the two, as a person calls it.
    private var installed: Phrase? {
        let engines = OpenSSLCheck.folders
        if engines.contains(where: { Files.exists($0 + "/pkcs11.so") }) { return "OpenSSL's engine pkcs11" }
        let hasProvider = OpenSSLCheck.libraries.contains { Files.exists($0 + "/ossl-modules/pkcs11.so") }
        return hasProvider ? .command("pkcs11-provider") : nil
    }
}

extension OtherObject {
    fileprivate var isOfGOST: Bool {
        [.publicKey(.gost256), .publicKey(.gost512), .publicKey(.gost2001)].contains(kind)
    }

    fileprivate var isOfRSA: Bool {
        if case .publicKey(.rsa) = kind { true } else { false }
    }
}
