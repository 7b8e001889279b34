// SPDX-License-Identifier: Apache-2.0
// A PIN that is stored, used twice, made in place, or not there.
import KanalESIA
import KanalKit

struct Owner: ~Copyable {
    let pin: PIN

    func countTwice(_ token: Token) async throws -> Int {
        let first = try await token.perform(pin: pin) { session in try session.certificates().count }
        return try await first + token.perform(pin: pin) { session in try session.certificates().count }
    }

    func signInTwice(
        _ token: Token, _ service: IdentityService, _ certificate: TokenCertificate,
        _ send: @Sendable (TokenRequest) async throws -> (status: Int, body: [UInt8])
    ) async throws -> [IdentityTokens] {
        let first = try await token.signIn(to: service, by: certificate, pin: pin, trusting: [], send: send)
        return [first, try await token.signIn(to: service, by: certificate, pin: pin, trusting: [], send: send)]
    }

    func signTwice(_ token: Token, _ content: ByteSource, _ certificate: TokenCertificate) async throws {
        try await token.signMessage(of: content, by: certificate, pin: pin) { _ in }
        try await token.signMessage(of: content, by: certificate, pin: pin) { _ in }
    }
}

func signInOnce(
    _ token: Token, _ service: IdentityService, _ certificate: TokenCertificate, _ pin: consuming PIN?,
    _ send: @Sendable (TokenRequest) async throws -> (status: Int, body: [UInt8])
) async throws -> [IdentityTokens] {
    [
        try await token.signIn(to: service, by: certificate, pin: PIN("12345678"), trusting: [], send: send),
        try await token.signIn(to: service, by: certificate, pin: pin, trusting: [], send: send),
        try await token.signIn(to: service, by: certificate, trusting: [], send: send),
        try await token.signIn(to: service, by: certificate, pin: nil, trusting: [], send: send),
    ]
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
