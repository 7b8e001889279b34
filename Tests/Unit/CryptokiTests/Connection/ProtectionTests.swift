// SPDX-License-Identifier: Apache-2.0
import APDU
import CCryptoki
import Cryptoki
import EmulatedTokens
import Emulator
import SecureChannel
import Storage
import TestSupport
import Testing
import Token
import Tokens

@Suite("No fallback to plain (4)", .serialized)
struct ProtectionTests {
    private static func wireless(_ settings: inout TokenSettings) {
        settings.policy.wirelessReaders = [WildcardPattern("Virtual*")]
    }

    /// A reader whose card seems not to know the secure channel.
    private static func hiding(_ status: StatusWord, in reader: EmulatedReader) {
        reader.onResponse { _, instruction, response throws(LinkError) in
            instruction == 0xCA ? Response(status) : response
        }
    }

    @Test(
        "N61: a token in a wireless reader that denies its channel gets nothing in plain", arguments: [0x6D00, 0x6A88])
    func deniedWireless(_ status: Int) throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder(), configure: Self.wireless)
        Self.hiding(StatusWord(UInt16(status)), in: reader)
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        #expect(try !application.library.token(in: 0, evicting: true).isActivated)
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("Where kanal.conf has an error no token is worked with, and none taken for one that is not activated")
    func errorInConfiguration() throws {
        for (identity, passwords) in [(Identity.usb, []), (.bt, [Application.password])] {
            let reader = try EmulatedReader(identity, passwords: passwords)
            let application = Application(reader, store: Folder()) {
                $0.pairings = .unusable(.denied(.configuration))
                $0.policy.requireSM = true
            }
            #expect(throws: CKError(CKR_FUNCTION_FAILED)) { try application.open() }
            let wanted = passwords.isEmpty ? CKError.functionNotSupported : CKError(CKR_FUNCTION_FAILED)
            #expect(throws: wanted) { try application.activate() }
            #expect(reader.plainCommands.isEmpty)
        }
    }

    @Test("N61: a token that this host is paired with and that denies its channel is not worked with in plain")
    func deniedAfterPairing() throws {
        let store = Folder()
        // A token that answers in plain too, so that the protection is the host's own decision.
        let reader = try EmulatedReader(
            .changed {
                $0.policy = 0; $0.isWireless = false
            }, passwords: [Application.password])
        let application = Application(reader, store: store) { $0.policy.requireSM = true }
        try application.activate()
        Self.hiding(StatusWord(0x6D00), in: reader)
        let later = Application(reader, store: store)
        #expect(throws: CKError.functionNotSupported) { try later.open() }
        #expect(reader.count(of: 0x20) == 0)
        let lenient = Application(reader, store: store) { $0.policy.plainBluetooth = true }
        #expect(throws: CKError.functionNotSupported) { try lenient.open() }
        #expect(reader.count(of: 0x20) == 0)
    }

    @Test("N61: a cleared policy bit changes nothing in a wireless reader or with a record", arguments: [true, false])
    func clearedPolicy(_ isPaired: Bool) throws {
        let store = Folder()
        let reader = try EmulatedReader(
            .changed {
                $0.policy = 0; $0.isWireless = false
            }, passwords: [Application.password])
        if isPaired {
            try Application(reader, store: store) { $0.policy.requireSM = true }.activate()
            let application = Application(reader, store: store)
            let session = try application.open()
            try application.logIn(session)
        } else {
            let application = Application(reader, store: store, configure: Self.wireless)
            #expect(throws: CKError.functionNotSupported) { try application.open() }
        }
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("A Bluetooth token that hides its channel, or says that it can do without, gets nothing in plain by a wire")
    func bluetooth() throws {
        let bare = Identity.changed {
            $0.policy = 0
            $0.isWireless = false
        }
        for isHidden in [true, false] {
            let reader = try EmulatedReader(bare, passwords: [Application.password])
            reader.onResponse { _, _, response throws(LinkError) in
                isHidden && response.data.first == 0xE1 ? Response(StatusWord(0x6D00)) : response
            }
            let journal = Journal()
            let application = Application(reader, store: Folder()) { $0.log = journal.logger }
            #expect(throws: CKError.functionNotSupported) { try application.open() }
            #expect(try application.library.token(in: 0, evicting: true).info.serial == reader.card.serial)
            #expect(reader.count(of: 0x20) == 0)
            #expect(journal.messages.contains { $0.contains("plain_bluetooth") } == isHidden)
            let allowed = Application(reader, store: Folder()) { $0.policy.plainBluetooth = true }
            try allowed.logIn(allowed.open())
        }
    }

    @Test("N34: a token that was paired classic and now proves to have the modern profile is activated again")
    func raisedProfile() throws {
        let memory = VolatileMemory()
        let store = Folder()
        _ = try EmulatedReader(.bt, memory: memory, passwords: [Application.password])
        let before = try EmulatedReader(.changed { $0.profiles = [.classic] }, memory: memory)
        try Application(before, store: store).activate()
        let reader = try EmulatedReader(.bt, memory: memory)
        let application = Application(reader, store: store)
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        #expect(reader.plainCommands.isEmpty)
        try application.activate()
        _ = try application.open()
    }

    @Test("N61: with require_sm a token without a channel is not worked with, on a wired reader either")
    func required() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder()) { $0.policy.requireSM = true }
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        #expect(throws: CKError.functionNotSupported) { try application.activate() }
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("N1: a malformed E1 is an error on any reader, and nothing follows it in plain")
    func malformed() throws {
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let application = Application(reader, store: Folder())
        reader.onResponse { _, _, response throws(LinkError) in Response(response.status, data: response.data + [0]) }
        #expect(throws: CKError.deviceError) { try application.open() }
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("N36: an unpaired token opens no session, and tells who it is")
    func unpaired() throws {
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let application = Application(reader, store: Folder())
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        let token = try application.library.token(in: 0, evicting: false)
        #expect(token.info.serial == reader.card.serial)
        #expect(reader.plainCommands.isEmpty)
    }

    @Test("N80: a token without a channel on a wired reader is worked with in plain, and asked for a channel once")
    func plain() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        for _ in 0..<3 {
            _ = try application.library.token(in: 0, evicting: false)
            let session = try application.open()
            try application.logIn(session)
            try application.library.closeAllSessions(with: 0)
        }
        #expect(reader.headers.count { $0 == [0x80, 0xCA, 0x47, 0x00] } == 1)
    }

    @Test("N80: another token with the same answer to reset is asked for its channel")
    func anotherPlain() throws {
        let reader = try EmulatedReader(.usb)
        let application = Application(reader, store: Folder())
        _ = try application.library.token(in: 0, evicting: false)
        reader.removeCard()
        var identity = Identity.usb
        identity.channel = ChannelOffer()
        reader.insertCard(try EmulatedCard(identity, activationPasswords: [Application.password]))
        #expect(throws: CKError.functionNotSupported) { try application.open() }
        try application.activate()
        _ = try application.open()
    }

    @Test("N81: with minimum_profile = modern a token that has classic only is refused, and nothing is sent for it")
    func minimumProfile() throws {
        let store = Folder()
        let reader = try EmulatedReader(.bt(.classic), passwords: [Application.password])
        let strict = Application(reader, store: store) { $0.policy.minimumProfile = .modern }
        #expect(throws: CKError.functionNotSupported) { try strict.activate() }
        #expect(reader.count(of: 0x86) == 0)
        // An earlier pairing is not used either.
        let lenient = Application(reader, store: store)
        try lenient.activate()
        let before = reader.count(of: 0x86)
        #expect(throws: CKError.functionNotSupported) { try strict.open() }
        #expect(try strict.library.token(in: 0, evicting: true).info.serial == reader.card.serial)
        #expect(reader.count(of: 0x86) == before)
    }

    @Test("N34: a token that was paired in the modern profile is never spoken to in the classic one")
    func pinned() throws {
        let store = Folder()
        let reader = try EmulatedReader(.bt, passwords: [Application.password])
        let application = Application(reader, store: store)
        try application.activate()
        // The same token, as it says, offers classic only.
        reader.removeCard()
        reader.insertCard(
            try EmulatedCard(.bt(.classic), activationPasswords: [Application.password], serial: reader.card.serial))
        #expect(throws: (any Error).self) { try application.open() }
        #expect(throws: CKError.deviceError) { try application.activate() }
        #expect(!reader.headers.contains { $0[1] == 0x86 && [1, 3].contains($0[2]) && $0[3] == 1 })
    }

    @Test("both profiles are used where both ends have them, the modern one then", arguments: ChannelProfile.allCases)
    func profiles(_ profile: ChannelProfile) throws {
        let reader = try EmulatedReader(.bt(profile), passwords: [Application.password])
        let journal = Journal()
        let application = Application(reader, store: Folder()) { $0.log = journal.logger }
        try application.activate()
        let session = try application.open()
        try application.logIn(session)
        let keys = try application.makeKeys(session)
        _ = try application.sign(session, keys.privateKey, Application.digest, CKM_GOSTR3410)
        // Each use of the classic profile is logged (4).
        #expect(journal.messages.contains { $0.contains("classic") } == (profile == .classic))
        #expect(reader.plainCommands.isEmpty)
    }
}
