// SPDX-License-Identifier: Apache-2.0
package import Asking
package import Token
package import Translation

/// The configuration of one program, from the configuration files.
///
/// The user's file overrides the administrator's; in each, a section of the program overrides the settings before all
/// sections. The user can only raise protection: of two settings the stricter one counts, and `wireless_readers` of all
/// places add up. An error never lowers protection: see ``isClosed``.
package struct Configuration: Sendable, Equatable {
    /// The store of pairings with tokens.
    package var store = Store.user
    /// The policy for tokens.
    package var policy = TokenPolicy()
    /// The authenticator that asks the user in our stead; nil if the user is never asked.
    package var authenticator: Authenticator?
    /// Whether the activation password of a token that was not activated is asked for.
    package var asksForActivation = false
    /// The uses of private keys that the user is asked for.
    package var consent = Consent.never
    /// Whether messages for the administrator go to the system's log. Only the administrator's file decides.
    package internal(set) var reportsToSyslog = true

    /// Remarks about the files.
    package internal(set) var remarks: [Remark] = []

    /// Whether the configuration fails closed because its files leave open which protection or store is wanted: a file
    /// or line cannot be read, a key is unknown, or the value of a setting of protection or store is not allowed. Then
    /// the strictest protection counts, and without a store no token can be activated or opened. Tokens can still be
    /// listed.
    package internal(set) var isClosed = false

    /// The configuration without files.
    package init() {}

    /// The store of pairings with tokens.
    package enum Store: Sendable, Equatable {
        /// In the user's own store, which the user's programs share.
        case user
        /// In a store of the user's own, which the programs that name it share.
        case application(String)
        /// In the store of a group of programs and users. Of several groups the first counts.
        case groups([String])
        /// In a directory that is replicated between the user's machines.
        case synchronised(String)
    }

    /// A remark about a file.
    package struct Remark: Sendable, Equatable, CustomStringConvertible {
        /// The path of the file.
        package let file: String
        /// The number of the line, from 1; nil if it concerns the whole file.
        package let line: Int?
        /// The error, and the values that are allowed.
        package let text: Phrase
        /// Whether the line has no effect because it is wrong.
        package let isError: Bool

        package var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(text)" }
    }
}
