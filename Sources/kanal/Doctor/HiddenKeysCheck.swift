// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalKit
import Translation

/// OpenSSL's engine `pkcs11` up to libp11 0.4.12, and pkcs11-provider 1.0, find no RSA key beside a GOST key on a token.
struct HiddenKeysCheck {
    /// The user's `kanal.conf`; nil without a home.
    let configurationFile: String?

    func findings(_ manager: TokenManager) async -> [Finding] {
        guard let program = await Deadline.run({ isSettled ? nil : installed }) ?? nil else { return [] }
        let serial = try? await Deadline.run {
            for token in try await manager.allTokens() {
                let objects = (try? await token.perform { session in try session.otherObjects() }) ?? []
                if objects.contains(where: \.isOfGOST) { return token.information.serialNumber.hexadecimal }
            }
            return nil
        }
        guard let serial = serial ?? nil else { return [] }
        return [
            .warning(
                "openssl.keys",
                "the token \(serial) has a GOST key, beside which \(program) of some versions finds no RSA key",
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

    /// What is installed of the two, as a person calls it.
    private var installed: Phrase? {
        let engines = OpenSSLCheck.folders
        if engines.contains(where: { Files.exists($0 + "/pkcs11.so") }) { return "OpenSSL's engine pkcs11" }
        let hasProvider = OpenSSLCheck.libraries.contains { Files.exists($0 + "/ossl-modules/pkcs11.so") }
        return hasProvider ? .command("pkcs11-provider") : nil
    }
}

extension OtherObject {
    fileprivate var isOfGOST: Bool { [.publicKey(.gost256), .publicKey(.gost512)].contains(kind) }
}
