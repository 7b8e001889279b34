// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Terminal
import Translation

/// An object that people name by its label or its identifier.
protocol NamedObject {
    var label: String { get }
    var id: [UInt8] { get }
}

extension KeyPair: NamedObject {}

extension TokenCertificate: NamedObject {}

extension NamedObject {
    /// Whether this is its label, or its identifier in hexadecimal digits.
    func isCalled(_ name: String) -> Bool {
        label == name || (!id.isEmpty && id.hexadecimal == name.lowercased().filter { $0 != ":" })
    }

    /// The name that is shown to people.
    var caption: String { label.isEmpty ? id.hexadecimal : "\(label) (\(id.hexadecimal))" }
}

/// The kinds of named objects, in sentences.
enum NamedKind {
    case key, certificate, signingCertificate

    var none: Phrase {
        switch self {
        case .key: "there is no key on the token"
        case .certificate: "there is no certificate on the token"
        case .signingCertificate: "there is no signing certificate on the token"
        }
    }

    /// The beginning of a sentence that a name follows.
    var noneCalled: Phrase {
        switch self {
        case .key: "no key on the token is called"
        case .certificate: "no certificate on the token is called"
        case .signingCertificate: "no signing certificate on the token is called"
        }
    }

    var several: Phrase {
        switch self {
        case .key: "there are several keys on the token"
        case .certificate: "there are several certificates on the token"
        case .signingCertificate: "there are several signing certificates on the token"
        }
    }
}

extension Collection where Element: NamedObject {
    /// The object with a name; without a name, the only one.
    ///
    /// - Parameters:
    ///   - kind: The kind of the objects.
    ///   - option: The option that names one, if it is an option.
    func only(named name: String?, _ kind: NamedKind, by option: String? = nil) throws -> Element {
        let matches = name.map { name in filter { $0.isCalled(name) } } ?? Array(self)
        if let first = matches.first, matches.count == 1 { return first }
        guard !isEmpty else { throw CommandError(.failed, kind.none) }
        let captions = (matches.isEmpty ? Array(self) : matches).map(\.caption).joined(separator: ", ")
        guard !matches.isEmpty else {
            throw CommandError(.failed, "\(kind.noneCalled) \(name ?? ""): there is \(captions)")
        }
        let called: Phrase = name.map { " that are called \($0)" } ?? ""
        let way: Phrase = option.map { " by \($0)" } ?? ""
        throw CommandError(.failed, "\(kind.several)\(called): name one\(way) of \(captions)")
    }
}

extension Collection<[UInt8]> {
    /// The first short identifier that none of these is.
    var unused: [UInt8] {
        for number in 1...UInt16.max where number > 0xFF || !contains([UInt8(number)]) {
            let id = number > 0xFF ? [UInt8(number >> 8), UInt8(number & 0xFF)] : [UInt8(number)]
            if !contains(id) { return id }
        }
        return []
    }
}
