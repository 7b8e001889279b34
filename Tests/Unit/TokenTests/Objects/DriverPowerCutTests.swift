// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import GOST
import SecureChannel
import Secrets
import TestSupport
import Testing
import Token

/// Power cuts at each write that an operation of the driver causes.
@Suite("Power cuts under the driver", .serialized)
struct DriverPowerCutTests {
    typealias Act = @Sendable (Driver) throws -> Void

    /// An operation of the driver.
    struct Flow: Sendable, CustomTestStringConvertible {
        let name: String
        var isProtected = false
        /// Runs before, with power.
        var prepare: Act = { _ in }
        let act: Act
        /// Whether the replaced object is missing for a while.
        var isGone = false
        /// User's and the SO's PIN, if the operation can have changed them.
        var pins: [(user: String, officer: String)] = [(EmulatedReader.userPIN, "87654321")]
        var testDescription: String { name }
    }

    /// An application's view of a token.
    struct Sight: Equatable {
        var objects: [TokenObject]
        var secrets: [[UInt8]]
        var label: [UInt8]?
        var isChangeForced: Bool
        var localPIN: PINState?

        /// The card chooses numbers and files, which differ each time.
        init(_ driver: Driver) throws {
            let info = try driver.token.info(evicting: true)
            label = info.label
            isChangeForced = info.isUserPINChangeForced
            localPIN = try LocalPIN(number: 3).flatMap { try driver.token.localPIN($0) }
            objects = try driver.token.objects()
            secrets = try objects.storedKeys.map { key in
                let value = try driver.token.value(of: key)
                return [UInt8](copying: value)
            }
            for index in objects.indices {
                (objects[index].file, objects[index].annotation) = (0, 0)
                switch objects[index].content {
                case .secretKey: objects[index].content = .secretKey(valueFile: 0)
                case .key(var key):
                    key.number = 0
                    if var kind = key.kind.gostKey { kind.value = nil; key.kind = .gost(kind) }
                    if var kind = key.kind.rsaKey { kind.modulus = nil; key.kind = .rsa(kind) }
                    if var kind = key.kind.ecKey { kind.point = nil; key.kind = .ec(kind) }
                    objects[index].content = .key(key)
                case .certificate, .data, .publicKey: break
                }
            }
        }
    }

    /// Does it with the power cut at a write. Gives the reader with the card powered again, and whether there was a cut.
    private static func cut(_ flow: Flow, at write: Int) throws -> (reader: EmulatedReader, store: Folder, Bool) {
        let memory = FallibleMemory(VolatileMemory())
        let identity = flow.isProtected ? Identity.bt : .usb
        let passwords = flow.isProtected ? [EmulatedReader.password] : []
        let reader = try EmulatedReader(identity, memory: memory, passwords: passwords)
        let driver = try Driver(reader)
        if flow.isProtected { try driver.activate() }
        try driver.logIn()
        try flow.prepare(driver)
        memory.fail(at: write)
        reader.onResponse { _, _, response throws(LinkError) in
            guard memory.writes < write else { throw .removed(sent: true) }
            return response
        }
        let failure = Result { try flow.act(driver) }
        let wasCut = memory.writes >= write
        #expect(wasCut || (try? failure.get()) != nil)
        memory.fail(at: .max)
        reader.onResponse(nil)
        reader.removeCard()
        reader.insertCard(try EmulatedCard(identity, memory: memory))
        return (reader, driver.store, wasCut)
    }

