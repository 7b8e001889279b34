// SPDX-License-Identifier: Apache-2.0

package import Translation

/// A question to the user of this machine.
package struct ShareQuestion: Sendable, Equatable {
    package enum Subject: Sendable {
        case login
        case administratorLogin
        case keyUse

        package var words: Phrase {
            switch self {
            case .login: "login"
            case .administratorLogin: "login as administrator"
            case .keyUse: "use of a private key"
            }
        }
    }

    package let subject: Subject
    /// The host's name for itself.
    package let host: String
    /// The token's serial number in hexadecimal digits.
    package let serial: String
}
