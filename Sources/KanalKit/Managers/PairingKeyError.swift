// SPDX-License-Identifier: Apache-2.0

import Secrets
import SecureChannel
import Storage
import Token
package import Translation

/// Why the key of synchronised pairings could not be shown or taken over. ``description`` never has it in it.
public enum PairingKeyError: Error, Sendable, Equatable {
    /// `kanal.conf` has no `synchronised` for this program, so that its pairings have no such key.
    case notSynchronised
    /// This machine has no key: ``TokenManager/makePairingKey()`` on the first, ``TokenManager/joinPairings(_:)`` on all
    /// others.
    case noKey
    /// The key's file is damaged. ``TokenManager/joinPairings(_:)`` puts another machine's in its place.
    case keyDamaged
    /// This machine has pairings under a different key than the imported one.
    case otherKey
    /// The text is not a key of pairings.
    case keyMalformed
    /// The replicated directory is gone; it is not made again, since it may come back.
    case directoryMissing
    /// The pairings cannot be used, for this reason.
    case unusable(Explanation)
    /// The task was cancelled before the call began.
    case cancelled

    init(_ error: PairingKey.Failure) {
        self =
            switch error {
            case .notSynchronised: .notSynchronised
            case .noKey: .noKey
            case .keyDamaged: .keyDamaged
            case .otherKey: .otherKey
            case .keyMalformed: .keyMalformed
            case .store(.storage(.notFound)): .directoryMissing
            case .store(.storage(let error)): .unusable("\(error)")
            case .store(.randomUnavailable): .unusable("there are no random numbers")
            case .store: .unusable("a computation failed")
            }
    }
}

extension PairingKeyError: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .notSynchronised: "pairings are not synchronised here: set synchronised in kanal.conf"
        case .noKey: "this machine has no key of the synchronised pairings: make it, or bring it from another machine"
        case .keyDamaged: "the key of the synchronised pairings is damaged: bring it from another machine"
        case .otherKey:
            """
            this machine has pairings under another key: remove them here first, with "kanal pairings remove", or bring \
            its key to the other machines
            """
        case .keyMalformed:
            "this is not a key of pairings: give the whole line that \"kanal pairings key\" shows on the other machine"
        case .directoryMissing: "the directory of the synchronised pairings is gone"
        case .unusable(let reason): "the pairings cannot be used: \(reason.phrase)"
        case .cancelled: "it was cancelled"
        }
    }
}