    /// The token as another process finds it, with User logged in.
    private static func next(_ reader: EmulatedReader, _ store: Folder, _ flow: Flow) throws -> Driver {
        let driver = try Driver(reader, store: store)
        let info = try driver.token.info(evicting: true)
        // VERIFY spends a try before it compares, and the right PIN gives it back.
        #expect(info.user.triesLeft >= 9 && info.securityOfficer.triesLeft >= 9)
        let pins = try #require(
            flow.pins.first { pins in (try? driver.token.logIn(as: .user, pin: .of(pins.user))) != nil })
        #expect(
            flow.pins.contains { (try? driver.token.logIn(as: .securityOfficer, pin: .of($0.officer))) != nil })
        try driver.token.logOut()
        try driver.token.logIn(as: .user, pin: .of(pins.user))
        let tries = try driver.token.info(evicting: true)
        #expect(tries.user.triesLeft == 10 && tries.securityOfficer.triesLeft == 10)
        return driver
    }

    @Test("what is visible is all of an operation or nothing, and it can be done again", arguments: flows + objectFlows)
    func everyWrite(_ flow: Flow) throws {
        let (before, after) = try Self.ends(of: flow)
        var cuts = 0
        for write in 1...200 {
            let (reader, store, wasCut) = try Self.cut(flow, at: write)
            let driver = try Self.next(reader, store, flow)
            let sight = try Sight(driver)
            var gone = before
            if flow.isGone { gone.label = nil }
            #expect([before, after, gone].contains(sight), "write \(write)")
            guard wasCut else { break }
            cuts += 1
            guard sight != after, flow.pins.count == 1 else { continue }
            try flow.act(driver)
            try driver.logIn()
            #expect(try Sight(driver) == after, "write \(write)")
        }
        #expect(cuts > 0 && cuts < 200)
    }

    @Test(
        "what is visible after any one answer is lost, while the card works on, is all of an operation or nothing",
        arguments: objectFlows.filter { !$0.isProtected })
    func everyAnswer(_ flow: Flow) throws {
        let (before, after) = try Self.ends(of: flow)
        for lost in 1...40 {
            let driver = try Driver.loggedIn(.usb)
            try flow.prepare(driver)
            driver.reader.onResponse { number, _, response throws(LinkError) in
                guard number != lost else { throw .transmission(code: 0x8010_0016) }
                return response
            }
            _ = try? flow.act(driver)
            driver.reader.onResponse(nil)
            #expect(try [before, after].contains(Sight(driver.other(login: true))), "answer \(lost)")
        }
    }

    /// The views before and after the operation.
    private static func ends(of flow: Flow) throws -> (Sight, Sight) {
        let identity = flow.isProtected ? Identity.bt : .usb
        let driver = try Driver(EmulatedReader(identity, passwords: flow.isProtected ? [EmulatedReader.password] : []))
        if flow.isProtected { try driver.activate() }
        try driver.logIn()
        try flow.prepare(driver)
        let before = try Sight(driver)
        try flow.act(driver)
        try driver.token.logIn(as: .user, pin: .of(flow.pins.last.map(\.user) ?? EmulatedReader.userPIN))
        return (before, try Sight(driver))
    }

    @Test("a formatting that was cut short leaves a token that opens, and is done again", arguments: [false, true])
    func formatting(restores: Bool) throws {
        let flow = Flow(name: "format", prepare: Self.makeKey, act: Self.format(restores: restores))
        for write in 1...300 {
            let (reader, store, wasCut) = try Self.cut(flow, at: write)
            let driver = try Driver(reader, store: store)
            _ = try driver.token.info(evicting: true)
            #expect(try driver.token.objects().keys.count <= 1)
            guard wasCut else { return #expect(write > 40) }
            let pins = ["87654321", "next SO PIN"]
            let format = TokenFormat(
                securityOfficer: .init(value: .of("third SO PIN")), user: .init(value: .of("third PIN")),
                changePolicy: 0x03, label: Array("third".utf8), isRepair: false)
            #expect(
                pins.contains { (try? driver.token.format(format, pin: .of($0))) != nil }, "write \(write)")
            try driver.token.logIn(as: .user, pin: .of("third PIN"))
            #expect(try driver.token.info(evicting: true).label == Array("third".utf8))
            #expect(try driver.token.objects() == [])
            try Self.makeKey(driver)
        }
        Issue.record("the format does not end")
    }

    @Test("a pairing that was cut short is there or can be made", arguments: ChannelProfile.allCases)
    func pairing(_ profile: ChannelProfile) throws {
        for write in 1...50 {
            let memory = FallibleMemory(VolatileMemory())
            let reader = try EmulatedReader(.bt(profile), memory: memory, passwords: [EmulatedReader.password])
            let interrupted = try Driver(reader)
            memory.fail(at: write)
            reader.onResponse { _, _, response throws(LinkError) in
                guard memory.writes < write else { throw .removed(sent: true) }
                return response
            }
            let outcome = Result { try interrupted.activate() }
            let wasCut = memory.writes >= write
            memory.fail(at: .max)
            reader.onResponse(nil)
            reader.removeCard()
            reader.insertCard(try EmulatedCard(.bt(profile), memory: memory))
            let driver = try Driver(reader, store: interrupted.store)
            if (try? driver.token.prepare()) == nil || (try? driver.logIn()) == nil {
                try driver.activate()
                try driver.logIn()
            }
            #expect(try driver.token.info(evicting: true).user.triesLeft == 10)
            try Self.makeKey(driver)
            guard wasCut else {
                try outcome.get()
                return #expect(write > 2)
            }
        }
        Issue.record("the pairing does not end")
    }
}
