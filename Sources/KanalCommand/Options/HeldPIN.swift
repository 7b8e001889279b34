// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
package import KanalKit
import Secrets
import Terminal
import Translation

/// A PIN that a closure can hold.
package final class HeldPIN: Sendable {
    let value: PIN?

    /// None, for a token that wants none.
    init() { value = nil }

    package init(_ pin: consuming PIN) { value = consume pin }

    init(_ secret: borrowing Secret) {
        let bytes = secret.bytes
        value = PIN(bytes: bytes)
    }

    /// The same PIN, which stays where it is.
    func shared() throws -> PIN {
        switch value {
        case .some(let pin): return PIN(sharing: pin)
        case .none: throw KanalError.pinNeeded
        }
    }

    /// Calls `body` with the PIN.
    func with<Result>(_ body: (borrowing PIN) throws -> Result) throws -> Result {
        switch value {
        case .some(let pin): return try body(pin)
        case .none: throw KanalError.pinNeeded
        }
    }
}
