// SPDX-License-Identifier: Apache-2.0
import CCryptoki
import Cryptoki
import Secrets

extension Session {
    /// Changes the user's PIN.
    ///
    /// - Throws: ``KanalError/pinIncorrect(triesLeft:)`` for a wrong present PIN, ``KanalError/pinLength`` for a new one that
    ///   the token does not take.
    public func changePIN(from present: borrowing PIN, to new: borrowing PIN) throws(KanalError) {
        let (present, new) = (present.secret, new.secret)
        try call { session throws(CKError) in try session.setPIN(old: present.secret, new: new.secret) }
        token.keep(new)
    }

    /// Names the token; an empty name takes its name away.
    public func setLabel(_ label: String) throws(KanalError) {
        try call { session throws(CKError) in try session.setTokenName(Array(label.utf8)) }
    }
}
