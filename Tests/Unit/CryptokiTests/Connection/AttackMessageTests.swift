// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import TestSupport
import Testing
import Token
import Tokens
import Translation

@Suite("Each message of a possible attack is logged where the attack is met", .serialized)
struct AttackMessageTests {
    /// A token that an attacker has in hand, the user's store, and the user's log.
    private struct Scene {
        let reader: EmulatedReader
        let store = Folder()
        let journal = Journal()

        init(_ identity: Identity = .bt) throws {
            reader = try EmulatedReader(identity, passwords: identity.channel == nil ? [] : [Application.password])
        }

        func application() -> Application { Application(reader, store: store) { $0.log = journal.logger } }

        /// Pairs, in a process that ends.
        func pair() throws {
            let application = application()
            try application.activate()
            application.library.closeEverything()
        }

        /// Changes the replies to commands whose headers begin like this.
        func attack(_ header: [UInt8], _ change: @escaping @Sendable (inout [UInt8], _ command: [UInt8]) -> Void) {
            reader.onResponse { [reader] _, _, response in
                var response = response
                guard let command = reader.sent.last, command.starts(with: header), !response.data.isEmpty else {
                    return response
                }
                change(&response.data, command)
                return response
            }
        }

        /// The token says that it has no channel.
        func hideChannel() {
            reader.onResponse { _, _, response in
                response.data.first == 0xE1 ? Response(StatusWord(0x6D00)) : response
            }
        }
    }

    /// A Bluetooth token that is reached by a wire and demands no channel.
    private static let bare = Identity.changed {
        $0.policy = 0
        $0.isWireless = false
    }

    private static let scenes: [MessageID: @Sendable () throws -> Journal] = [
        .attackDowngrade: {
            let scene = try Scene()
            // The modern bit is cleared on the way.
            scene.attack([0x80, 0xCA, 0x47]) { data, _ in
                let profiles: [UInt8] = [0x82, 0x01, 0x03]
                if let index = data.indices.first(where: { data[$0...].starts(with: profiles) }) { data[index + 2] = 1 }
            }
            _ = try? scene.application().activate()
            return scene.journal
        },
        .attackKeyChanged: {
            let scene = try Scene()
            try scene.pair()
            scene.reader.removeCard()
            scene.reader.insertCard(
                try EmulatedCard(.bt, activationPasswords: [Application.password], serial: scene.reader.card.serial))
            try scene.pair()
            return scene.journal
        },
        .attackNoChannel: {
            let scene = try Scene(bare)
            scene.hideChannel()
            _ = try? scene.application().open()
            return scene.journal
        },
        .attackNoChannelAnyMore: {
            let scene = try Scene(bare)
            try scene.pair()
            scene.hideChannel()
            _ = try? scene.application().open()
            return scene.journal
        },
        .attackReflection: {
            let scene = try Scene()
            try scene.pair()
            // 7C with 81 and 82 is what the host sends to open a session, and 7C with 82 and 85 the answer.
            scene.attack([0x80, 0x86, 0x03]) { data, command in
                data.replaceSubrange(4..<68, with: command[19..<83])
            }
            _ = try? scene.application().open()
            return scene.journal
        },
        .attackTokenReplaced: {
            let scene = try Scene(.usb)
            let application = scene.application()
            let session = try application.open()
            try application.logIn(session)
            scene.reader.swapCard(try EmulatedCard(.usb))
            _ = try? application.makeKeys(session)
            return scene.journal
        },
        .attackUnproven: {
            let scene = try Scene()
            try scene.pair()
            scene.attack([0x80, 0x86, 0x03]) { data, _ in data[data.count - 1] ^= 1 }
            _ = try? scene.application().open()
            return scene.journal
        },
        .attackWrongMAC: {
            let scene = try Scene()
            let application = scene.application()
            try application.activate()
            let session = try application.open()
            scene.attack([]) { data, _ in data[data.count - 1] ^= 1 }
            try? application.logIn(session)
            return scene.journal
        },
    ]

    @Test("every identifier of an attack has its scene", arguments: MessageID.allCases.filter(\.isAttack))
    func attack(_ id: MessageID) throws {
        let scene = try #require(Self.scenes[id])
        let ids = try scene().ids
        #expect(ids.contains(id.rawValue), "\(ids)")
    }

    @Test("the call that met it is refused with its identifier, too")
    func refusals() throws {
        let scene = try Scene()
        try scene.pair()
        scene.attack([0x80, 0x86, 0x03]) { data, _ in data[data.count - 1] ^= 1 }
        let error = #expect(throws: CKError.deviceError) { try scene.application().open() }
        #expect(error?.messageID == .attackUnproven)
    }

    @Test("a refusal has the identifier of its first cause, unless another one is a possible attack")
    func causes() {
        let held = CKError(CKR_DEVICE_ERROR, Reason(LinkError.sharingViolation))
        let removed = CKError(CKR_DEVICE_REMOVED, Reason(LinkError.removed(sent: true)))
        #expect(removed.following(held).messageID == .cardHeld)
        #expect(CKError(CKR_DEVICE_ERROR, "\(Reason(LinkError.noCard)), and more").messageID == .cardAbsent)
        #expect(CKError.pinLocked.messageID == .pinLocked)
        #expect(CKError.generalError.messageID == .callRefused)
        #expect(CKError.bufferTooSmall.messageID == nil)
    }
}
