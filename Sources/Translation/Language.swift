// SPDX-License-Identifier: Apache-2.0
import CHostProcess
import Glibc
import HostProcess

/// A text in the language of the process's environment; in English without a catalogue for it.
package func translated(_ phrase: Phrase) -> String { phrase.text(in: Language.catalogue) }

/// The language that the environment asks for, and where its catalogue lies.
package enum Language {
    /// Read once. A program with more rights than the user who started it ignores the variables and stays English.
    package static let catalogue = find(names(Environment.variable), in: directories)

    /// The languages that are wanted, the best first, by the rules of gettext: `LANGUAGE` counts if there is a locale
    /// at all. Texts are in UTF-8, so nothing is translated for a terminal with a different encoding.
    package static func names(_ variable: (String) -> String?) -> [String] {
        func locale(_ category: String) -> String {
            variable("LC_ALL") ?? variable(category) ?? variable("LANG") ?? "C"
        }
        let messages = locale("LC_MESSAGES")
        guard messages != "C", messages != "POSIX", isUTF8(locale("LC_CTYPE")) else { return [] }
        let wanted = variable("LANGUAGE")?.split(separator: ":").map(String.init) ?? [messages]
        // Languages after one in which the texts are written have no effect.
        let names = wanted.prefix(8).map(base).prefix { !["en", "C", "POSIX"].contains($0.prefix { $0 != "_" }) }
        return names.flatMap { name in
            let language = String(name.prefix { $0 != "_" })
            return name == language ? [name] : [name, language]
        }.filter(isName)
    }

    /// The first catalogue that there is.
    package static func find(_ names: [String], in directories: @autoclosure () -> [String]) -> Catalogue? {
        guard !names.isEmpty else { return nil }
        let directories = directories()
        for name in names {
            for directory in directories {
                if let found = Catalogue(path: "\(directory)/\(name)/LC_MESSAGES/kanal.mo") { return found }
            }
        }
        return nil
    }

    /// The installation's own directory, beside the library's or the program's, and the system's.
    private static var directories: [String] {
        let own = file.flatMap { file in
            file.lastIndex(of: "/").map { String(file[..<$0]) + "/../share/locale" }
        }
        return [own, "/usr/local/share/locale", "/usr/share/locale"].compactMap { $0 }
    }

    /// The file that this code was loaded from.
    private static var file: String? {
        if let name = unsafe loaded_from().flatMap({ unsafe String(validatingCString: $0) }), name.hasPrefix("/") {
            return name
        }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        guard count > 0 else { return nil }
        return String(validating: path.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Language and country of a locale: `ru_RU` of `ru_RU.UTF-8`.
    private static func base(_ locale: String) -> String { String(locale.prefix { $0 != "." && $0 != "@" }) }

    private static func isUTF8(_ locale: String) -> Bool {
        let encoding = locale.drop { $0 != "." }.dropFirst().prefix { $0 != "@" }
        return encoding.filter { $0 != "-" }.lowercased() == "utf8"
    }

    /// Whether it can be the name of a directory and nothing else.
    private static func isName(_ text: String) -> Bool {
        (2...16).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            }
    }
}
