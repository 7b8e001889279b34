// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import GOST
import HostCrypto
import Locking
import Logging
import Secrets
import SecureChannel
import TestSupport
import Testing
import Token

/// The driver, without PKCS #11 above it.
struct Driver {
    let reader: EmulatedReader
    let token: ConnectedToken
    let store: Folder

    init(
        _ reader: EmulatedReader, store: Folder = Folder(), configure: (inout TokenSettings) -> Void = { _ in }
    ) throws {
        self.reader = reader
        self.store = store
        var settings = TokenSettings(
            pairings: .directory(store.path), hostLabel: "test", random: SystemRandom(),
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        configure(&settings)
        token = try ConnectedToken(
            reader: EmulatedReader.name, link: reader.connect(to: EmulatedReader.name), settings: settings,
            tokens: KnownTokens(), history: ChannelHistory(random: settings.random))
    }

    /// A driver of a new token, with User logged in.
    static func loggedIn(
        _ identity: Identity, configure: (inout TokenSettings) -> Void = { _ in }
    ) throws -> Driver {
        let isProtected = identity.name == Identity.bt.name
        let reader = try EmulatedReader(identity, passwords: isProtected ? [EmulatedReader.password] : [])
        let driver = try Driver(reader, configure: configure)
        if isProtected { try driver.activate() }
        try driver.logIn()
        return driver
    }

    func activate() throws {
        let password = try ActivationPassword(Array(EmulatedReader.password.utf8).span)
        try token.activate(with: password)
    }

    func logIn() throws { try token.logIn(as: .user, pin: .of(EmulatedReader.userPIN)) }

    /// Another process's driver of the token on USB.
    func other(login: Bool) throws -> Driver {
        let driver = try Driver(reader)
        if login { try driver.logIn() }
        return driver
    }

    /// The number of commands that `call` sends.
    func cost<Result>(_ call: () throws -> Result) rethrows -> (result: Result, commands: Int) {
        let before = reader.commands
        return (try call(), reader.commands - before)
    }

    /// A pair of GOST keys.
    func generateGOST(_ curve: Curve = .cryptoProA) throws -> (TokenObject, TokenObject) {
        try token.generate(NewPair(.gost(GOSTKey(curve, gostR3411Parameters: HashAlgorithm.streebog256.oid)), id: [7]))
    }

    func generateRSA(_ bits: Int) throws -> (TokenObject, TokenObject) {
        let size = try #require(RSAKeySize(bits: bits))
        var pair = NewPair(.rsa(RSAKey(size)), id: [7])
        pair.publicKey.label = Array("public".utf8)
        pair.privateKey.label = Array("private".utf8)
        return try token.generate(pair)
    }

    /// Takes a private key whose numbers are in the order of ``RSANumbers/privateKey(bits:by:)``.
    func importRSA(_ numbers: [[UInt8]], id: [UInt8] = []) throws -> TokenObject {
        let size = try #require(RSAKeySize(bits: numbers[0].count * 8))
        let factors = RSAFactors(
            prime1: Secret(copying: numbers[3]), prime2: Secret(copying: numbers[4]),
            exponent1: Secret(copying: numbers[5]), exponent2: Secret(copying: numbers[6]),
            coefficient: Secret(copying: numbers[7]))
        let kind = RSAKey(size, modulus: numbers[0], publicExponent: numbers[1])
        return try token.importKey(size.privateValue(factors), as: NewPair(.rsa(kind), id: id).privateKey)
    }

    /// A padded block for a signature of 20 bytes (PKCS #1, 9.2).
    static func block(_ key: TokenObject) -> [UInt8] {
        let content = [UInt8](repeating: 0x5A, count: 20)
        return [0x00, 0x01] + [UInt8](repeating: 0xFF, count: key.bits / 8 - 3 - content.count) + [0x00] + content
    }
}

/// Draws these identifiers of files first, then at random.
final class ChosenFiles: RandomSource {
    private let files: Lock<[UInt16]>

    init(_ files: [UInt16]) { self.files = Lock(files) }

    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        let isFile = bytes.count == 2
        guard let file = files.withLock({ isFile && !$0.isEmpty ? $0.removeFirst() : nil }) else {
            return try SystemRandom().fill(&bytes)
        }
        (bytes[0], bytes[1]) = (UInt8(file >> 8), UInt8(truncatingIfNeeded: file))
    }
}

/// The public RSA operation, by the openssl program, independent of the token.
extension RSANumbers {
    struct Failure: Error {}

    /// A block, raised to the public exponent.
    static func raise(_ block: [UInt8], _ key: TokenObject) throws -> [UInt8] {
        guard let modulus = key.modulus, let exponent = key.publicExponent else { throw Failure() }
        let numbers = [UInt8].object(0x30, .object(0x02, [0] + modulus) + .object(0x02, exponent))
        let info = [UInt8].object(
            0x30, [UInt8](hex: "300d06092a864886f70d0101010500") + [UInt8].object(0x03, [0x00] + numbers))
        let openssl = try OpenSSL()
        try openssl.write(info, "key")
        try openssl.write(block, "block")
        let words = "pkeyutl -encrypt -pubin -keyform DER -inkey key -in block -pkeyopt rsa_padding_mode:none"
        guard let result = try openssl.output(words) else { throw Failure() }
        return result
    }
}
