// SPDX-License-Identifier: Apache-2.0

/// The names by which signatures call algorithms of GOST.
public enum AlgorithmNames: Sendable, CaseIterable {
    /// URNs that begin with `urn:ietf:params:xml:ns:cpxmlsec:algorithms:`, as SMEV 3 wants them.
    case cryptoPro
    /// URIs that begin with `http://www.w3.org/2001/04/xmldsig-more#`, as older services know them.
    case w3c

    /// The prefix of GOST R 34.10-2001 and its hash function, always: SMEV refuses the other one.
    static let older = "http://www.w3.org/2001/04/xmldsig-more#"

    var prefix: String {
        switch self {
        case .cryptoPro: "urn:ietf:params:xml:ns:cpxmlsec:algorithms:"
        case .w3c: Self.older
        }
    }

    /// The name without the prefix that says whose it is; nil for a name of another kind.
    static func bare(_ identifier: String) -> String? {
        allCases.first { identifier.hasPrefix($0.prefix) }.map { String(identifier.dropFirst($0.prefix.utf8.count)) }
    }
}
