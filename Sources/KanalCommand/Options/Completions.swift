// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Terminal

extension CompletionKind {
    /// The forms of sources of secrets, variables of the environment, and files.
    static let sources = CompletionKind.custom { _, _, word in Completions.sources(word).forShell }

    /// The same for secrets that the authenticator is asked for, too.
    static let askedSources = CompletionKind.custom { _, _, word in
        Completions.sources(word, "authenticator").forShell
    }

    /// The IPv4 addresses of hosts(5).
    static let addresses = CompletionKind.custom { _, _, _ in
        (["127.0.0.1"] + Files.lines("/etc/hosts").compactMap(Completions.address)).unique
    }

    /// Tunnels to the hosts of ssh_config(5) that are named without patterns.
    static let tunnels = CompletionKind.custom { _, _, _ in
        let home = ProgramContext.current.variable("HOME") ?? ""
        return Files.lines(home + "/.ssh/config").flatMap(Completions.hosts).unique
            .map { ["ssh", $0, "kanal", "share", "--far-end"].joined(separator: " ") }
    }
}

/// The words that a shell offers. None has a character that a terminal would not show.
private enum Completions {
    /// The most files of a directory.
    private static let limit = 4096

    static func sources(_ word: String, _ others: String...) -> [String] {
        if word.hasPrefix("env:") { return variables().map { "env:" + $0 } }
        if word.hasPrefix("file:") { return paths(word.dropFirst(5)).map { "file:" + $0 } }
        return word.hasPrefix("/") || word.hasPrefix(".") ? paths(word[...]) : ["file:", "env:", "fd:", "-"] + others
    }

    /// Names of variables that are exported (environ(7)).
    private static func variables() -> [String] {
        let names =
            ProgramContext.current.variables.map { Array($0.keys) }
            ?? (Files.content("/proc/self/environ") ?? "").split(separator: "\0").map { entry in
                String(entry.prefix { $0 != "=" })
            }
        return names.filter { !$0.isEmpty && $0 == $0.printable }.sorted()
    }

    /// The paths that begin so; directories end with a slash.
    private static func paths(_ start: Substring) -> [String] {
        let folder = start.lastIndex(of: "/").map { start[...$0] } ?? ""
        let paths = Files.names(in: folder.isEmpty ? "." : String(folder), limit: limit).map { "\(folder)\($0)" }
        return paths.filter { $0.hasPrefix(start) && $0 == $0.printable }
            .map { Files.status($0)?.isDirectory == true ? "\($0)/" : $0 }
    }

    /// The address at the beginning of a line of hosts(5).
    static func address(_ line: String) -> String? {
        guard let first = words(line).first else { return nil }
        let numbers = first.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil } ? first : nil
    }

    /// The names of a line that begins with Host.
    static func hosts(_ line: String) -> [String] {
        let words = words(line)
        guard words.first?.lowercased() == "host" else { return [] }
        return words.dropFirst().filter { name in
            name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_".contains($0)) } && !name.hasPrefix("-")
        }
    }

    private static func words(_ line: String) -> [String] {
        line.split { $0 == " " || $0 == "\t" }.map(String.init)
    }
}

extension [String] {
    /// The words as the shell that asks wants them: in zsh, a description is behind ":" (zshcompsys(1), _describe).
    var forShell: [String] {
        guard CompletionShell.requesting == .zsh else { return self }
        return map { $0.replacing("\\", with: "\\\\").replacing(":", with: "\\:") }
    }

    /// Each once, in this order.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
