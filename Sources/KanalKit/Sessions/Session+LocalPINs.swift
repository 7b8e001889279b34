// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Secrets
import Token

/// A PIN by which one application protects its own files on a token. It belongs to no login, and does not open objects
/// that this library lists.
public struct LocalPIN: Sendable, Equatable {
    /// The numbers that a local PIN can have: 3 to 31.
    public static let numbers = Library.localPINNumbers

    /// One of ``numbers``.
    public let number: Int
    /// Its limits and tries. It is never a default: one that was not set is not listed.
    public let details: PINDetails
}

extension Session {
    /// The local PINs that have been set. No PIN is needed.
    public func localPINs() throws(KanalError) -> [LocalPIN] {
        return try translated { () throws(CKError) in try library.localPINs(in: slot) }
            .map { LocalPIN(number: $0.number, details: PINDetails($0.state)) }
    }

    /// Sets or changes a local PIN.
    ///
    /// - Parameters:
    ///   - number: One of ``LocalPIN/numbers``.
    ///   - present: Its present value; the user's PIN if it was not set before.
    /// - Throws: ``KanalError/pinIncorrect(triesLeft:)`` for a wrong present value: the user's login ends if it was the
    ///   user's PIN. ``KanalError/pinLength``, ``KanalError/pinLocked``.
    public func setLocalPIN(
        _ number: Int, to new: borrowing PIN, presenting present: borrowing PIN
    ) throws(KanalError) {
        let (new, present) = (new.secret, present.secret)
        let number = CK_ULONG(clamping: number)
        do throws(CKError) {
            try library.setLocalPIN(number, in: slot, to: new.secret, presenting: present.secret)
        } catch {
            guard error == .pinIncorrect else { throw KanalError(error) }
            let own = try? library.localPIN(number, in: slot)
            throw .pinIncorrect(triesLeft: own?.triesLeft ?? token.triesLeft(of: .user, in: slot))
        }
    }
}
