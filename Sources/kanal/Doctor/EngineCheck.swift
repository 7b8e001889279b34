// SPDX-License-Identifier: Apache-2.0
import Translation

/// OpenSSL's engine for GOST, by which other programs verify what a token signs, and the engine `kanal` uses GOST keys.
struct EngineCheck {
    let person: Person

    func findings() -> [Finding] {
        guard hasEngines else {
            return [
                .warning(
                    "openssl.engines",
                    "OpenSSL 4 has no engines, so that its programs neither verify GOST signatures nor use GOST keys of a token",
                    remedy: "Verify with kanal verify, or GnuTLS's certtool; use other keys by pkcs11-provider")
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
                    ? "Install libengine-gost-openssl of the next Debian release, or verify with kanal verify"
                    : "Verify with kanal verify, or GnuTLS's certtool")
        ]
    }

    /// Whether programs may find an OpenSSL that has engines: the fourth has none.
    private var hasEngines: Bool {
        func has(_ library: String) -> Bool { OpenSSLCheck.libraries.contains { Files.exists("\($0)/\(library)") } }
        return has("libcrypto.so.3") || !has("libcrypto.so.4")
    }
}
