// SPDX-License-Identifier: Apache-2.0

import Glibc
import Terminal
import Translation

/// OpenSSL's provider `kanal`, and whether its settings leave the default provider on.
struct ProviderCheck {
    let person: CurrentUser
    private let settings = OpenSSLSettings()

    init(person: CurrentUser) { self.person = person }

    /// Whether programs use GOST keys and verify GOST signatures by the provider.
    var isActive: Bool { settings.providers.contains { $0.name == "kanal" && $0.isActive } && isInstalled }

    func findings() -> [Finding] {
        guard let file = settings.file else { return [] }
        return defaultProvider(file) + module(file)
    }

    /// A section of providers, of which one is active, turns the default provider off unless it activates that, too.
    private func defaultProvider(_ file: String) -> [Finding] {
        guard let section = settings.section, settings.providers.contains(where: \.isActive),
            !settings.providers.contains(where: { $0.name == "default" && ($0.isActive || $0.isElsewhere) })
        else { return [] }
        return [
            .error(
                "openssl.default",
                "\(file) turns OpenSSL's default provider off: [\(section)] activates others, and not this one",
                remedy:
                    "In \(file) add to [\(section)]: default = default_provider, and a section [default_provider] with: activate = 1"
            )
        ]
    }

    private func module(_ file: String) -> [Finding] {
        guard let section = settings.section,
            let provider = settings.providers.first(where: { $0.name == "kanal" && $0.isActive })
        else { return [] }
        guard isInstalled || provider.values["module"] != nil else {
            return [
                .error(
                    "openssl.provider", "\(file) activates the provider kanal, which is not installed",
                    remedy: "Install kanal-openssl-provider, or remove kanal from [\(section)] of \(file)")
            ]
        }
        let named = [("module", "kanal.so"), ("MODULE_PATH", "libkanal-pkcs11.so")].compactMap { key, name in
            provider.values[key].map { (key: key, path: $0, name: name) }
        }
        guard let lost = named.first(where: { $0.path.hasPrefix("/") && !Files.exists($0.path) }) else { return [] }
        return [
            .error(
                "openssl.provider", "\(file) names \(lost.path), which does not exist",
                remedy: "In \(file) correct \(lost.key), or remove it, for \(lost.name) is found without it")
        ]
    }

    /// Whether OpenSSL finds the provider: in what the environment names, or below its own libraries.
    private var isInstalled: Bool {
        if let named = ProgramContext.current.variable("OPENSSL_MODULES") {
            return Files.exists(named + "/kanal.so")
        }
        return OpenSSLCheck.libraries.contains { Files.exists("\($0)/ossl-modules/kanal.so") }
    }
}

/// The providers in a configuration file of OpenSSL (config(5ssl)).
private struct OpenSSLSettings {
    struct Provider {
        let name: String
        /// The entries of its section.
        let values: [String: String]
        /// Its section is not in the file, and may be in an included file.
        let isElsewhere: Bool

        var isActive: Bool { ["1", "yes", "true", "on"].contains(values["activate"]?.lowercased()) }
    }

    /// nil if there is none.
    let file: String?
    /// The section that lists the providers.
    let section: String?
    let providers: [Provider]

    private static let files = ["/etc/ssl/openssl.cnf", "/etc/pki/tls/openssl.cnf", "/usr/local/ssl/openssl.cnf"]

    init() {
        let file =
            ProgramContext.current.variable("OPENSSL_CONF")
            ?? Self.files.first { Files.exists($0) }
        let sections = file.map { Self.sections(of: $0) } ?? [:]
        let includes = sections.values.contains { $0.contains { $0.name.hasPrefix(".include") } }
        let main = sections["default"]?.last { $0.name == "openssl_conf" }?.value
        section = main.flatMap { sections[$0]?.last { $0.name == "providers" }?.value }
        providers = (section.flatMap { sections[$0] } ?? []).map { entry in
            let values = sections[entry.value]
            return Provider(
                name: entry.name, values: Dictionary(values?.map { ($0.name, $0.value) } ?? []) { $1 },
                isElsewhere: values == nil && includes)
        }
        self.file = file.flatMap { Files.exists($0) ? $0 : nil }
    }

    /// The entries of each section; those before the first are in "default".
    private static func sections(of file: String) -> [String: [(name: String, value: String)]] {
        var sections: [String: [(name: String, value: String)]] = [:]
        var section = "default"
        for line in Files.lines(file) {
            let text = trimmed(line.prefix { $0 != "#" })
            if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
                section = trimmed(text[..<end].dropFirst())
                sections[section] = sections[section] ?? []
            } else if !text.isEmpty {
                let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
                let value = halves.count == 2 ? halves[1].filter { $0 != "\"" && $0 != "'" } : ""
                sections[section, default: []].append((halves[0], value))
            }
        }
        return sections
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
    private static func trimmed(_ text: String) -> String { trimmed(text[...]) }
}
