// SPDX-License-Identifier: Apache-2.0

package import APDU
package import HostCrypto
import Secrets
import SecureChannel
import Storage
import Synchronization
package import Token
package import Translation

/// Why a call was refused, in words for the log: what was refused, and by which rule.
///
/// Text is literal, and only numbers and names of the standard can be inserted. So no value of an attribute, no PIN and
/// no data comes into a reason.
package struct Reason: Sendable, ExpressibleByStringInterpolation {
    package let phrase: Phrase
    /// The identifier by which `kanal doctor --log` explains it; nil if the return value suffices.
    package let id: MessageID?

    package init(stringLiteral text: StaticString) { (phrase, id) = (Phrase(key: text.description), nil) }

    package init(stringInterpolation: StringInterpolation) {
        (phrase, id) = (Phrase(stringInterpolation: stringInterpolation.phrase), stringInterpolation.id)
    }

    package init(_ id: MessageID?, _ reason: Reason) { (phrase, self.id) = (reason.phrase, id) }

    /// Both reasons, while they are short enough for one line.
    package func joined(with other: Reason?) -> Reason {
        guard let other, description.utf8.count < 400 else { return self }
        return "\(self); \(other)"
    }

    /// Whether the log accepts reasons. Otherwise none is made.
    package static var isWanted: Bool {
        get { wanted.load(ordering: .relaxed) }
        set { wanted.store(newValue, ordering: .relaxed) }
    }

    private static let wanted = Atomic(true)

    package struct StringInterpolation: StringInterpolationProtocol {
        package var phrase: Phrase.StringInterpolation
        fileprivate var id: MessageID?

        package init(literalCapacity: Int, interpolationCount: Int) {
            phrase = Phrase.StringInterpolation(
                literalCapacity: literalCapacity, interpolationCount: interpolationCount)
        }

        package mutating func appendLiteral(_ text: StaticString) { phrase.appendLiteral(text.description) }
        package mutating func appendInterpolation(_ text: StaticString) { phrase.appendInterpolation(text.description) }

        /// The identifier becomes the whole reason's. Of several, the first counts: it caused the others. But a
        /// possible attack is never left out.
        package mutating func appendInterpolation(_ reason: Reason) {
            phrase.appendInterpolation(reason.phrase)
            if id == nil || id?.isAttack == false && reason.id?.isAttack == true { id = reason.id }
        }

        /// A length, a position or another number, in decimal digits.
        package mutating func appendInterpolation(_ number: some FixedWidthInteger) {
            phrase.appendInterpolation(number)
        }

        /// A number in hexadecimal digits.
        package mutating func appendInterpolation(hex number: some FixedWidthInteger) {
            phrase.appendInterpolation("0x" + number.hexadecimal().uppercased())
        }
    }
}

extension Reason: CustomStringConvertible {
    package var description: String { phrase.description }
}

/// The reasons why a token refused or failed.
extension Reason {
    /// - Parameter exchange: The card's last answer.
    package init(_ error: TokenError, after exchange: CardExchange?) {
        switch error {
        case .link(let error), .channel(.link(let error)): self.init(error)
        case .channel(let error): self.init(error)
        case .activationNeeded:
            self.init(.activationNeeded, "the token wants a secure channel, which is not activated for this user")
        case .pinIncorrect: self.init(.pinWrong, "wrong PIN")
        case .notTyped(let refusal): self.init(refusal)
        case .pinLength: self.init(nil, "the PIN is shorter or longer than the token allows")
        case .pinLocked: self.init(.pinLocked, "the PIN has no tries left")
        case .pinNotSet:
            self.init(nil, "the token has no such PIN, as it is not formatted, or not to the end: use \"kanal format\"")
        case .faulty:
            self.init(nil, "the secure channel could not be opened several times, and is not tried for a while")
        case .anotherToken: self.init(.tokenOther, "the reader now holds a different token")
        case .notLoggedIn: self.init(.loginNeeded, "login required: \(Self.answer(exchange))")
        case .forbiddenByPolicy:
            self.init(
                nil,
                "the token's policy lets only the user change this PIN; the security officer can unblock it, or format the token with another policy"
            )
        case .notFound: self.init(nil, "the card does not have it: \(Self.answer(exchange))")
        case .memoryFull: self.init(.tokenFull, "the card has no room for it: \(Self.answer(exchange))")
        case .unsupported: self.init(nil, "the card does not do this: \(Self.answer(exchange))")
        case .holdsContainers:
            self.init(
                nil,
                """
                the token has key containers of CryptoPro CSP, which would be erased for ever; keep copies of them by that \
                program, then use "kanal format --erase-containers"
                """)
        case .keepsFilesOnly:
            self.init(nil, "this model keeps files and computes nothing: make keys on a Rutoken ECP")
        case .readOnly:
            self.init(nil, "the key container is in a folder, which is read only: CryptoPro CSP changes containers")
        case .initialisationPhase: self.init(nil, "the token is being formatted")
        case .malformedAnswer:
            self.init(nil, "malformed response: \(Self.answer(exchange))")
        case .container(let fault): self.init(fault)
        case .refused: self.init(nil, "the card refuses: \(Self.answer(exchange))")
        }
    }

