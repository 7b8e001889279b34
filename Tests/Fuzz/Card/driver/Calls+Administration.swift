// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import Token

/// The SO's calls for User, and the token's name.
func administer(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    switch call >> 5 {
    case 0: try token.unblockUserPIN()
    case 1: try token.resetUserPINToDefault()
    case 2: try token.setDefaultUserPIN(to: Secret(copying: Array("12345678".utf8)))
    case 3: try token.setDefaultUserPIN(to: Secret(count: 0))
    case 4: try token.forceUserPINChange()
    default: try token.setLabel([UInt8](repeating: 0x41, count: Int(call)))
    }
}

func useDataObjects(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    switch call >> 5 {
    case 0:
        guard try token.licence(1).count == 72 else { fatalError("another licence") }
    case 1: try token.setLicence(4, to: [UInt8](repeating: 1, count: 72))
    case 2: _ = try token.journal()
    case 3: _ = try token.driveSize()
    default: _ = try token.volumes()
    }
}

func useLocalPINs(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    guard let pin = LocalPIN(number: Int(call & 0x1F)) else { return }
    let value = Secret(copying: Array("12345678".utf8))
    if call >= 0x80 { try token.setLocalPIN(pin, to: value, presenting: value) }
    _ = try token.localPIN(pin)
}

func makeECKeys(_ token: ConnectedToken) throws(TokenError) {
    let halves = pair(p256, id: 3)
    let (publicKey, _) = try token.generateKeyPair(halves.publicKey, halves.privateKey)
    guard publicKey.key?.kind.value?.count == 64 else { fatalError("another point") }
}

private let p256 = CardKey.ec(ECKey([0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]))

func importKeys(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    let scalar = Secret(copying: [UInt8](repeating: 1, count: 32))
    let kind = call < 0x80 ? CardKey.gost(GOSTKey(.cryptoProA)) : p256
    let key = try token.importKey(scalar, as: pair(kind, label: [0x42], id: 4, .derives).privateKey)
    guard key.key?.properties.contains(.imported) == true else { fatalError("another key") }
}

func storeKeys(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    let isSecret = call & 0x20 == 0
    let key = TokenObject(
        isSecret ? .secretKey(valueFile: 0) : .publicKey, isPrivate: call >= 0x80,
        attributes: [3: [0x41], 0x102: [5]])
    let value = Secret(copying: [UInt8](repeating: 2, count: isSecret ? Int(call) : 0))
    let stored = try token.store(key, value: value)
    _ = try token.change(stored, to: stored)
}

/// Gives everything another label.
func change(_ objects: [TokenObject], of token: ConnectedToken) throws(TokenError) {
    for object in objects {
        var changed = object
        changed.label = [0x43]
        changed.attributes = [0x110: Array("20260101".utf8)]
        guard !object.isForeign else { continue }
        guard try token.change(object, to: changed).label == [0x43] else { fatalError("another object") }
    }
}

func agree(_ objects: [TokenObject], of token: ConnectedToken) throws(TokenError) {
    let keys = objects.filter { $0.key?.kind.gostKey != nil }
    guard let key = keys.last, let peer = keys.first?.key?.kind.value else { return }
    let permitted = PermittedKey(key) {}
    let secret = try token.agree(permitted, with: peer, ukm: [UInt8](repeating: 1, count: 8), hash: .streebog256)
    guard secret.count == 32 else { fatalError("another secret") }
}
