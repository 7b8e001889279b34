// SPDX-License-Identifier: Apache-2.0

import Configuration
import Terminal
import Translation

/// Settings of other programs by which they use a token in another way than was meant.
struct ProgramChecks {
    let person: CurrentUser
    /// The user's `kanal.conf`; nil without a home.
    let configurationFile: String?

    func findings() -> [Finding] { kerberos + wirelessNetworks + smartCardLogin + encryptedVolumes }

    /// Whether a program is in one of the system's directories. Programs that only some PAM module makes a client of
    /// tokens count with that module.
    static func isInstalled(_ program: String) -> Bool {
        let libraries = OpenSSLCheck.libraries
        if ProgramDefaults.pamPrograms.contains(program) {
            let families = libraries + Files.names(in: "/lib").map { "/lib/" + $0 }
            guard families.contains(where: { Files.exists($0 + "/security/pam_p11.so") }) else { return false }
        }
        let folders =
            ["/usr/bin", "/bin", "/usr/sbin", "/usr/libexec"]
            + ["openssh", "polkit-1", "xscreensaver"].flatMap { ["/usr/lib/\($0)", "/usr/libexec/\($0)"] }
            + libraries.map { $0 + "/sddm" }
        return folders.contains { Files.exists("\($0)/\(program)") }
    }

    /// MIT Kerberos reads `slotid` as a decimal number: everything else is slot 0, where a PIN is then tried.
    private var kerberos: [Finding] {
        let files = ["/etc/krb5.conf"] + included(in: "/etc/krb5.conf.d", isPlainNameRead: true)
        return files.flatMap { file in
            settings(file).compactMap { line, text in
                guard text.contains("PKCS11:"), let start = text.firstRange(of: "slotid=")?.upperBound else {
                    return nil
                }
                let number = text[start...].prefix { !":, \t".contains($0) }
                guard !number.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
                return .warning(
                    "programs.kerberos",
                    "\(file), line \(line): Kerberos reads slotid as a decimal number, and \"\(String(number))\" as slot 0: the PIN is then tried on the token there",
                    remedy: person.asRoot("editor +\(line) \(file.quoted)"))
            }
        }
    }

    /// wpa_supplicant reads a value without quotes as hexadecimal digits, and tries the PIN at each start.
    private var wirelessNetworks: [Finding] {
        let folder = "/etc/wpa_supplicant"
        return Files.names(in: folder).filter { $0.hasSuffix(".conf") }.map { "\(folder)/\($0)" }.flatMap { file in
            settings(file).compactMap { line, text in
                guard text.hasPrefix("pin="), !isText(text.dropFirst(4)) else { return nil }
                return .warning(
                    "programs.wpa-supplicant",
                    "\(file), line \(line): wpa_supplicant reads a pin without quotes as hexadecimal digits, so that each start spends a try",
                    remedy: person.asRoot("editor +\(line) \(file.quoted)"))
            }
        }
    }

    /// Whether wpa_supplicant reads a value as the text that was meant: it is in quotes, or the hexadecimal digits of digits.
    private func isText(_ value: Substring) -> Bool {
        guard !value.hasPrefix("\""), !value.hasPrefix("P\"") else { return true }
        let digits = Array(value.utf8)
        return digits.count.isMultiple(of: 2)
            && stride(from: 0, to: digits.count, by: 2).allSatisfy { digits[$0] == UInt8(ascii: "3") }
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// SSSD 2.8 does not log in to a token that asks for its PIN by itself, as one with `authenticator` does; and of
    /// several modules it uses the first that has a token, such as OpenSC's, which finds no certificate on it.
    private var smartCardLogin: [Finding] {
        let files = ["/etc/sssd/sssd.conf"] + included(in: "/etc/sssd/conf.d")
        let lines = files.flatMap(settings).map { $0.text.filter { !$0.isWhitespace } }
        guard lines.contains(where: { $0.lowercased() == "pam_cert_auth=true" }) else { return [] }
        var findings: [Finding] = []
        let read = try? Configuration(
            reading: "/etc/kanal/kanal.conf", user: configurationFile, program: "p11_child")
        if read?.authenticator != nil {
            findings.append(
                .warning(
                    "programs.sssd",
                    "kanal.conf has an authenticator for SSSD's p11_child, which of some versions then does not log in to the token",
                    remedy: "In /etc/kanal/kanal.conf add: [program p11_child], and below an empty authenticator ="))
        }
        if Files.exists("/usr/share/p11-kit/modules/opensc-pkcs11.module"),
            !lines.contains(where: { $0.hasPrefix("p11_uri=") })
        {
            findings.append(
                .warning(
                    "programs.sssd",
                    "p11-kit has OpenSC's module, too, and SSSD uses the first one that has a token: it may find no certificate there",
                    remedy: "In /etc/sssd/sssd.conf, section [pam], add: p11_uri = pkcs11:library-manufacturer=Kanal"))
        }
        return findings
    }

    /// systemd opens volumes of `/etc/crypttab` before pcscd listens, unless they wait for the network, or for an
    /// administrator; those that wait are opened by a target that may be disabled.
    private var encryptedVolumes: [Finding] {
        let file = "/etc/crypttab"
        let isEnabled = Files.names(in: "/etc/systemd/system")
            .contains { Files.exists("/etc/systemd/system/\($0)/remote-cryptsetup.target") }
        return settings(file).compactMap { line, text in
            let fields = text.split(whereSeparator: \.isWhitespace)
            guard fields.count > 3 else { return nil }
            let (name, options) = (String(fields[0]), fields[3].split(separator: ","))
            guard options.contains(where: { $0.hasPrefix("pkcs11-uri=") }), !options.contains("noauto") else {
                return nil
            }
            guard options.contains("_netdev") else {
                return .warning(
                    "programs.crypttab",
                    "\(file), line \(line): the volume \(name) is opened before pcscd listens: systemd finds no token",
                    remedy: "Add _netdev to the options of the volume \(name) in /etc/crypttab")
            }
            guard !isEnabled else { return nil }
            return .warning(
                "programs.crypttab",
                "\(file), line \(line): the volume \(name) is opened by remote-cryptsetup.target, which is disabled",
                remedy: person.asRoot("systemctl enable remote-cryptsetup.target"))
        }
    }

    /// The files of a folder that are read as settings: not those of editors and packages, such as old~ and new.dpkg-dist.
    private func included(in folder: String, isPlainNameRead: Bool = false) -> [String] {
        Files.names(in: folder).filter { name in
            name.hasSuffix(".conf") && !name.hasPrefix(".")
                || isPlainNameRead && name.allSatisfy { $0.isLetter || $0.isNumber || "-_".contains($0) }
        }.map { "\(folder)/\($0)" }
    }

    /// The lines of a file with their numbers, without comments and the white space around.
    private func settings(_ file: String) -> [(line: Int, text: String)] {
        (Files.content(file) ?? "").split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            .map { (line: $0.offset + 1, text: $0.element.drop(while: \.isWhitespace)) }
            .filter { !$0.text.hasPrefix("#") && !$0.text.hasPrefix(";") }
            .map { (line: $0.line, text: String($0.text)) }
    }
}
