// SPDX-License-Identifier: Apache-2.0
import APDU
package import Secrets

/// Local PINs. They belong to no login of PKCS #11: each is presented for one change of itself.
extension Token {
    /// Limits and tries of a local PIN; nil if it has no value.
    package func localPIN(_ pin: LocalPIN) throws(TokenError) -> PINState? {
        try transaction(first: .read) { card throws(TokenError) in
            try card.state(of: pin).flatMap { $0.isChanged ? $0 : nil }
        }
    }

    /// Numbers, limits and tries of the local PINs that have a value. A command goes to the token for each number.
    package func localPINs() throws(TokenError) -> [(number: Int, state: PINState)] {
        try transaction(first: .read) { card throws(TokenError) in
            var found: [(number: Int, state: PINState)] = []
            for number in LocalPIN.numbers {
                guard let pin = LocalPIN(number: number), let state = try card.state(of: pin), state.isChanged else {
                    continue
                }
                found.append((number, state))
            }
            return found
        }
    }

    /// Sets a local PIN, for the first time or again. Needs no login, and leaves none.
    ///
    /// - Parameter present: The local PIN's value; if it has none, User's PIN.
    package func setLocalPIN(
        _ pin: LocalPIN, to new: borrowing Secret, presenting present: borrowing Secret
    ) throws(TokenError) {
        let new = new.copy()
        let present = present.copy()
        try new.requirePINLength()
        try transaction { card throws(TokenError) in
            let state = try card.state(of: pin)
            if state?.isChanged == true {
                try card.select(pin.file)
                try card.present(present, as: pin.reference)
                defer { _ = try? card.perform(.resetRight(of: pin.number)) }
                try card.change(pin, to: new)
            } else {
                try card.presenting(present, of: .user) { () throws(TokenError) in
                    // A PIN without a value is left by an interrupted creation.
                    if state == nil { try card.create(pin, size: new.count) }
                    try card.change(pin, to: new)
                }
            }
        }
    }
}

extension Transaction {
    /// - Returns: nil if its file does not exist.
    fileprivate func state(of pin: LocalPIN) throws(TokenError) -> PINState? {
        guard let template = try optional({ () throws(TokenError) in try select(pin.file) }) else { return nil }
        var state = try PINState(template)
        state.minimumLength = max(1, state.minimumLength)
        // Set in every local PIN that has a value.
        state.isChanged = template.properties[2] & 0x03 != 0
        return state
    }

    /// Creates the file, with the minimum length of User's PIN.
    fileprivate func create(_ pin: LocalPIN, size: Int) throws(TokenError) {
        let user = try PINState(parsing: perform(.pinState(.user)))
        try select(.localPINs)
        try perform(
            .create(
                UInt16(pin.number), .pin, size: size,
                properties: [0x21, UInt8(clamping: user.minimumLength), 0x00, 0xAA, 0x00, 0x00],
                access: .localPIN(pin.number)))
    }

    fileprivate func change(_ pin: LocalPIN, to value: borrowing Secret) throws(TokenError) {
        try select(pin.file)
        try change(0, to: value)
    }
}

/// The number of a PIN that one application protects its own files with.
package struct LocalPIN: Sendable, Equatable {
    /// 1 and 2 are the SO's and User's.
    package static let numbers = 3...31

    package let number: UInt8

    /// - Returns: nil unless it is one of ``numbers``.
    package init?(number: Int) {
        guard let number = UInt8(exactly: number), Self.numbers.contains(Int(number)) else { return nil }
        self.number = number
    }

    var file: FilePath { .localPINs.file(UInt16(number)) }
    /// The PIN's reference in VERIFY.
    var reference: UInt8 { 0x80 | number }
}
