// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import Foundation
import Logging
import PCSC
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

/// A token that must keep the contract: each emulated one, and the one in the reader that `KANAL_TEST_READER` names.
///
/// `KANAL_TEST_PIN` is that token's User PIN; tests that need a login are left out without it. A real token is changed
/// only if `KANAL_TEST_DESTRUCTIVE` is 1: then it is formatted again and again, with the SO's PIN in
/// `KANAL_TEST_SO_PIN`, and left with the PINs of new tokens.
struct Subject: Sendable, CustomTestStringConvertible {
    static let userPIN = "12345678"
    static let securityOfficerPIN = "87654321"

    private enum Place: Sendable {
        case emulator(Identity)
        case reader(String)
    }

    private let place: Place
    /// User's PIN, if it is known.
    let pin: String?
    private let securityOfficersPIN: String

    private static let emulated = Identity.all.map {
        Subject(place: .emulator($0), pin: userPIN, securityOfficersPIN: securityOfficerPIN)
    }

    private static let real: [Subject] = {
        let environment = ProcessInfo.processInfo.environment
        guard let reader = environment["KANAL_TEST_READER"] else { return [] }
        return [
            Subject(
                place: .reader(reader), pin: environment["KANAL_TEST_PIN"],
                securityOfficersPIN: environment["KANAL_TEST_SO_PIN"] ?? securityOfficerPIN)
        ]
    }()

    private static let mayDestroy = ProcessInfo.processInfo.environment["KANAL_TEST_DESTRUCTIVE"] == "1"

    static let all = emulated + real
    /// Those that take commands without a channel.
    static let plain = all.filter { !$0.hasChannel }
    /// Those whose User PIN is known.
    static let known = all.filter { $0.pin != nil }
    /// Those that may be changed.
    static let disposable = emulated + (mayDestroy ? real : [])
    /// Those of them that compute with keys.
    static let computing = disposable.filter { $0.computes }

    var testDescription: String {
        switch place {
        case .emulator(let identity): identity.name
        case .reader(let reader): reader
        }
    }

    private var hasChannel: Bool {
        if case .emulator(let identity) = place { identity.name == Identity.bt.name } else { false }
    }

    private var computes: Bool {
        if case .emulator(let identity) = place { identity.name != Identity.lite.name } else { true }
    }

    /// A connection to the token; an emulated one is new.
    func connect() throws -> any CardLink {
        switch place {
        case .emulator(let identity):
            let passwords = hasChannel ? [EmulatedLink.password] : []
            return EmulatedLink(try EmulatedCard(identity, activationPasswords: passwords))
        case .reader(let reader):
            return try PCSCReaders().connect(to: reader)
        }
    }

    /// The token behind a connection, ready for work.
    func token(over link: any CardLink) throws -> ConnectedToken {
        let folder = (link as? EmulatedLink)?.folder
        let settings = TokenSettings(
            pairings: folder.map { .directory($0.path) } ?? .nowhere, hostLabel: "contract", random: SystemRandom(),
            log: Logger(label: "contract") { _ in SwiftLogNoOpLogHandler() })
        let token = try ConnectedToken(
            reader: testDescription, link: link, settings: settings, tokens: KnownTokens(),
            history: ChannelHistory(random: SystemRandom()))
        if !token.isActivated {
            let password = try ActivationPassword(Array(EmulatedLink.password.utf8).span)
            try token.activate(with: password)
            try token.prepare()
        }
        return token
    }

    /// The token, as it is.
    func token() throws -> ConnectedToken { try token(over: connect()) }

    /// The token, with nothing on it and the PINs of a new one.
    func freshToken() throws -> ConnectedToken {
        let token = try token()
        if case .reader = place {
            let pin = Secret(copying: Array(securityOfficersPIN.utf8))
            try token.format(Self.format(), pin: pin)
        }
        return token
    }

    /// The same, and the same token as another process sees it.
    func freshTokens() throws -> (ConnectedToken, other: ConnectedToken) {
        let link = try connect()
        if case .reader = place { return (try freshToken(), try token()) }
        guard let emulated = link as? EmulatedLink else { throw LinkError.noCard }
        return (try token(over: link), try token(over: emulated.another()))
    }

    /// The options of a format that leaves a token as good as new.
    static func format(
        policy: UInt8 = 0x03, label: String = "contract", isRepair: Bool = false, restoresFactoryState: Bool = false,
        emitentKey: TokenFormat.EmitentKey? = nil
    ) -> TokenFormat {
        TokenFormat(
            securityOfficer: .init(value: .of(securityOfficerPIN)), user: .init(value: .of(userPIN)),
            changePolicy: policy, label: Array(label.utf8), isRepair: isRepair,
            restoresFactoryState: restoresFactoryState, emitentKey: emitentKey)
    }
}

/// An emulated card in this process. A T=0 card gets its commands as from a reader's driver.
final class EmulatedLink: CardLink {
    /// The password that activates its channel.
    static let password = "1BCD-EFGH-JKLM-NPQR"

    private let card: EmulatedCard
    /// The host's directory of pairings.
    let folder = FileManager.default.temporaryDirectory.appending(path: "kanal-\(UUID().uuidString)")

    init(_ card: EmulatedCard) { self.card = card }

    /// Another connection to the same card.
    func another() -> EmulatedLink { EmulatedLink(card) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var atr: [UInt8] { card.identity.atr }
    func beginTransaction() throws(LinkError) -> Bool { false }
    func endTransaction() {}
    func disconnect() {}

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        guard card.identity.name == Identity.sc.name else { return try card.transmit(command) }
        return try ByteProtocol.transmit(command) { (tpdu: borrowing Secret) throws(LinkError) in
            guard let response = Response(parsing: card.process([UInt8](copying: tpdu))) else { throw .malformed }
            return response
        }
    }
}

/// The behaviour of every card that this project supports, emulated or real. One test after another: a reader has one
/// card, and what one test selects another would find selected.
@Suite("The contract of a card", .serialized)
enum Contract {}
