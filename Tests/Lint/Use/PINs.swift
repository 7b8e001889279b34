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
        _ token: Token, _ service: ESIAService, _ certificate: TokenCertificate,
        _ send: @Sendable (TokenRequest) async throws -> (status: Int, body: [UInt8])
    ) async throws -> [ESIATokens] {
        let first = try await token.signIn(to: service, by: certificate, pin: pin, trusting: [], send: send)
        return [first, try await token.signIn(to: service, by: certificate, pin: pin, trusting: [], send: send)]
    }

    func signTwice(_ token: Token, _ content: ByteSource, _ certificate: TokenCertificate) async throws {
        try await token.signMessage(of: content, by: certificate, pin: pin) { _ in }
        try await token.signMessage(of: content, by: certificate, pin: pin) { _ in }
    }
}

struct Officer: ~Copyable {
    let present: PIN
    let next: PIN
    let user: PIN

    func formatOften(_ token: Token) async throws {
        try await token.format(officerPIN: present, userPIN: user)
        try await token.format(TokenSetup(label: "new"), officerPIN: present, newOfficerPIN: next, userPIN: user)
        try await token.format(officerPIN: next, userPIN: user, prompt: "Hold the token") { _, _ in }
        try await token.format(officerPIN: nil, newOfficerPIN: next, userPIN: user)
    }
}

func formatOnce(_ token: Token, _ officer: consuming PIN?, _ next: consuming PIN?) async throws {
    try await token.format(officerPIN: officer, newOfficerPIN: next, userPIN: PIN("12345678"))
    try await token.format(officerPIN: nil, newOfficerPIN: PIN("87654321"), userPIN: PIN("12345678"))
    try await token.format(officerPIN: PIN("87654321"), newOfficerPIN: nil, userPIN: PIN("12345678"))
    try await token.format(officerPIN: PIN("87654321"), userPIN: PIN("12345678"))
}

func signInOnce(
    _ token: Token, _ service: ESIAService, _ certificate: TokenCertificate, _ pin: consuming PIN?,
    _ send: @Sendable (TokenRequest) async throws -> (status: Int, body: [UInt8])
) async throws -> [ESIATokens] {
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
