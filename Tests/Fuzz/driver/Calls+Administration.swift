import GOST
import Secrets
import Token

/// What the SO does for User, and the token's name.
func administer(_ token: Token, _ call: UInt8) throws(TokenError) {
    switch call >> 5 {
    case 0: try token.unblockUserPIN()
    case 1: try token.resetUserPINToDefault()
    case 2: try token.setDefaultUserPIN(to: Secret(copying: Array("12345678".utf8)))
    case 3: try token.setDefaultUserPIN(to: Secret(count: 0))
    case 4: try token.forceUserPINChange()
    default: try token.setLabel([UInt8](repeating: 0x41, count: Int(call)))
    }
}

func useDataObjects(_ token: Token, _ call: UInt8) throws(TokenError) {
    switch call >> 5 {
    case 0:
        guard try token.licence(1).count == 72 else { fatalError("another licence") }
    case 1: try token.setLicence(4, to: [UInt8](repeating: 1, count: 72))
    case 2: _ = try token.journal()
    case 3: _ = try token.driveSize()
    default: _ = try token.volumes()
    }
}

func useLocalPINs(_ token: Token, _ call: UInt8) throws(TokenError) {
    guard let pin = LocalPIN(number: Int(call & 0x1F)) else { return }
    let value = Secret(copying: Array("12345678".utf8))
    if call >= 0x80 { try token.setLocalPIN(pin, to: value, presenting: value) }
    _ = try token.localPIN(pin)
}

func makeECKeys(_ token: Token) throws(TokenError) {
    let half = KeyPairTemplate.Half(label: [], id: [3])
    let (publicKey, _) = try token.generateECKeyPair(publicKey: half, privateKey: half)
    guard publicKey.point?.count == 64 else { fatalError("another point") }
}

func importKeys(_ token: Token, _ call: UInt8) throws(TokenError) {
    let half = KeyPairTemplate.Half(label: [0x42], id: [4])
    let scalar = Secret(copying: [UInt8](repeating: 1, count: 32))
    guard call < 0x80, let algorithm = KeyAlgorithm(curve: .cryptoProA) else {
        _ = try token.importECKey(scalar, half)
        return
    }
    let template = KeyPairTemplate(
        algorithm: algorithm, gostR3411Parameters: [], gost28147Parameters: [], canDerive: true, publicKey: half,
        privateKey: half)
    guard try token.importKey(scalar, template).isImported else { fatalError("another key") }
}

func storeKeys(_ token: Token, _ call: UInt8) throws(TokenError) {
    let key = TokenStoredKey(
        kind: call & 0x20 == 0 ? .secretKey : .publicKey, isPrivate: call >= 0x80, attributes: [3: [0x41], 0x102: [5]])
    let value = Secret(copying: [UInt8](repeating: 2, count: Int(call)))
    let stored = try token.storeKey(key, value: value)
    _ = try token.change(stored, to: stored)
}

/// Gives everything another label.
func change(_ objects: TokenObjects, of token: Token) throws(TokenError) {
    if var key = objects.keys.last {
        key.label = [0x43]
        key.annotation = ObjectAnnotation(isPrivate: true, attributes: [0x110: Array("20260101".utf8)])
        guard let present = objects.keys.last, try token.change(present, to: key).label == [0x43] else {
            fatalError("another key")
        }
    }
    if let key = objects.rsaKeys.last { _ = try token.change(key, to: key) }
    if let certificate = objects.certificates.last { _ = try token.change(certificate, to: certificate) }
    if let data = objects.data.last { _ = try token.change(data, to: data) }
}

func agree(_ objects: TokenObjects, of token: Token) throws(TokenError) {
    guard let key = objects.keys.last, let peer = objects.keys.first?.value else { return }
    let secret = try token.agree(key, with: peer, ukm: [UInt8](repeating: 1, count: 8), hash: .streebog256)
    guard secret.count == 32 else { fatalError("another secret") }
}
