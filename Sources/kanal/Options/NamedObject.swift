// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Terminal

/// What a person calls by its label or its identifier.
protocol NamedObject {
    var label: String { get }
    var id: [UInt8] { get }
}

extension KeyPair: NamedObject {}
extension Certificate: NamedObject {}

extension NamedObject {
    /// Whether this is its label, or its identifier in hexadecimal digits.
    func isCalled(_ name: String) -> Bool {
        label == name || (!id.isEmpty && id.hexadecimal == name.lowercased().filter { $0 != ":" })
    }

    /// What a person can call it by.
    var caption: String { label.isEmpty ? id.hexadecimal : "\(label) (\(id.hexadecimal))" }
}

extension Collection where Element: NamedObject {
    /// The object with a name; without a name, the only one.
    ///
    /// - Parameters:
    ///   - kind: What the objects are, in the singular.
    ///   - option: What another one is named with, if it is an option.
    func only(named name: String?, _ kind: String, by option: String? = nil) throws -> Element {
        let matches = name.map { name in filter { $0.isCalled(name) } } ?? Array(self)
        if let first = matches.first, matches.count == 1 { return first }
        guard !isEmpty else { throw CommandError(.failed, "there is no \(kind) on the token") }
        let captions = (matches.isEmpty ? Array(self) : matches).map(\.caption).joined(separator: ", ")
        guard !matches.isEmpty else {
            throw CommandError(.failed, "no \(kind) on the token is called \(name ?? ""): there is \(captions)")
        }
        let called = name.map { " that are called \($0)" } ?? ""
        let way = option.map { " by \($0)" } ?? ""
        throw CommandError(.failed, "there are several \(kind)s on the token\(called): name one\(way) of \(captions)")
    }
}

/// An identifier that a person types.
struct Identifier: ExpressibleByArgument {
    let octets: [UInt8]

    init?(argument: String) {
        let digits = argument.filter { $0 != ":" }
        guard !digits.isEmpty, digits.count.isMultiple(of: 2), digits.count <= 64, digits.allSatisfy(\.isASCII) else {
            return nil
        }
        var octets: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard let octet = UInt8(rest.prefix(2), radix: 16), rest.first != "+" else { return nil }
            octets.append(octet)
            rest = rest.dropFirst(2)
        }
        self.octets = octets
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
