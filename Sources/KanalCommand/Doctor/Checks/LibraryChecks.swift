// SPDX-License-Identifier: Apache-2.0

import Glibc
import KanalKit
import Terminal
import Translation

/// The library that programs load: there once, of this version, and under both of its names.
struct LibraryChecks {
    let person: CurrentUser
    /// This command's version.
    let version: String

    private static let name = "libkanal-pkcs11.so"
    private static let vendorsName = "librtpkcs11ecp.so"
    private static let vendorsFolder = "/opt/aktivco/rutokenecp"
    private static let entries = "/usr/share/p11-kit/modules"

    func findings() -> [Finding] {
        guard let library = libraries.first else {
            return [
                .error(
                    "library.installed", "there is no \(Self.name) in \(folders.joined(separator: ", "))",
                    remedy:
                        "Install the package libkanal-pkcs11, or in the directory of Kanal's sources: \(person.asRoot("make install"))"
                )
            ]
        }
        return [otherVersion(library), duplicate].compactMap { $0 } + vendors + entry(library)
    }

    /// The directory of the installation that this command belongs to, as in PREFIX/bin.
    private var prefix: String? {
        guard let program = Files.resolved("/proc/self/exe") else { return nil }
        let folder = Files.parent(program)
        return folder.hasSuffix("/bin") ? String(folder.dropLast(4)) : nil
    }

    /// The folders of libraries, this installation's first.
    private var folders: [String] {
        let families = Files.names(in: "/usr/lib").filter { $0.contains("-linux-") }.map { "/usr/lib/" + $0 }
        var folders = (prefix.map { [$0 + "/lib"] } ?? []) + ["/usr/local/lib", "/usr/lib", "/usr/lib64"] + families
        // In the build tree it is beside the command.
        if prefix == nil, let program = Files.resolved("/proc/self/exe") { folders.append(Files.parent(program)) }
        return folders.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The libraries, each file once, by whatever paths it is reached.
    private var libraries: [String] {
        var seen: [Files.Status] = []
        return folders.map { "\($0)/\(Self.name)" }.filter { path in
            guard let status = Files.status(path), !seen.contains(status) else { return false }
            seen.append(status)
            return true
        }
    }

    private func otherVersion(_ library: String) -> Finding? {
        let description = Files.parent(library) + "/pkgconfig/kanal-pkcs11.pc"
        let line = Files.lines(description).first { $0.hasPrefix("Version: ") }
        guard let other = line?.dropFirst("Version: ".count), other != version else { return nil }
        return .warning(
            "library.version", "\(library) is of version \(other), and this command of \(version)",
            remedy:
                "Install packages of one version, or in the directory of Kanal's sources: \(person.asRoot("make install"))"
        )
    }

    private var duplicate: Finding? {
        guard libraries.count > 1 else { return nil }
        return .warning(
            "library.copies",
            "there are several copies, and programs may load any: \(libraries.joined(separator: ", "))",
            remedy: person.asRoot("rm \(libraries[1].quoted)"))
    }

    /// Programs that name the vendor's library get the vendor's driver, which knows neither the pairings nor the channel.
    private var vendors: [Finding] {
        let vendorsOwn = Files.names(in: Self.vendorsFolder).map { "\(Self.vendorsFolder)/\($0)" }
        let places = (folders + vendorsOwn).map { "\($0)/\(Self.vendorsName)" }
        return places.compactMap { path in
            guard let resolved = Files.resolved(path), !resolved.hasSuffix("/" + Self.name) else { return nil }
            let package = owner(of: path)
            return .warning(
                "library.vendor",
                "\(path) is not Kanal: programs that ask for this name load another library for the same tokens",
                remedy: person.asRoot(
                    package.map { "apt-get remove \($0.quoted)" } ?? "mv \(path.quoted) \((path + ".other").quoted)"))
        }
    }

    /// The Debian package that has installed a file; nil if there is none.
    private func owner(of path: String) -> String? {
        let folder = "/var/lib/dpkg/info"
        let list = Files.names(in: folder).first { name in
            name.hasSuffix(".list") && name.contains("rtpkcs11") && Files.lines("\(folder)/\(name)").contains(path)
        }
        return list.map { String($0.dropLast(".list".count).prefix { $0 != ":" }) }
    }

    /// p11-kit's entry for the library, by which most programs find it.
    private func entry(_ library: String) -> [Finding] {
        guard Files.exists(Self.entries) else { return [] }
        let named = [Self.entries, "/etc/pkcs11/modules"].flatMap { folder in
            Files.names(in: folder).filter { $0.hasSuffix(".module") }.compactMap { name in
                module(in: "\(folder)/\(name)").map { (file: "\(folder)/\(name)", module: $0) }
            }
        }
        let line = "module: \(library)"
        // Without a path it is in p11-kit's own directory.
        if let lost = named.first(where: { $0.module.hasPrefix("/") && !Files.exists($0.module) }) {
            return [
                .error(
                    "p11kit.entry", "\(lost.file) names \(lost.module), which does not exist",
                    remedy: .command("echo \(line.quoted) | \(person.asRoot("tee \(lost.file.quoted)"))"))
            ]
        }
        guard named.isEmpty else { return [] }
        return [
            .warning(
                "p11kit.entry", "p11-kit does not know the library: no file in \(Self.entries) names it",
                remedy: .command("echo \(line.quoted) | \(person.asRoot("tee \(Self.entries)/kanal.module"))"))
        ]
    }

    /// The library that a file of p11-kit names, if it is this one.
    private func module(in file: String) -> String? {
        for line in Files.lines(file) {
            let parts = line.split(separator: ":", maxSplits: 1).map { part in
                String(part.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
            }
            if parts.count == 2, parts[0] == "module", parts[1].hasSuffix(Self.name) { return parts[1] }
        }
        return nil
    }
}
