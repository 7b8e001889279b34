// SPDX-License-Identifier: Apache-2.0
package import APDU
package import Containers
package import SecureChannel

/// The reason why the token refused or failed.
package enum TokenError: Error, Sendable, Equatable {
    /// The card could not be reached, or its answer could not be trusted.
    case link(LinkError)
    /// Pairing or opening the secure channel failed.
    case channel(ChannelError)
    /// The secure channel has to be activated first.
    case activationNeeded
    /// The PIN is wrong.
    case pinIncorrect
    /// The PIN was not typed at the reader, or not as wanted.
    case notTyped(PINEntry.Refusal)
    /// The new PIN is shorter or longer than the token allows.
    case pinLength
    /// The PIN has no tries left.
    case pinLocked
    /// The token has no such PIN: it was never formatted, or not to the end.
    case pinNotSet
    /// The channel could not be opened so often that nothing is tried for a while (GSC/1, 12).
    case faulty
    /// The operation needs a login.
    case notLoggedIn
    /// The token's policy lets User alone change User's PIN.
    case forbiddenByPolicy
    /// No such file, key or data object.
    case notFound
    /// The token's memory is full.
    case memoryFull
    /// The token does not know this algorithm or parameter set.
    case unsupported
    /// The token has key containers, which the operation would erase.
    case holdsContainers
    /// The token generates and imports no keys: it keeps files and computes nothing.
    case keepsFilesOnly
    /// The token is a folder with a key container, which is never changed.
    case readOnly
    /// The token is being formatted.
    case initialisationPhase
    /// The token's answer does not have the form that the command prescribes.
    case malformedAnswer
    /// A different token is in the place of this one, or a token that does not report its serial number.
    case anotherToken
    /// The key of a container cannot be used: its files are not what they have to be.
    case container(ContainerError)
    /// Any other status word.
    case refused(StatusWord)

    /// The error on the way to the card, if it was one.
    package var linkError: LinkError? {
        switch self {
        case .link(let error), .channel(.link(let error)): error
        default: nil
        }
    }

    /// Whether the channel cannot be opened, whatever password is given, once sessions do not wait for an activation.
    package var closesChannel: Bool { self == .faulty || isChannelError }

    /// Whether opening the channel failed, and not the link under it.
    var isChannelError: Bool {
        switch self {
        case .channel(.link): false
        case .channel: true
        default: false
        }
    }

    /// The error that a status word other than 9000 stands for.
    init(_ status: StatusWord) {
        self =
            switch status {
            case .securityStatusNotSatisfied: .notLoggedIn
            case .authenticationBlocked: .pinLocked
            case .fileNotFound, .referencedDataNotFound: .notFound
            case .notEnoughMemory: .memoryFull
            case .initialisationPhase: .initialisationPhase
            default: .refused(status)
            }
    }
}
