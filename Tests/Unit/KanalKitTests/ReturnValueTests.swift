// SPDX-License-Identifier: Apache-2.0
import APDU
import Asking
import Cryptoki
import GOST
import HostCrypto
import SecureChannel
import Storage
import Testing
import Token
import Tokens

@Suite("An error has one return value of PKCS #11, for Cryptoki and for KanalKit")
struct ReturnValueTests {
    private static let links: [LinkError] = [
        .noService, .refused, .incompatible, .noLibrary, .redirected, .rootChanged, .noDescriptors, .noCard,
        .mute, .removed(sent: true), .reset, .sharingViolation, .kept, .connectionsUsedUp, .transmission(code: 1),
        .malformed,
        .channelBroken, .randomUnavailable,
    ]
    private static let channels: [ChannelError] = [
        .malformedCapabilities, .malformedResponse, .passwordInvalid, .passwordRejected(triesLeft: 1), .slotBlocked,
        .slotUnusable, .tableFull, .unknownRecord, .downgradeSuspected, .authenticationFailed, .reflection,
        .profileUnsupported, .profileRaised, .timedOut, .protocolUnknown, .refused(.success), .randomUnavailable,
        .outOfMemory, .libraryFailure, .storage(.noDescriptors), .link(.noCard),
    ]
    private static let tokens: [TokenError] = [
        .activationNeeded, .pinIncorrect, .pinLength, .pinLocked, .pinNotSet, .faulty, .notLoggedIn, .forbiddenByPolicy,
        .notFound,
        .memoryFull, .unsupported, .initialisationPhase, .malformedAnswer, .anotherToken, .refused(.success),
    ]
    private static let host: [HostCryptoError] = [
        .invalidKey, .invalidPoint, .unsupportedKeySize, .keyTooShort, .invalidParameter, .invalidLength,
        .valueOutOfRange, .invalidSignatureLength, .invalidSignature, .decryptionFailed, .outOfMemory, .libraryFailure,
        .invalidEncoding,
    ]
    private static let subjects: [TokensError.Refusal] = [
        .arguments, .object, .permission, .mechanism, .keyType, .keyParameters, .keySize, .action, .data, .parameter,
    ]

    private static let others: [TokensError] = [
        .keyDeleted, .noCard, .noSlot, .ended, .sessionsOpen, .noMemory, .notSupported, .withoutChannel, .noPairing,
        .localPINUnset, .notActivated(after: nil), .notActivated(after: .noCard), .unanswered(.cancelled),
        .unanswered(.notConfigured), .pinMissing(isNew: false), .pinMissing(isNew: true), .tooManyQuestions,
        .sessionEnded,
    ]

    private static let gost: [GOSTError] = [
        .invalidLength, .invalidPoint, .invalidParameter, .invalidIVLength, .invalidKeyLength, .outOfMemory,
        .libraryFailure,
    ]

    /// One after the other: Swift 6.2 does not find the types of all in one expression.
    static let errors: [TokensError] = {
        var errors = others
        errors += links.map { TokensError.token(.link($0)) }
        errors += channels.map { TokensError.token(.channel($0)) }
        errors += tokens.map { TokensError.token($0) }
        errors += host.map { TokensError.computation($0) }
        errors += gost.map { TokensError.gost($0) }
        errors += subjects.map { TokensError.refused($0, "a reason") }
        return errors
    }()

    @Test("that has a name", arguments: errors)
    func names(_ error: TokensError) {
        #expect(error.code.hasPrefix("CKR_"))
        #expect(CKError(error).rawValue == error.returnValue)
    }

    @Test("for a computation that fails, the one for its cause")
    func causes() {
        #expect(TokensError.gost(.invalidIVLength).code == "CKR_MECHANISM_PARAM_INVALID")
        #expect(TokensError.gost(.invalidKeyLength).code == "CKR_KEY_SIZE_RANGE")
        #expect(TokensError.gost(.outOfMemory).code == "CKR_HOST_MEMORY")
        #expect(TokensError.computation(.outOfMemory).code == "CKR_HOST_MEMORY")
    }
}
