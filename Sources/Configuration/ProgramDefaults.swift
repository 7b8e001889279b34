// SPDX-License-Identifier: Apache-2.0

package import Token

/// The defaults of single programs, which are known to fail with some keys. `Packaging/kanal.conf` shows them.
package enum ProgramDefaults {
    /// Programs that log users in by PAM, or unlock screens.
    package static let pamPrograms = [
        "login", "su", "sudo", "sshd", "sshd-session", "gdm-session-worker", "lightdm", "sddm-helper",
        "polkit-agent-helper-1", "xscreensaver-auth",
    ]

    /// The keys that are hidden from a program, by the name of its executable.
    package static let hiddenKeys: [String: KeyFamilies] = {
        var table: [String: KeyFamilies] = [
            // Prints other keys as if they were known, and its agent can end at them.
            "ssh": [.gost, .otherCurves], "ssh-keygen": [.gost, .otherCurves],
            "ssh-pkcs11-helper": [.gost, .otherCurves],
            // 0.10 finds no card if there is such a certificate.
            "gnupg-pkcs11-scd": .gost,
            // Ends at a certificate whose key NSS does not know.
            "pdfsig": .gost,
            // Find no key beside one by libp11's engine, and make signatures with it by Kanal's that nothing verifies.
            "sbsign": .gost, "osslsigncode": .gost,
        ]
        // Those whose PAM stack may have pam_p11.
        for program in pamPrograms { table[program] = .gost }
        return table
    }()

    /// The names of these programs.
    package static var programs: [String] { hiddenKeys.keys.sorted() }
}

extension Configuration {
    /// The families, by their names in settings, that a program's default hides, and that this configuration of it shows.
    package func familiesShown(to program: String) -> [String] {
        let shown = ProgramDefaults.hiddenKeys[program, default: []].subtracting(policy.hiddenKeys)
        return KeyFamilies.names.filter { shown.contains($0.value) }.map(\.key)
    }
}
