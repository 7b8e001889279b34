// SPDX-License-Identifier: Apache-2.0
import EmulatedTokens
import Emulator
import GOST
import Secrets
import TestSupport
import Testing
import Token

extension DriverPowerCutTests {
    static let pair = NewPair(.gost(GOSTKey(.cryptoProA)), label: Array("key".utf8), id: [9])
    private static let ecPair = NewPair(.p256, label: Array("key".utf8), id: [9])

    static func makeKey(_ driver: Driver) throws { _ = try driver.token.generate(pair) }

    static func importKey(_ driver: Driver) throws { _ = try driver.token.importKey(secret(32), as: pair.privateKey) }

    static func secret(_ count: Int) -> Secret { Secret(copying: [UInt8](repeating: 1, count: count)) }

    static func storeSecret(_ driver: Driver) throws {
        let key = TokenObject(.secretKey(valueFile: 0), isPrivate: true, attributes: [3: [1, 2]])
        _ = try driver.token.store(key, value: secret(300))
    }

    static func changeData(_ driver: Driver) throws {
        let data = try #require(try driver.token.objects().data.first)
        var changed = data
        changed.label = [9]
        _ = try driver.token.change(data, to: changed)
    }

    static func changeKey(_ driver: Driver) throws {
        let key = try #require(try driver.token.objects().keys.first { $0.half == .privateKey })
        var changed = key
        changed.label += [9]
        changed.attributes = [UInt32(changed.label.count): [7]]
        _ = try driver.token.change(key, to: changed)
    }

    static func storeData(_ driver: Driver, isPrivate: Bool) throws {
        let value = [UInt8](repeating: 7, count: 600)
        _ = try driver.token.store(.data(label: [1], value: value, isPrivate: isPrivate))
    }

    static func storeCertificate(_ driver: Driver) throws {
        _ = try driver.token.store(
            .certificate(label: [2], id: [3], subject: [1], value: [UInt8](repeating: 0x30, count: 700)))
    }

    /// As the SO.
    static func officer(_ act: @escaping Act) -> Act {
        { driver in
            try driver.token.logIn(as: .securityOfficer, pin: .of("87654321"))
            try act(driver)
        }
    }

    static func format(restores: Bool) -> Act {
        { driver in
            let key = TokenFormat.EmitentKey(.kuznyechik, value: Secret(copying: [UInt8](1...32)))
            try driver.token.format(
                TokenFormat(
                    securityOfficer: .init(value: .of("next SO PIN")), user: .init(value: .of("next PIN")),
                    changePolicy: 0x03, label: Array("next".utf8), isRepair: false, restoresFactoryState: restores,
                    emitentKey: restores ? key : nil),
                pin: .of("87654321"))
        }
    }

    static let flows: [Flow] = [
        Flow(name: "a first GOST key pair", act: makeKey),
        Flow(name: "another GOST key pair", prepare: makeKey, act: makeKey),
        Flow(name: "a key pair in a channel", isProtected: true, act: makeKey),
        Flow(name: "an RSA key pair", act: { _ = try $0.generateRSA(512) }),
        Flow(name: "a public data object", act: { try storeData($0, isPrivate: false) }),
        Flow(name: "a private data object", act: { try storeData($0, isPrivate: true) }),
        Flow(
            name: "another data object", prepare: { try storeData($0, isPrivate: false) },
            act: { try storeData($0, isPrivate: true) }),
        Flow(name: "a change of data", prepare: { try storeData($0, isPrivate: false) }, act: changeData),
        Flow(name: "a secret key", act: storeSecret),
        Flow(name: "a P-256 key pair", act: { _ = try $0.token.generate(ecPair) }),
        Flow(name: "a GOST key from outside", act: importKey),
        Flow(name: "a P-256 key from outside", act: { _ = try $0.token.importKey(secret(32), as: ecPair.privateKey) }),
        Flow(name: "a change of a key", prepare: makeKey, act: changeKey),
        Flow(
            name: "a second change of a key",
            prepare: {
                try makeKey($0); try changeKey($0)
            }, act: changeKey),
        Flow(name: "a certificate", act: storeCertificate),
        Flow(name: "another certificate", prepare: storeCertificate, act: storeCertificate),
        Flow(
            name: "deletion of a private key", prepare: makeKey,
            act: { driver in
                for key in try driver.token.objects().keys where key.half == .privateKey {
                    try driver.token.delete(key)
                }
            }),
        Flow(
            name: "deletion of a certificate", prepare: storeCertificate,
            act: { driver in
                for certificate in try driver.token.objects().certificates { try driver.token.delete(certificate) }
            }),
        Flow(name: "a first name", act: { try $0.token.setLabel(Array("name".utf8)) }),
        Flow(
            name: "a longer name", prepare: { try $0.token.setLabel([0x78]) },
            act: { try $0.token.setLabel([UInt8](repeating: 0x79, count: 250)) }, isGone: true),
        Flow(
            name: "a shorter name", prepare: { try $0.token.setLabel([UInt8](repeating: 0x78, count: 250)) },
            act: { try $0.token.setLabel([0x79]) }, isGone: true),
        Flow(
            name: "a local PIN",
            act: { driver in
                let pin = try #require(LocalPIN(number: 3))
                try driver.token.setLocalPIN(pin, to: .of("local PIN"), presenting: .of(EmulatedReader.userPIN))
            }),
        Flow(
            name: "a change of User's PIN",
            act: { try $0.token.changePIN(of: .user, from: .of(EmulatedReader.userPIN), to: .of("next PIN")) },
            pins: [(EmulatedReader.userPIN, "87654321"), ("next PIN", "87654321")]),
        Flow(
            name: "a change of the SO's PIN",
            act: { try $0.token.changePIN(of: .securityOfficer, from: .of("87654321"), to: .of("next SO PIN")) },
            pins: [(EmulatedReader.userPIN, "87654321"), (EmulatedReader.userPIN, "next SO PIN")]),
        Flow(name: "a forced change", act: officer { try $0.token.forceUserPINChange() }),
        Flow(name: "unblocking", act: officer { try $0.token.unblockUserPIN() }),
    ]
}