    /// The reason why the reader got no PIN.
    private init(_ refusal: PINEntry.Refusal) {
        switch refusal {
        case .cancelled: self.init(nil, "the entry of the PIN was cancelled at the reader")
        case .timedOut: self.init(nil, "no PIN was typed at the reader in time")
        case .mismatch: self.init(nil, "the new PIN was typed at the reader in two ways: nothing was changed")
        case .length: self.init(nil, "the PIN typed at the reader is shorter or longer than the token allows")
        case .unsupported:
            self.init(nil, "the reader cannot have a PIN typed in this form: set \"pin_pad = off\" in kanal.conf")
        }
    }

    /// The reason why a card, or the service of the readers, cannot be reached.
    package init(_ error: LinkError) {
        switch error {
        case .noService: self.init(.serviceAbsent, "pcscd does not run, or does not answer")
        case .refused:
            self.init(
                .serviceRefused,
                """
                pcscd refuses this process: polkit does not let its user in (access_pcsc), or there are too many clients \
                (--max-thread)
                """)
        case .incompatible:
            self.init(
                .serviceIncompatible,
                "pcscd and libpcsclite are of different versions, and do not understand each other: use the same version of both"
            )
        case .noLibrary:
            self.init(
                .serviceLibrary,
                "libpcsclite.so.1 is not installed: install the package libpcsclite1, or pcsc-lite-libs")
        case .redirected:
            self.init(
                .serviceRedirected,
                """
                the environment names another service (PCSCLITE_CSOCK_NAME, LIBPCSCLITE_DELEGATE), and this process has \
                more rights than its user
                """)
        case .rootChanged:
            self.init(
                .processRoot,
                """
                the process has changed its root directory (chroot), and pcscd is not looked for in the new one: let the \
                program find its token and log in before it does
                """)
        case .noDescriptors: self.init(.processDescriptors, "the process has no file descriptors left")
        case .noCard: self.init(.cardAbsent, "there is no card in the reader")
        case .mute: self.init(.cardMute, "the card does not respond (no ATR)")
        case .removed: self.init(.cardRemoved, "the card left the reader")
        case .reset: self.init(nil, "another program reset the card")
        case .sharingViolation: self.init(.cardHeld, "another program holds the card for itself")
        case .kept: self.init(.cardHeld, "another program keeps the token: its transaction does not end")
        case .connectionsUsedUp:
            self.init(
                .serviceRefused,
                """
                all of pcscd's connections to the reader are in use: a program keeps about 200 of them, and has to be \
                ended
                """)
        case .transmission(let code): self.init(nil, "pcscd cannot reach the card: \(hex: code)")
        case .malformed: self.init(nil, "an answer is too short, or a command too long for this reader")
        case .channelBroken: self.init(nil, "the secure channel met an answer that it cannot trust, and closed itself")
        case .randomUnavailable: self.init(nil, "the system provides no random numbers")
        }
    }

