// SPDX-License-Identifier: Apache-2.0
package import APDU
import GOST
import Secrets
package import Storage

/// The reason why the token has no secure channel with this host. Each of these is final: the operation must start
/// over.
///
/// Sections are of GSC/1. Status words outside the channel are not authenticated. An error for one
/// is the *link's* answer, which may be false (15.2).
package enum ChannelError: Error, Sendable, Equatable {
    /// The link failed.
    case link(LinkError)
    /// The token's E1 or E2 is there but not as section 4 prescribes.
    case malformedCapabilities
    /// A reply of pairing or opening is not as sections 8 and 10 prescribe.
    case malformedResponse
    /// The activation password is not of the canonical form of section 5, or too short for the profile. Nothing was
    /// sent to the token's slot.
    case passwordInvalid
    /// Wrong activation password (63Cx), perhaps with the number of tries left.
    case passwordRejected(triesLeft: Int?)
    /// The password's slot has no tries left (6983).
    case slotBlocked
    /// The password's slot does not exist, is empty, or was for one host only (6984).
    case slotUnusable
    /// The token has no room for another pairing record (6A84).
    case tableFull
    /// Host and token are not paired: the token does not know the record (6A88), or the host lacks its part of it.
    case unknownRecord
    /// Token and host saw different capabilities (6985 to PAIR-2), or a weaker profile than before is offered.
    case downgradeSuspected
    /// A MAC of the token is wrong: it does not know the password or the long-term key.
    case authenticationFailed
    /// The token echoed the host's own key or contribution.
    case reflection
    /// Host, token or slot lacks the profile.
    case profileUnsupported
    /// The token is paired in the classic profile and has the modern one by now: it must be paired again.
    case profileRaised
    /// The token needed more than 10 s to answer PAIR-2.
    case timedOut
    /// The token speaks another protocol than GSC/1.
    case protocolUnknown
    /// Another status word.
    case refused(StatusWord)
    /// The pairing store cannot be used.
    case storage(StorageError)
    /// The random number generator failed.
    case randomUnavailable
    /// Out of memory for a computation. A later call may succeed.
    case outOfMemory
    /// A GOST primitive failed.
    case libraryFailure
}

extension ChannelError {
    /// The error behind a plain status word other than 9000 (15.1).
    init(_ status: StatusWord) {
        self =
            switch status {
            case .authenticationBlocked: .slotBlocked
            case .referenceDataNotUsable: .slotUnusable
            case .functionNotSupported: .profileUnsupported
            case .notEnoughMemory: .tableFull
            case .referencedDataNotFound: .unknownRecord
            default: status.triesLeft.map { .passwordRejected(triesLeft: $0) } ?? .refused(status)
            }
    }

    init(_ error: GOSTError) {
        self =
            switch error {
            case .randomUnavailable: .randomUnavailable
            case .outOfMemory: .outOfMemory
            default: .libraryFailure
            }
    }
}

// One function per layer below turns its errors into the channel's.

func linking<Value: ~Copyable>(_ body: () throws(LinkError) -> Value) throws(ChannelError) -> Value {
    do { return try body() } catch { throw .link(error) }
}

func storing<Value: ~Copyable>(_ body: () throws(StorageError) -> Value) throws(ChannelError) -> Value {
    do { return try body() } catch { throw .storage(error) }
}

func computing<Value: ~Copyable>(_ body: () throws(GOSTError) -> Value) throws(ChannelError) -> Value {
    do { return try body() } catch { throw ChannelError(error) }
}

func drawing<Value: ~Copyable>(_ body: () throws(RandomUnavailable) -> Value) throws(ChannelError) -> Value {
    do { return try body() } catch { throw .randomUnavailable }
}

func parsing<Value: ~Copyable>(
    otherwise failure: ChannelError = .malformedResponse, _ body: () throws(MalformedBytes) -> Value
) throws(ChannelError) -> Value {
    do { return try body() } catch { throw failure }
}
