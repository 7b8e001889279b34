// SPDX-License-Identifier: Apache-2.0
import Cryptoki
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import Secrets
import SecureChannel
import TestSupport
import Token
import Tokens

/// A machine with one reader, an application's manager, and time that passes during a wait.
struct Machine {
    let reader: EmulatedReader
    let manager: TokenManager
    let time = TestTime()
    let journal = Journal()
    private let folder: Folder

    /// - Parameters:
    ///   - reader: The reader of another machine; nil for a new one with a new token.
    ///   - place: A machine whose pairings these are too; nil for none.
    init(
        _ identity: Identity = .bt, sharing reader: EmulatedReader? = nil, at place: Machine? = nil,
        label: String = "test", interaction: UserInteraction = UserInteraction(),
        policy: (inout TokenPolicy) -> Void = { _ in }
    ) throws {
        folder = place?.folder ?? Folder()
        self.reader = try reader ?? EmulatedReader(identity, passwords: [EmulatedReader.password])
        var settings = TokenSettings(
            pairings: .directory(folder.path), hostLabel: label, random: SystemRandom(), log: journal.logger)
        settings.clocks = time.clocks
        policy(&settings.policy)
        manager = TokenManager(readers: self.reader, settings: settings, interaction: interaction)
    }

    /// The token, activated.
    func token() async throws -> KanalKit.Token {
        let token = try await manager.find()
        if !token.isActivated { try await token.activate(password: ActivationPassword(EmulatedReader.password)) }
        return token
    }

    /// The number of times that a PIN was presented.
    var verifications: Int { reader.count(of: 0x20) }

    static var pin: PIN { PIN(EmulatedReader.userPIN) }
    static var officerPIN: PIN { PIN("87654321") }
}
