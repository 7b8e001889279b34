import GOST
import Secrets
import Token

/// Signs, deciphers and deletes, as the call says, with what was found.
func use(_ objects: TokenObjects, of token: Token, _ call: UInt8) throws(TokenError) {
    let place = Int(call >> 5)
    if let key = objects.keys.dropFirst(place).first {
        let size = key.curve.coordinateSize
        let signature = try token.sign(digest: [UInt8](repeating: 1, count: size), with: key)
        guard signature.count == 2 * size else { fatalError("a signature of \(signature.count) bytes") }
        if call & 1 != 0 { try token.delete(key) }
    }
    if let key = objects.rsaKeys.dropFirst(place).first, key.half == .privateKey {
        let block = [UInt8](repeating: 1, count: key.bits / 8)
        guard try token.sign(block: block, with: key).count == block.count else { fatalError("another signature") }
        guard try token.decipher(block: block, with: key).count == block.count else { fatalError("another block") }
        if call & 1 != 0 { try token.delete(key) }
    }
    if let key = objects.ecKeys.dropFirst(place).first, key.half == .privateKey {
        guard try token.sign(digest: [UInt8](repeating: 1, count: 32), with: key).count == 64 else {
            fatalError("another signature")
        }
        if call & 1 != 0 { try token.delete(key) }
    }
    if let key = objects.storedKeys.dropFirst(place).first {
        _ = try token.value(of: key)
        if call & 1 != 0 { try token.delete(key) }
    }
    if call & 1 != 0, let certificate = objects.certificates.first { try token.delete(certificate) }
    if call & 1 != 0, let data = objects.data.first { try token.delete(data) }
}

func makeKeys(_ token: Token, _ call: UInt8) throws(TokenError) {
    let curves: [Curve] = [.cryptoProA, .tc26512A]
    guard let algorithm = KeyAlgorithm(curve: curves[Int(call >> 7)]) else { return }
    let half = KeyPairTemplate.Half(label: [0x41], id: [1])
    let (publicKey, privateKey) = try token.generateKeyPair(
        KeyPairTemplate(
            algorithm: algorithm, gostR3411Parameters: [6, 1, 1], gost28147Parameters: [], canDerive: true,
            publicKey: half, privateKey: half))
    guard publicKey.value?.count == 2 * algorithm.curve.coordinateSize, privateKey.value == nil else {
        fatalError("another key")
    }
}

func makeRSAKeys(_ token: Token) throws(TokenError) {
    guard let size = RSAKeySize(bits: 512) else { return }
    let half = KeyPairTemplate.Half(label: [], id: [2])
    let (publicKey, _) = try token.generateRSAKeyPair(
        RSAKeyPairTemplate(size: size, publicKey: half, privateKey: half))
    guard publicKey.modulus?.count == 64 else { fatalError("another modulus") }
}

func store(_ token: Token, _ call: UInt8) throws(TokenError) {
    let value = [UInt8](repeating: 0x30, count: Int(call) * 3)
    if call < 0x80 {
        _ = try token.storeCertificate(
            TokenCertificate(label: [0x41], id: [1], subject: [0x30, 0x00], value: value))
    } else {
        _ = try token.storeData(TokenData(label: [0x41], value: value, isPrivate: call & 1 == 0))
    }
}

func changePIN(_ token: Token, _ call: UInt8) throws(TokenError) {
    let new = Secret(copying: Array("12345678".utf8))
    if call >= 0x80 {
        try token.changePIN(of: .user, from: Secret(copying: Array("12345678".utf8)), to: new)
    } else {
        try token.resetUserPIN(to: new)
    }
}

func format(_ token: Token, _ call: UInt8) throws(TokenError) {
    let officer = Array("87654321".utf8)
    let format = TokenFormat(
        securityOfficer: TokenFormat.PIN(value: Secret(copying: officer)),
        user: TokenFormat.PIN(value: Secret(copying: Array("12345678".utf8))), changePolicy: 3,
        label: Array("label".utf8), isRepair: call >= 0x80)
    try token.format(format, pin: Secret(copying: officer))
}
