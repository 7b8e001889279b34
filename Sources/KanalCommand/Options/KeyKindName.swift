// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Translation

/// A kind of key as it is typed and printed for programs.
struct KeyKindName: ExpressibleByArgument, CustomStringConvertible {
    let kind: KeyKind

    init(_ kind: KeyKind) { self.kind = kind }

    init?(argument: String) {
        switch argument {
        case "gost256": kind = .gost256
        case "gost512": kind = .gost512
        case "p256": kind = .p256
        case _ where argument.hasPrefix("rsa"):
            guard let bits = Int(argument.dropFirst(3)), (512...16384).contains(bits) else { return nil }
            kind = .rsa(bits: bits)
        default: return nil
        }
    }

    static let allValueStrings = ["gost256", "gost512", "rsa1024", "rsa2048", "p256"]
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
    var defaultValueDescription: String { description }

    var description: String {
        switch kind {
        case .gost256: "gost256"
        case .gost512: "gost512"
        case .gost2001: "gost2001"
        case .rsa(let bits): "rsa\(bits)"
        case .p256: "p256"
        case .other: "other"
        }
    }

    /// For people.
    var text: Phrase {
        switch kind {
        case .gost256: "GOST R 34.10-2012, 256 bits"
        case .gost512: "GOST R 34.10-2012, 512 bits"
        case .gost2001: "GOST R 34.10-2001"
        case .rsa(let bits): "RSA, \(bits) bits"
        case .p256: "ECDSA on P-256"
        case .other: "another"
        }
    }
}