    private init(_ error: ChannelError) {
        switch error {
        case .link(let error): self.init(error)
        case .malformedCapabilities: self.init(nil, "the token's description of its channel cannot be read")
        case .malformedResponse: self.init(nil, "malformed response in pairing or opening")
        case .passwordInvalid:
            self.init(.passwordMalformed, "the activation password is malformed, and was not tried")
        case .passwordRejected: self.init(.passwordWrong, "wrong activation password")
        case .slotBlocked: self.init(.passwordLocked, "the activation password has no tries left")
        case .slotUnusable:
            self.init(.passwordUnusable, "the token has no such activation password, or it was for one host")
        case .tableFull:
            self.init(
                .tokenHostsFull,
                """
                the token has no room for another host: on a machine that is paired with it, "kanal pairings hosts" shows \
                those that were never used, and "kanal pairings revoke" removes one
                """)
        case .unknownRecord:
            self.init(
                .activationUnknownHost,
                "the token does not know this host any more, or this host the token: it must be activated again")
        case .downgradeSuspected:
            self.init(.attackDowngrade, "the token offers fewer capabilities than before; possible downgrade attack")
        case .authenticationFailed:
            self.init(.attackUnproven, "the token cannot prove that it is the one that was paired; possible attack")
        case .reflection: self.init(.attackReflection, "the card reflected this host's own message; possible attack")
        case .profileUnsupported: self.init(.channelProfile, "token and configuration have no profile in common")
        case .profileRaised:
            self.init(.activationBetterProfile, "the token has a stronger profile by now, and must be activated again")
        case .timedOut: self.init(nil, "the token took too long to pair")
        case .protocolUnknown: self.init(nil, "the token's channel is of another protocol")
        case .refused(let status): self.init(nil, "the token refuses the channel: \(hex: status.rawValue)")
        case .storage(.noDescriptors): self.init(.processDescriptors, "the process has no file descriptors left")
        case .storage(.denied(.otherMembers)):
            self.init(.storeUnusable, "the pairings belong to a group of users, and this user is not a member of it")
        case .storage: self.init(.storeUnusable, "what is remembered of tokens cannot be read or written")
        case .randomUnavailable: self.init(nil, "the system provides no random numbers")
        case .outOfMemory: self.init(nil, "the system provides no memory")
        case .libraryFailure: self.init(nil, "a computation of the channel failed")
        }
    }
}

extension Reason {
    /// The card's answer, the command that it answers, and the file selected.
    private static func answer(_ exchange: CardExchange?) -> Reason {
        guard let exchange else { return Reason(nil, "without a command") }
        guard !exchange.file.isEmpty else {
            return Reason(nil, "\(hex: exchange.status.rawValue) to command \(hex: exchange.header)")
        }
        return Reason(
            nil,
            "\(hex: exchange.status.rawValue) to command \(hex: exchange.header) in file \(path: exchange.file)")
    }
}

extension Reason.StringInterpolation {
    /// The numbers of a file and of the directories above it.
    fileprivate mutating func appendInterpolation(path: [UInt8]) {
        let steps = stride(from: 0, to: path.count, by: 2).map { start in
            "0x" + path[start...].prefix(2).reduce(0 as UInt16) { $0 << 8 | UInt16($1) }.hexadecimal().uppercased()
        }
        phrase.appendInterpolation(steps.joined(separator: " "))
    }
}

extension Reason {
    /// Why nothing can be computed by libcrypto; nil if it is there.
    package init?(_ presence: LibraryContext.Presence) {
        switch presence {
        case .version: return nil
        case .absent:
            self.init(
                nil,
                "libcrypto.so.4 or .3 cannot be loaded: install OpenSSL's library (libssl4 or libssl3, openssl-libs)")
        case .incomplete:
            self.init(
                nil,
                "libcrypto lacks functions of OpenSSL 3.0: install OpenSSL's library (libssl4 or libssl3, openssl-libs)"
            )
        case .rootChanged:
            self.init(
                .processRoot,
                """
                the process has changed its root directory (chroot), and libcrypto is not loaded from the new one: let \
                the program log in before it does
                """)
        }
    }
}
