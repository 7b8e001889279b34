// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel
import Storage
import Token

/// The reasons why a token refused or failed.
extension Reason {
    /// - Parameter exchange: The card's last answer.
    init(_ error: TokenError, after exchange: CardExchange?) {
        switch error {
        case .link(let error), .channel(.link(let error)): self.init(error)
        case .channel(let error): self.init(error)
        case .activationNeeded: self = "the token wants a secure channel, which is not activated for this user"
        case .pinIncorrect: self = "the card says that the PIN is another"
        case .pinLength: self = "the PIN is shorter or longer than the token allows"
        case .pinLocked: self = "the PIN has no tries left"
        case .faulty: self = "the secure channel could not be opened several times, and is not tried for a while"
        case .anotherToken: self = "another token is in the place of the one that was here"
        case .notLoggedIn: self = "the card wants a login: \(answerOf: exchange)"
        case .forbiddenByPolicy:
            self =
                "by the token's policy User alone changes this PIN: the SO can unblock it, or format the token with another"
        case .notFound: self = "the card does not have it: \(answerOf: exchange)"
        case .memoryFull: self = "the card has no room for it: \(answerOf: exchange)"
        case .unsupported: self = "the card does not do this: \(answerOf: exchange)"
        case .initialisationPhase: self = "the token is being formatted"
        case .malformedAnswer:
            self = "the card's answer has another form than its command prescribes: \(answerOf: exchange)"
        case .refused: self = "the card refuses: \(answerOf: exchange)"
        }
    }

    init(_ error: LinkError) {
        switch error {
        case .noService: self = "pcscd does not answer"
        case .refused: self = "pcscd does not let this user in, or has as many clients as it takes"
        case .noLibrary: self = "libpcsclite.so.1 is not installed: install the package libpcsclite1, or pcsc-lite-libs"
        case .redirected: self = "a process with more rights than its user obeys no PCSCLITE_CSOCK_NAME"
        case .noDescriptors: self = "the process has no file descriptors left"
        case .noCard: self = "there is no card in the reader"
        case .mute: self = "the card does not answer to power"
        case .removed: self = "the card left the reader"
        case .reset: self = "another program reset the card"
        case .sharingViolation: self = "another program holds the card for itself"
        case .transmission(let code): self = "pcscd cannot reach the card: \(hex: code)"
        case .malformed: self = "an answer is too short, or a command too long for this reader"
        case .channelBroken: self = "the secure channel met an answer that it cannot trust, and closed itself"
        case .randomUnavailable: self = "the system gives no random numbers"
        }
    }

    private init(_ error: ChannelError) {
        switch error {
        case .link(let error): self.init(error)
        case .malformedCapabilities: self = "the token's description of its channel cannot be read"
        case .malformedResponse: self = "an answer in pairing or opening has another form"
        case .passwordInvalid: self = "the activation password has another form, and was not tried"
        case .passwordRejected: self = "the token says that the activation password is another"
        case .slotBlocked: self = "the activation password has no tries left"
        case .slotUnusable: self = "the token has no such activation password, or it was for one host"
        case .tableFull: self = "the token has no room for another host"
        case .unknownRecord:
            self = "the token does not know this host any more, or this host the token: it must be activated again"
        case .downgradeSuspected: self = "the token offers less than before, which may be an attack"
        case .authenticationFailed: self = "the token does not prove to be the one that was paired"
        case .reflection: self = "what this host sent came back to it, which may be an attack"
        case .profileUnsupported: self = "token and configuration have no profile in common"
        case .profileRaised: self = "the token has a stronger profile by now, and must be activated again"
        case .timedOut: self = "the token took too long to pair"
        case .protocolUnknown: self = "the token's channel is of another protocol"
        case .refused(let status): self = "the token refuses the channel: \(hex: status.rawValue)"
        case .storage(.noDescriptors): self = "the process has no file descriptors left"
        case .storage: self = "what is remembered of tokens cannot be read or written"
        case .randomUnavailable: self = "the system gives no random numbers"
        case .outOfMemory: self = "the system gives no memory"
        case .libraryFailure: self = "a computation of the channel failed"
        }
    }
}

extension Reason.StringInterpolation {
    /// The card's answer, the command that it answers, and the file selected.
    fileprivate mutating func appendInterpolation(answerOf exchange: CardExchange?) {
        guard let exchange else { return appendLiteral("without a command") }
        appendInterpolation("\(hex: exchange.status.rawValue) to command \(hex: exchange.header)" as Reason)
        guard !exchange.file.isEmpty else { return }
        appendLiteral(" in file")
        for start in stride(from: 0, to: exchange.file.count, by: 2) {
            let step = exchange.file[start...].prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
            appendInterpolation(" \(hex: step)" as Reason)
        }
    }
}
