// SPDX-License-Identifier: Apache-2.0

/// The identifier of a message that programs recognise: it stays the same when the words change.
///
/// A line of the log has it in brackets before the message, `kanal doctor --log` explains it, and docs/Messages.md lists
/// all. Identifiers of a possible attack begin with `attack.`, and no others do.
package enum MessageID: String, CaseIterable, Sendable {
    case attackDowngrade = "attack.downgrade"
    case attackKeyChanged = "attack.key-changed"
    case attackNoChannel = "attack.no-channel"
    case attackNoChannelAnyMore = "attack.no-channel-any-more"
    case attackReflection = "attack.reflection"
    case attackTokenReplaced = "attack.token-replaced"
    case attackUnproven = "attack.unproven"
    case attackWrongMAC = "attack.wrong-mac"

    case activationBetterProfile = "activation.better-profile"
    case activationDamaged = "activation.damaged"
    case activationNeeded = "activation.needed"
    case activationRemoved = "activation.removed"
    case activationUnknownHost = "activation.unknown-host"

    case callMechanism = "call.mechanism"
    case callRefused = "call.refused"

    case cardAbsent = "card.absent"
    case cardHeld = "card.held"
    case cardMute = "card.mute"
    case cardRemoved = "card.removed"
    case cardWaiting = "card.waiting"

    case channelNone = "channel.none"
    case channelProfile = "channel.profile"

    case configurationClosed = "configuration.closed"
    case configurationError = "configuration.error"

    case homeIgnored = "home.ignored"
    case homeMissing = "home.missing"

    case loginNeeded = "login.needed"

    case passwordLocked = "password.locked"
    case passwordMalformed = "password.malformed"
    case passwordUnusable = "password.unusable"
    case passwordWrong = "password.wrong"

    case pinLocked = "pin.locked"
    case pinNotTakenAgain = "pin.not-taken-again"
    case pinWrong = "pin.wrong"

    case processDescriptors = "process.descriptors"
    case processRoot = "process.root"

    case serviceAbsent = "service.absent"
    case serviceIncompatible = "service.incompatible"
    case serviceLibrary = "service.library"
    case serviceRedirected = "service.redirected"
    case serviceRefused = "service.refused"

    case storeCrowded = "store.crowded"
    case storeUnusable = "store.unusable"

    case tokenFull = "token.full"
    case tokenHostsFull = "token.hosts-full"
    case tokenOther = "token.other"
    case tokenTooMuch = "token.too-much"

    /// Whether the message is about a possible attack.
    package var isAttack: Bool { rawValue.hasPrefix("attack.") }
}
