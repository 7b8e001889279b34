// SPDX-License-Identifier: Apache-2.0
import Asking

/// The settings of how the user is asked, a property for each key; nil for those that are not set.
struct AskingStatements {
    /// The inner value is nil for an empty setting: the user is never asked.
    var authenticator: Authenticator??
    var timeLimit: Int?
    var asksForActivation: Bool?
    var consent: Consent?

    /// - Returns: Whether the value is allowed; nil if the key belongs elsewhere.
    mutating func read(_ setting: Setting) -> Bool? {
        switch setting.key {
        case .authenticator:
            let named = Authenticator(setting: setting.value)
            guard named != nil || setting.value.isEmpty else { return false }
            authenticator = .some(named)
            return true
        case .authenticatorTimeout:
            timeLimit = Statements.seconds(setting.value, from: 1)
            return timeLimit != nil
        case .activation:
            asksForActivation = ["ask": true, "off": false][setting.value]
            return asksForActivation != nil
        case .consent:
            consent = Consent(rawValue: setting.value)
            return consent != nil
        default: return nil
        }
    }

    /// Takes the strictest value for a key with a wrong line, or a second one.
    mutating func takeStrictest(_ key: Key) {
        if key == .consent { consent = .always }
        // Not the user's in place of the administrator's: it could say yes in the user's stead.
        if key == .authenticator { authenticator = .some(nil) }
    }

    /// Gives precedence to the settings of `other`.
    mutating func override(by other: AskingStatements) {
        authenticator = other.authenticator ?? authenticator
        timeLimit = other.timeLimit ?? timeLimit
        asksForActivation = other.asksForActivation ?? asksForActivation
        consent = other.consent ?? consent
    }
}
