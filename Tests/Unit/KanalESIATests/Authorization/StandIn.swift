// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Foundation
import KanalESIA
import Locking
import TestSupport

/// The desktop and the other application, controlled by a test: an opened address waits for an answer, and the test
/// ends its time.
final class StandIn: Sendable {
    /// The schemes that the desktop has applications for.
    let schemes = Lock<Set<String>>(["other", "own", "https"])
    /// Whether the opened application can run.
    let canRun = Lock(true)
    let journal = Journal()
    private let folder = Folder()
    private let addresses = AsyncStream.makeStream(of: String.self)
    private let clock = AsyncStream.makeStream(of: Void.self)

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    var runtime: String { folder.path }

    static func settings(_ answers: Authorization.ReturnPath = .scheme("own")) -> Authorization.Settings {
        Authorization.Settings(
            application: .handler(scheme: "other"), answers: answers, title: "A & b", informationSystem: "SYSTEM")
    }

    func authorization(
        _ settings: Authorization.Settings = StandIn.settings(), runtime: String?? = nil,
        offer: Authorization.Offer? = nil
    ) -> Authorization {
        let clock = clock.stream
        return Authorization(
            settings, log: journal.logger, desktop: desktop, runtime: runtime ?? self.runtime,
            sleep: { _ in
                for await _ in clock { return }
                throw CancellationError()
            }, offer: offer)
    }

    private var desktop: Desktop {
        Desktop(
            handles: { scheme in .success(self.schemes.withLock { $0.contains(scheme) }) },
            open: { address, told in
                self.addresses.continuation.yield(address)
                if !self.canRun.withLock({ $0 }) { told(false) }
                return .success(())
            })
    }

    /// The next address that is opened.
    func opened() async -> String? {
        for await address in addresses.stream { return address }
        return nil
    }

    /// The parameters of the next address that is opened.
    func parameters() async throws -> [String: String] {
        let components = await opened().flatMap { URLComponents(string: $0) }
        return (components?.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    /// The state of the next request that is opened.
    func state() async throws -> String { try await parameters()["state"] ?? "" }

    func answer(_ parameters: String, to callback: String = "own:/authorization") async throws(CallbackError) {
        try await Authorization.process("\(callback)?\(parameters)", in: runtime)
    }

    /// Lets the time limit of a request be over.
    func endTime() { clock.continuation.yield() }

    /// A location with a state that no other one has.
    static func location() -> String { "https://identity.example/start?client=1&state=\(UUID().uuidString)" }
}
