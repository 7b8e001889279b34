// SPDX-License-Identifier: Apache-2.0
import SecureChannel
import Storage
package import Translation

/// Why something could not be done with secrets. ``description`` never has one in it.
public enum SharedSecretsError: Error, Sendable, Equatable {
    /// There is a secret of this service and account.
    case duplicate
    /// No secret has this service and account.
    case notFound
    /// There is a secret of this service and account, and its files are damaged. It can be deleted.
    case damaged
    /// This machine has no key of the group: ``SharedSecrets/makeKey()`` on the first, ``SharedSecrets/join(_:)`` on all
    /// others.
    case noKey
    /// The file of the group's key is damaged. Nothing can be read without it; ``SharedSecrets/join(_:)`` puts another
    /// machine's in its place.
    case keyDamaged
    /// This machine has secrets under a different key than the imported one.
    case otherKey
    /// The text is not a key of this access group.
    case keyMalformed
    /// The group has 4096 secrets, deleted ones of replicated directories included; or the directory has more than 16384
    /// files.
    case tooMany
    /// Another process holds the lock.
    case busy
    /// No room is left on the device. Earlier values are intact.
    case full
    /// The replicated directory is gone; it is not made again, since it may come back.
    case directoryMissing
    /// A directory or file may not be used, for this reason: for instance, others have access to it.
    case directoryRefused(Explanation)
    /// The user has no directory for such files.
    case noHome
    /// The application passed an invalid value.
    case invalidArgument(Explanation)
    /// The task was cancelled before the call began.
    case cancelled
    /// The operating system failed.
    case failed(Explanation)
}

extension SharedSecretsError {
    init(_ error: SecretStore.Failure) {
        self =
            switch error {
            case .duplicate: .duplicate
            case .notFound: .notFound
            case .damaged: .damaged
            case .noKey: .noKey
            case .keyDamaged: .keyDamaged
            case .otherKey: .otherKey
            case .keyMalformed: .keyMalformed
            case .tooMany: .tooMany
            case .store(.storage(.locked)): .busy
            case .store(.storage(.full)): .full
            case .store(.storage(.notFound)): .directoryMissing
            case .store(.storage(.denied(let denial))): .directoryRefused("\(StorageError.denied(denial))")
            case .store(.storage(let error)): .failed("\(error)")
            case .store(.randomUnavailable): .failed("there are no random numbers")
            case .store: .failed("a computation failed")
            }
    }
}

extension SharedSecretsError: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .duplicate: "there is a secret of this service and account"
        case .notFound: "there is no secret of this service and account"
        case .damaged: "the secret's files are damaged: it can only be deleted"
        case .noKey: "this machine has no key of the access group: make it, or bring it from another machine"
        case .keyDamaged: "the key of the access group is damaged: bring it from another machine"
        case .otherKey: "this machine has secrets under another key"
        case .keyMalformed:
            """
            this is not a key of the access group: give the whole line that "kanal secrets key" shows for this group on the \
            other machine
            """
        case .tooMany: "there are too many secrets or files"
        case .busy: "another process works with the secrets"
        case .full: "no space is left"
        case .directoryMissing: "the directory of the secrets is gone"
        case .directoryRefused(let reason): "the directory of the secrets cannot be used: \(reason.phrase)"
        case .noHome: "the user has no directory for secrets"
        case .invalidArgument(let reason): reason.phrase
        case .cancelled: "it was cancelled"
        case .failed(let reason): reason.phrase
        }
    }
}
