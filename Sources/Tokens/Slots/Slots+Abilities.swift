// SPDX-License-Identifier: Apache-2.0

import APDU
import Locking
package import Token

extension Slots {
    /// The abilities of the token in a slot. A token that does not report its versions has all.
    ///
    /// A token without an open session is asked once for each time that it is put in.
    package func abilities(of number: Int) throws(TokensError) -> TokenAbilities {
        guard try state(of: number).hasToken else { throw .noCard }
        let entry = try entry(number, computes: false)
        let events = entry.reader.events
        if let last = entry.signals.abilities.withLock({ $0 }), last.events == events { return last.abilities }
        let abilities = try? withSlot(number, computes: false) { slot throws(TokensError) in
            slot.noticeRemoval()
            if let known = slot.turn.state?.abilities { return known }
            return try slot.withoutSessions { () throws(TokensError) in
                try slot.withToken(waits: false) { token throws(TokenError) in try token.abilities() }
            }
        }
        let isLite = entry.reader.atr.flatMap { TokenModel(atr: $0) } == .lite
        guard let abilities else { return isLite ? .none : .all }
        entry.signals.abilities.withLock { $0 = (events, abilities) }
        return abilities
    }
}
