// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import Token

/// Signs, deciphers and deletes with the found objects, as the call selects.
func use(_ objects: [TokenObject], of token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    let place = Int(call >> 5)
    for kind in 0..<3 {
        let keys = objects.filter { object in
            switch object.key?.kind {
            case .gost: kind == 0
            case .rsa: kind == 1 && object.key?.half == .privateKey
            case .ec: kind == 2 && object.key?.half == .privateKey
            case nil: false
            }
        }
        guard let object = keys.dropFirst(place).first, let key = object.key else { continue }
        let permitted = PermittedKey(object) {}
        if let rsa = key.kind.rsaKey {
            let block = [UInt8](repeating: 1, count: rsa.size.bits / 8)
            guard try token.sign(block: block, with: permitted).count == block.count else {
                fatalError("another signature")
            }
            guard try token.decipher(block: block, with: permitted).count == block.count else {
                fatalError("another block")
            }
        } else {
            let size = key.kind.signatureSize
            let signature = try token.sign(digest: [UInt8](repeating: 1, count: size / 2), with: permitted)
            guard signature.count == size else { fatalError("a signature of \(signature.count) bytes") }
        }
        if call & 1 != 0 { try token.delete(object) }
    }
    for object in objects {
        if case .secretKey = object.content { _ = try token.value(of: object) }
        if call & 1 != 0, object.key == nil { try token.delete(object) }
    }
}

/// A key pair that is to be.
func pair(_ kind: CardKey, label: [UInt8] = [], id: UInt8, _ properties: TokenKey.Properties = [])
    -> (publicKey: TokenObject, privateKey: TokenObject)
{
    (
        TokenObject(.key(TokenKey(.publicKey, kind, properties)), label: label, id: [id]),
        TokenObject(.key(TokenKey(.privateKey, kind, properties)), label: label, id: [id])
    )
}

func makeKeys(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    let curves: [Curve] = [.cryptoProA, .tc26512A]
    let kind = GOSTKey(curves[Int(call >> 7)], gostR3411Parameters: [6, 1, 1])
    let halves = pair(.gost(kind), label: [0x41], id: 1, .derives)
    let (publicKey, privateKey) = try token.generateKeyPair(halves.publicKey, halves.privateKey)
    guard publicKey.key?.kind.value?.count == 2 * kind.curve.coordinateSize, privateKey.key?.kind.value == nil else {
        fatalError("another key")
    }
}

func makeRSAKeys(_ token: ConnectedToken) throws(TokenError) {
    guard let size = RSAKeySize(bits: 512) else { return }
    let halves = pair(.rsa(RSAKey(size)), id: 2)
    let (publicKey, _) = try token.generateKeyPair(halves.publicKey, halves.privateKey)
    guard publicKey.key?.kind.value?.count == 96 else { fatalError("another modulus") }
}

func store(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    let value = [UInt8](repeating: 0x30, count: Int(call) * 3)
    if call < 0x80 {
        _ = try token.store(
            TokenObject(.certificate(subject: [0x30, 0x00], value: value), label: [0x41], id: [1]))
    } else {
        _ = try token.store(
            TokenObject(.data(TokenData(value: value)), label: [0x41], isPrivate: call & 1 == 0))
    }
}

func changePIN(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    let new = Secret(copying: Array("12345678".utf8))
    if call >= 0x80 {
        try token.changePIN(of: .user, from: Secret(copying: Array("12345678".utf8)), to: new)
    } else {
        try token.resetUserPIN(to: new)
    }
}

func format(_ token: ConnectedToken, _ call: UInt8) throws(TokenError) {
    let officer = Array("87654321".utf8)
    let format = TokenFormat(
        securityOfficer: TokenFormat.PIN(value: Secret(copying: officer)),
        user: TokenFormat.PIN(value: Secret(copying: Array("12345678".utf8))), changePolicy: 3,
        label: Array("label".utf8), isRepair: call >= 0x80)
    try token.format(format, pin: Secret(copying: officer))
}
