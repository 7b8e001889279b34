// SPDX-License-Identifier: Apache-2.0
// All functions that take closures or give events, from the main actor, and closures that use its state.
import KanalESIA
import KanalKit

@MainActor
final class Window {
    private var wanted = "0e5f21a7"
    private var seen: [String] = []
    private var text = ""
    private let pin = PIN("12345678")

    func find(_ manager: TokenManager) async throws -> [Token] {
        let first = try await manager.find { token, stop in
            seen.append(token.information.serialText)
            stop = seen.count > 8
            return token.information.serialText == wanted
        }
        let field = try await manager.withField(prompt: text) { try await manager.find(attempts: 2) }
        let all = try await manager.findAll { token in
            seen.append(token.description)
            return token.isActivated
        }
        return [first, field, try await manager.find(named: wanted)] + all
    }

    func read(_ secrets: SharedSecrets) async throws -> Int {
        try await secrets.read(service: "mail", account: wanted) { bytes in
            text = "\(bytes.count)"
            return bytes.count
        }
    }

    func work(_ token: Token, _ content: ByteSource, _ certificate: TokenCertificate) async throws {
        seen = try await token.perform(pin: pin, prompt: text) { session in
            try session.certificates().map { $0.label }
        }
        try await token.signMessage(of: content, by: certificate, pin: pin) { _ in }
        try await token.format(officerPIN: pin, userPIN: pin) { [weak self] done, total in
            Task { @MainActor in self?.text = "\(done) of \(total)" }
        }
    }

    func signIn(_ token: Token, _ service: ESIAService, _ certificate: TokenCertificate) async throws {
        _ = try await token.signIn(to: service, by: certificate, pin: pin, trusting: []) { [weak self] request in
            await self?.note("\(request)")
            return (200, [])
        }
    }

    func verify(_ message: ByteSource, trusting root: [UInt8]) async throws -> Int {
        try await MessageVerifier(trusting: [root]).verify(message) { [weak self] piece in
            Task { @MainActor in self?.text = "\(piece.count)" }
        }.count
    }

    func authorize(by settings: Authorization.Settings) async throws -> AuthorizationCode {
        let authorization = Authorization(settings) { [weak self] page in
            await self?.note(page)
            return false
        }
        return try await authorization.authorizeSession(at: text)
    }

    private func note(_ text: String) { self.text = text }

    func share() async throws {
        try await Share(Share.Settings()).run { [weak self] event in
            Task { @MainActor in self?.text = "\(event)" }
        }
    }

    func watch(_ manager: TokenManager, _ token: Token, _ secrets: SharedSecrets) async throws {
        for await event in manager.events() { note("\(event)") }
        for await state in token.states { note("\(state)") }
        for try await event in secrets.events() { note("\(event)") }
    }
}

@main
struct Program {
    static func main() async throws {
        let manager = try TokenManager()
        var names: [String] = []
        let token = try await manager.find { token, _ in
            names.append(token.description)
            return names.count > 1
        }
        let secrets = try SharedSecrets(accessGroup: "mail")
        try await secrets.read(service: "mail", account: token.description) { bytes in names.append("\(bytes.count)") }
    }
}
