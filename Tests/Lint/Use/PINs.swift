// SPDX-License-Identifier: Apache-2.0
// A PIN that is stored, used twice, made in place, or not there.
import KanalKit

struct Owner: ~Copyable {
    let pin: PIN

    func countTwice(_ token: Token) async throws -> Int {
        let first = try await token.perform(pin: pin) { session in try session.certificates().count }
        return try await first + token.perform(pin: pin) { session in try session.certificates().count }
    }
}

func inPlace(_ token: Token) async throws -> Int {
    try await token.perform(pin: PIN("12345678")) { session in try session.certificates().count }
}

func borrowed(_ token: Token, _ pin: borrowing PIN) async throws -> Int {
    try await token.perform(pin: pin) { session in try session.certificates().count }
}

func optional(_ token: Token, _ pin: consuming PIN?) async throws -> Int {
    try await token.perform(pin: pin) { session in try session.certificates().count }
}

func without(_ token: Token) async throws -> Int {
    try await token.perform { session in try session.certificates().count }
        + token.perform(pin: nil) { session in try session.certificates().count }
}
