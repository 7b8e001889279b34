// SPDX-License-Identifier: Apache-2.0

import Glibc
import KanalKit
import Terminal
import Translation

/// OpenSSL's engine for GOST, by which other programs verify what a token signs, and the engine `kanal` uses GOST keys, where the
/// provider `kanal` is not active.
struct EngineCheck {
    let person: CurrentUser

    func findings() -> [Finding] {
        guard hasEngines else {
            return [
                .warning(
                    "openssl.engines",
                    "OpenSSL 4 has no engines, and its settings no provider for GOST: its programs neither verify GOST signatures nor use GOST keys of a token",
                    remedy:
                        "Install kanal-openssl-provider and take over the lines of kanal-provider.cnf, or verify with kanal verify"
                )
            ]
        }
        let folders = OpenSSLCheck.folders
        guard !folders.contains(where: { Files.exists($0 + "/gost.so") }) else { return [] }
        let seen: Phrase =
            folders.isEmpty ? "OpenSSL has no directory of engines" : "no gost.so in \(folders.joined(separator: ", "))"
        guard let system = person.systemWithoutEngine else {
            return [
                .warning(
                    "openssl.gost", "OpenSSL lacks the engine for GOST: \(seen)",
                    remedy: person.install(
                        debian: "libengine-gost-openssl", fedora: "openssl-gost-engine", arch: "openssl-gost-engine"))
            ]
        }
        return [
            .warning(
                "openssl.gost", "OpenSSL lacks the engine for GOST, of which \(system) has no package: \(seen)",
                remedy: person.isDebian
                    ? "Install libengine-gost-openssl of the next Debian release or kanal-openssl-provider, or verify with kanal verify"
                    : "Install kanal-openssl-provider, or verify with kanal verify")
        ]
    }

    /// Whether programs may find an OpenSSL that has engines: the fourth has none.
    private var hasEngines: Bool {
        func has(_ library: String) -> Bool { OpenSSLCheck.libraries.contains { Files.exists("\($0)/\(library)") } }
        return has("libcrypto.so.3") || !has("libcrypto.so.4")
    }
}

/// OpenSSL's library, by which this one computes, and OpenSSL as other programs use tokens by it.
struct OpenSSLCheck {
    let person: CurrentUser

    func findings() -> [Finding] {
        let provider = ProviderCheck(person: person)
        return library() + provider.findings() + (provider.isActive ? [] : EngineCheck(person: person).findings())
    }

    private func library() -> [Finding] {
        guard !HostLibrary.isUsable else { return [] }
        return [
            .error(
                "openssl.library",
                "libcrypto.so.4 or .3 with all functions cannot be loaded: keys of RSA and ECDSA, SHA and messages fail",
                remedy: person.install(debian: "libssl3", fedora: "openssl-libs", arch: "openssl"))
        ]
    }

    /// The directory of OpenSSL's engines: in what the environment names, or below its own libraries.
    static var folders: [String] {
        if let named = ProgramContext.current.variable("OPENSSL_ENGINES") { return [named] }
        return
            libraries
            .flatMap { folder in ["engines-3", "engines-1.1", "openssl/engines"].map { "\(folder)/\($0)" } }
            .filter { Files.exists($0) }
    }

    /// The folders of libraries.
    static var libraries: [String] {
        let families = Files.names(in: "/usr/lib").filter { $0.contains("-linux-") }.map { "/usr/lib/" + $0 }
        return families + ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"]
    }
}
