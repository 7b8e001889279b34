// SPDX-License-Identifier: Apache-2.0
import Terminal
import Translation

/// pcscd and libpcsclite of different versions, as in containers and Flatpak, which bring a libpcsclite of their own.
struct ServiceVersions {
    let probe: ServiceProbe
    /// pcscd; nil if it is not seen from here.
    let service: RunningProcess?

    static let remedy: Phrase =
        "Use the same version of libpcsclite and pcscd: in a container or Flatpak that of the machine that runs pcscd"

    var finding: Finding {
        .error(
            "pcscd.version",
            """
            libpcsclite (\(library)) and pcscd (\(daemon)) are of different versions, and do not understand each other
            """, remedy: Self.remedy)
    }

    /// The file that this process has loaded, with its package's version on Debian.
    private var library: Phrase {
        let lines = Files.content("/proc/self/maps", limit: 4 << 20)?.split(separator: "\n") ?? []
        let file = lines.lazy.compactMap { $0.split(separator: " ").last.map(String.init) }
            .first { $0.contains("/libpcsclite.so") }
        let package = Self.version(ofPackage: "libpcsclite1")
        switch (file, package) {
        case (let file?, let package?): return "\(file), \(package)"
        case (let file?, nil): return Phrase(verbatim: file)
        case (nil, let package?): return Phrase(verbatim: package)
        case (nil, nil): return "an unknown version"
        }
    }

    private var daemon: Phrase {
        let spoken: Phrase = probe.version.map { "protocol \($0)" } ?? "an unknown protocol"
        let version: Phrase = (service?.pcscdVersion).map { "\($0), \(spoken)" } ?? spoken
        return service.map { "\($0.phrase), \(version)" } ?? version
    }

    /// The version of an installed package, as dpkg has noted it.
    private static func version(ofPackage name: String) -> String? {
        let status = Files.content("/var/lib/dpkg/status", limit: 32 << 20) ?? ""
        var isMeant = false
        for line in status.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { isMeant = false }
            if line == "Package: \(name)" { isMeant = true }
            if isMeant, line.hasPrefix("Version: ") { return String(line.dropFirst("Version: ".count)) }
        }
        return nil
    }
}

extension RunningProcess {
    /// The version that its program prints; nil if it cannot run. Only a program of root's is run, and none that is in
    /// a container.
    fileprivate var pcscdVersion: String? {
        guard let program = Files.link("/proc/\(id)/exe"), let status = Files.status(program), status.isFile,
            status.owner == 0, status.mode & 0o022 == 0,
            Files.link("/proc/\(id)/ns/mnt") == Files.link("/proc/self/ns/mnt"),
            let child = try? ChildProgram([program, "--version"], environment: ["LC_ALL=C"]),
            let result = try? child.run(input: [], limit: 1 << 16, until: .now + .seconds(2)), result.status == 0
        else { return nil }
        // "pcsc-lite version 1.9.9."
        let words = String(decoding: result.output, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count > 2, words[0] == "pcsc-lite", words[1] == "version" else { return nil }
        var number = String(words[2])
        while number.last == "." { number.removeLast() }
        return number
    }
}
