// SPDX-License-Identifier: Apache-2.0
package import APDU
package import Asking
package import GOST
package import HostCrypto
import SecureChannel
package import Token

/// Why something could not be done with a token.
package indirect enum TokensError: Error, Sendable {
    /// The token refused or failed, or it cannot be reached. With the card's last answer, if there is one.
    case token(TokenError, after: CardExchange? = nil)
    /// The key that was to compute is not on the token any more.
    case keyDeleted
    /// There is no card in the reader.
    case noCard
    /// There is no slot of this number.
    case noSlot
    /// The program has ended its work with tokens.
    case ended
    /// Sessions with the token are open.
    case sessionsOpen
    /// The program has neither memory nor file descriptors left.
    case noMemory
    /// The token does not have the function, or not in its present state.
    case notSupported
    /// The token is used without a secure channel, so that no host is paired with it.
    case withoutChannel
    /// The machine has no pairing with the token.
    case noPairing
    /// The local PIN has no value.
    case localPINUnset
    /// The channel has to be activated, and was not when the user was asked for its password. With the reason.
    case notActivated(after: TokensError?)
    /// A question to the user ended without an answer.
    case unanswered(AskingError)
    /// A PIN is missing, and the user cannot be asked for it: no way to ask is set, or only for present PINs.
    case pinMissing(isNew: Bool)
    /// The user was asked as often as a call may ask.
    case tooManyQuestions
    /// The session was closed, or has ended with the token's absence.
    case sessionEnded
    /// A computation of the host fails, by libcrypto or by GOST.
    case computation(HostCryptoError)
    case gost(GOSTError)
    /// A rule of this library or of the object forbids it. With the reason.
    case refused(Refusal, Reason)

    /// The subject of a refusal.
    package enum Refusal: Sendable {
        /// A value that the caller has given.
        case arguments
        /// The object is not there.
        case object
        /// The key's permissions.
        case permission
        /// The mechanism, with the key or on the token.
        case mechanism
        /// The kind of the key.
        case keyType
        /// The parameters of keys, which the token does not make.
        case keyParameters
        /// The size of keys, which the token does not make.
        case keySize
        /// The object, which its maker has protected.
        case action
        /// The input of a computation.
        case data
        /// The parameter of a mechanism.
        case parameter
    }

    /// The token's error, if it was one.
    package var tokenError: TokenError? { if case .token(let error, _) = self { error } else { nil } }

    /// The error on the way to a card.
    package init(_ error: LinkError) { self = .token(.link(error)) }

    /// Whether the token, which refuses a session, wants to be activated, or to be so again.
    package var needsActivation: Bool {
        switch tokenError {
        case .activationNeeded, .channel(.unknownRecord), .channel(.profileUnsupported), .channel(.profileRaised): true
        default: false
        }
    }
}

extension TokensError: TokenCallError {
    package init(_ error: TokensError) { self = error }

    package func following(_ reason: TokensError) -> TokensError { self }

    package var isRemoval: Bool {
        switch tokenError {
        case .anotherToken: true
        case let error?:
            switch error.linkError {
            case .noService, .incompatible, .noLibrary, .redirected, .rootChanged, .removed: true
            default: false
            }
        case nil: false
        }
    }

    package var unanswered: AskingError? { if case .unanswered(let error) = self { error } else { nil } }

    package var pinFault: PINFault? {
        switch tokenError {
        case .pinIncorrect: .incorrect
        case .pinLength: .length
        default: nil
        }
    }
}
