// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalKit
import Translation

/// OpenSSL's library, by which this one computes, and OpenSSL as other programs use tokens by it.
struct OpenSSLCheck {
    let person: Person

    func findings() -> [Finding] { library() + EngineCheck(person: person).findings() }

    private func library() -> [Finding] {
        guard !HostLibrary.isUsable else { return [] }
        return [
            .error(
                "openssl.library",
                "libcrypto.so.4 or .3 with all functions cannot be loaded: keys of RSA and ECDSA, SHA and messages fail",
                remedy: person.install(debian: "libssl3", fedora: "openssl-libs", arch: "openssl"))
        ]
    }

    /// Where OpenSSL looks for engines: in what the environment names, or below its own libraries.
    static var folders: [String] {
        if let named = unsafe getenv("OPENSSL_ENGINES") { return [unsafe String(cString: named)] }
        return
            libraries
            .flatMap { folder in ["engines-3", "engines-1.1", "openssl/engines"].map { "\(folder)/\($0)" } }
            .filter { Files.exists($0) }
    }

    /// Where libraries lie.
    static var libraries: [String] {
        let families = Files.names(in: "/usr/lib").filter { $0.contains("-linux-") }.map { "/usr/lib/" + $0 }
        return families + ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"]
    }
}
