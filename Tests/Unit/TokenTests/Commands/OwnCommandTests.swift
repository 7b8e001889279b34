// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import GOST
import Secrets
import TestSupport
import Testing
import Token

/// A token that is as a real one: it does not say that it is an emulator.
@Suite("What nobody published is sent to emulated tokens only", .serialized)
struct OwnCommandTests {
    private static func real(_ reader: EmulatedReader) {
        reader.onResponse { _, _, response throws(LinkError) in
            response.data == Array("RTEMU".utf8) ? Response(.referencedDataNotFound) : response
        }
    }

    /// The commands that change the card or compute.
    private static func acts(_ driver: Driver, _ call: () throws -> Void) -> [UInt8] {
        let before = driver.reader.sent.count
        #expect(throws: TokenError.unsupported) { try call() }
        let kinds: [UInt8] = [0xE0, 0x46, 0x24, 0x2A, 0x86, 0x22, 0x7A]
        return driver.reader.sent.dropFirst(before).map { $0[1] }.filter(kinds.contains)
    }

    private static func pair(_ kind: CardKey) -> NewPair { NewPair(kind, id: [1], .derives) }
    private static let ecPair = NewPair(.p256, id: [1])

    @Test("keys of the parameter sets whose numbers nobody has seen are neither made nor taken")
    func parameterSets() throws {
        let driver = try Driver.loggedIn(.usb)
        Self.real(driver.reader)
        let confirmed: [Curve] = [.cryptoProA, .cryptoProB, .cryptoProC, .tc26256B, .tc26256C, .tc26256D]
        for curve in Curve.all where GOSTKey(curve).files != nil {
            let pair = Self.pair(.gost(GOSTKey(curve)))
            if confirmed.contains(curve) || curve == .test2001 {
                let (publicKey, privateKey) = try driver.token.generate(pair)
                try driver.token.delete(publicKey)
                try driver.token.delete(privateKey)
                continue
            }
            let acts = Self.acts(driver) { _ = try driver.token.generate(pair) }
            let scalar = Secret(copying: [UInt8](repeating: 1, count: curve.coordinateSize))
            let imports = Self.acts(driver) { _ = try driver.token.importKey(scalar, as: pair.privateKey) }
            #expect(acts + imports == [], "\(curve)")
        }
    }

    @Test("keys on P-256 are neither made nor taken nor used, but seen")
    func ecdsa() throws {
        let driver = try Driver.loggedIn(.usb)
        let keys = try driver.token.generate(Self.ecPair)
        let other = try driver.other(login: true)
        Self.real(driver.reader)
        #expect(try other.token.objects().ecKeys == [keys.0, keys.1])
        let scalar = Secret(copying: [UInt8](repeating: 1, count: 32))
        let calls: [() throws -> Void] = [
            { _ = try other.token.sign(digest: [UInt8](repeating: 1, count: 32), with: keys.1) },
            { _ = try other.token.generate(Self.ecPair) },
            { _ = try other.token.importKey(scalar, as: Self.ecPair.privateKey) },
        ]
        for call in calls { #expect(Self.acts(other, call) == []) }
    }

    @Test("keys do not agree")
    func agreement() throws {
        let driver = try Driver.loggedIn(.usb)
        Self.real(driver.reader)
        let (publicKey, privateKey) = try driver.token.generate(Self.pair(.gost(GOSTKey(.cryptoProA))))
        let peer = try #require(publicKey.value)
        let acts = Self.acts(driver) {
            _ = try driver.token.agree(
                PermittedKey(privateKey) {}, with: peer, ukm: [1, 2, 3, 4, 5, 6, 7, 8], hash: .streebog256)
        }
        #expect(acts == [])
    }

    @Test("the factory state with a key of Magma is refused before anything is erased")
    func emitentKey() throws {
        let driver = try Driver.loggedIn(.usb)
        Self.real(driver.reader)
        let format = TokenFormat(
            securityOfficer: .init(value: .of("87654321")), user: .init(value: .of("12345678")), changePolicy: 0x02,
            label: [], isRepair: false, restoresFactoryState: true,
            emitentKey: .init(.magma, value: Secret(copying: [UInt8](1...32))))
        #expect(Self.acts(driver) { try driver.token.format(format, pin: .of("87654321")) } == [])
    }
}
