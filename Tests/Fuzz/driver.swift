import APDU
import ChannelToken
import Emulator
import Foundation
import GOST
import Logging
import Secrets
import SecureChannel
import Storage
@testable import Token

/// The driver at a token that answers as a token would, or with changes, or with anything. The first octet chooses the
/// token, and whether it has a secure channel; then each octet is a call, and what stands behind it are the answers.
/// Whatever comes, a call returns, or throws what it declares, and brings no more than was asked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDriver(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let link = FuzzedLink(
        scenes[Int(first & 0x0F) % scenes.count].card(), input.dropFirst(), isProtected: first & 0x80 != 0)
    guard let history = try? ChannelHistory(random: SystemRandom()) else { fatalError("no random bytes") }
    var settings = Host.one.settings()
    if first & 0x40 != 0 { settings.plainLogin = .sticky }
    guard let token = try? Token(reader: "reader", link: link, settings: settings, history: history) else { return 0 }
    while let call = link.next() { run(call, on: token, link) }
    token.disconnect()
    return 0
}

private func run(_ call: UInt8, on token: Token, _ link: FuzzedLink) {
    do throws(TokenError) {
        switch call % 20 {
        case 0: try token.logIn(as: .user, pin: Secret(copying: Array("12345678".utf8)))
        case 1: try token.logIn(as: .securityOfficer, pin: Secret(copying: Array("87654321".utf8)))
        case 2: try token.logOut()
        case 3: _ = try token.info(evicting: call >= 0x80)
        case 4: _ = try token.modelName()
        case 5:
            let octets = try token.randomBytes(Int(call))
            guard octets.count == Int(call) else { fatalError("\(octets.count) random bytes for \(call)") }
        case 6...9: try use(token.objects(), of: token, call)
        case 10: try makeKeys(token, call)
        case 11: try makeRSAKeys(token)
        case 12: try store(token, call)
        case 13: try changePIN(token, call)
        case 14:
            link.isReset = true
        case 15: token.resume(over: link)
        case 16: try format(token, call)
        default: try token.prepare()
        }
    } catch {
        // What the driver throws is typed.
    }
}

/// Signs, deciphers and deletes, as the call says, with what was found.
private func use(_ objects: TokenObjects, of token: Token, _ call: UInt8) throws(TokenError) {
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
    if call & 1 != 0, let certificate = objects.certificates.first { try token.delete(certificate) }
    if call & 1 != 0, let data = objects.data.first { try token.delete(data) }
}

private func makeKeys(_ token: Token, _ call: UInt8) throws(TokenError) {
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

private func makeRSAKeys(_ token: Token) throws(TokenError) {
    guard let size = RSAKeySize(bits: 512) else { return }
    let half = KeyPairTemplate.Half(label: [], id: [2])
    let (publicKey, _) = try token.generateRSAKeyPair(
        RSAKeyPairTemplate(size: size, publicKey: half, privateKey: half))
    guard publicKey.modulus?.count == 64 else { fatalError("another modulus") }
}

private func store(_ token: Token, _ call: UInt8) throws(TokenError) {
    let value = [UInt8](repeating: 0x30, count: Int(call) * 3)
    if call < 0x80 {
        _ = try token.storeCertificate(value, subject: [0x30, 0x00], label: [0x41], id: [1])
    } else {
        _ = try token.storeData(TokenData(label: [0x41], value: value, isPrivate: call & 1 == 0))
    }
}

private func changePIN(_ token: Token, _ call: UInt8) throws(TokenError) {
    let new = Secret(copying: Array("12345678".utf8))
    if call >= 0x80 {
        try token.changePIN(of: .user, from: Secret(copying: Array("12345678".utf8)), to: new)
    } else {
        try token.resetUserPIN(to: new)
    }
}

private func format(_ token: Token, _ call: UInt8) throws(TokenError) {
    let officer = Array("87654321".utf8)
    let format = TokenFormat(
        securityOfficer: TokenFormat.PIN(value: Secret(copying: officer)),
        user: TokenFormat.PIN(value: Secret(copying: Array("12345678".utf8))), changePolicy: 3,
        label: Array("label".utf8), isRepair: call >= 0x80)
    try token.format(format, pin: Secret(copying: officer))
}

/// Answers from the input: the token's own, with changes, or octets as they come; in a channel, under its protection.
private final class FuzzedLink: CardLink {
    private let card: EmulatedCard
    private var rest: ArraySlice<UInt8>
    private let channel: TokenSide?
    /// As many commands are answered.
    private var patience = 2000
    var isReset = false
    /// Whether RSA keys are really made, which takes long.
    var makesKeys = false

    init(_ card: EmulatedCard, _ input: ArraySlice<UInt8>, isProtected: Bool) {
        self.card = card
        rest = input
        channel = isProtected ? TokenSide(Host.one.pairing) : nil
        channel?.keepsCommands = false
        channel?.answer = { [unowned self] command in reply(to: command) }
    }

    var atr: [UInt8] { card.identity.atr }

    func next() -> UInt8? { rest.popFirst() }

    func beginTransaction() throws(LinkError) -> Bool {
        defer { isReset = false }
        if isReset { card.reset() }
        return isReset
    }

    func endTransaction() {}
    func disconnect() {}

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        patience -= 1
        guard patience > 0 else { throw .removed(sent: false) }
        let isDiscovery = command.cla == 0x80 && command.ins == 0xCA && command.p1 == 0x47
        if let channel {
            if isDiscovery { return changed(Response(.success, data: Host.one.discovery)) }
            return try channel.transmit(command)
        }
        guard let encoded = try? command.encoded() else { throw .malformed }
        if next(in: 0xF8...0xFF) { throw [LinkError.removed(sent: true), .reset, .malformed][Int(encoded.count) % 3] }
        return answer([UInt8](copying: encoded))
    }

    private func next(in range: ClosedRange<UInt8>) -> Bool { rest.first.map(range.contains) ?? false }

    private func answer(_ command: [UInt8]) -> Response {
        let isSlow = !makesKeys && command.count > 5 && command[1] == 0x46
        let response =
            isSlow
            ? Response(.success, data: [UInt8](repeating: 0xC1, count: 64))
            : Response(parsing: card.process(command)) ?? Response(.success)
        return changed(response)
    }

    /// The answer that is given in place of this one.
    private func changed(_ response: Response) -> Response {
        var response = response
        let kind = next() ?? 0
        switch kind {
        case 0x80..<0xA0: response = Response(.success, data: take(Int(kind & 0x1F)))
        case 0xA0..<0xB0: response = Response(.success, data: take(Int(next() ?? 0)))
        case 0xB0..<0xC0: response = Response(StatusWord(next() ?? 0x6A, next() ?? 0x82))
        case 0xC0..<0xD0:
            for _ in 0...(kind & 3) {
                let place = Int(next() ?? 0)
                let octet = next() ?? 0
                if !response.data.isEmpty { response.data[place % response.data.count] = octet }
            }
        case 0xD0..<0xD8: response.data = Array(response.data.prefix(Int(next() ?? 0)))
        case 0xD8..<0xE0: response.data += take(Int(next() ?? 0))
        case 0xE0..<0xE8: response.status = StatusWord(0x61, next() ?? 0)
        default: break
        }
        return response
    }

    private func take(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The token's end of the channel: one command, or a batch.
    private func reply(to command: TokenSide.Received) -> TokenSide.Reply {
        guard command.header[1] == 0x86, command.header[2] & 0xFE == 0x20 else {
            let response = answer(encoded(command))
            return TokenSide.Reply(data: response.data, status: [response.status.sw1, response.status.sw2])
        }
        var cursor = ByteCursor(command.data)
        var data: [UInt8] = []
        while let part = try? cursor.object(0xB0) {
            let response = answer(part)
            data += .object(0xB1, response.encoded)
            if command.header[2] == 0x20, response.status != .success { break }
        }
        return TokenSide.Reply(data: data)
    }

    private func encoded(_ command: TokenSide.Received) -> [UInt8] {
        let count = command.data.count
        let body = count == 0 ? [] : [UInt8(truncatingIfNeeded: count)] + command.data
        return command.header + body + (command.le.map { [$0.last ?? 0] } ?? [])
    }
}

/// A token, and the state that each input begins with: one with an object of each kind, as Kanal or as OpenSC keeps them.
private struct Scene: Sendable {
    private let identity: Identity
    private let memory = VolatileMemory()

    init(_ identity: Identity, isOpenSC: Bool = false) {
        self.identity = identity
        do {
            let card = try EmulatedCard(identity, memory: memory)
            if isOpenSC { prepare(card) } else { try fill(card) }
        } catch {
            fatalError("\(error)")
        }
    }

    func card() -> EmulatedCard {
        do {
            let copy = VolatileMemory()
            if let state = try memory.load() { try copy.save(state) }
            return try EmulatedCard(identity, memory: copy)
        } catch {
            fatalError("\(error)")
        }
    }
}

private let scenes = [Scene(.usb3), Scene(.usb3, isOpenSC: true), Scene(.ecp2), Scene(.flash3)]

private func fill(_ card: EmulatedCard) throws {
    let link = FuzzedLink(card, [], isProtected: false)
    link.makesKeys = true
    let history = try ChannelHistory(random: SystemRandom())
    let token = try Token(reader: "reader", link: link, settings: Host.one.settings(), history: history)
    try token.logIn(as: .user, pin: Secret(copying: Array("12345678".utf8)))
    try makeKeys(token, 0)
    try makeKeys(token, 0x80)
    try makeRSAKeys(token)
    try store(token, 10)
    try store(token, 0x80)
    token.disconnect()
}

/// The files that OpenSC's tools write for a GOST key, a certificate and two data objects.
private func prepare(_ card: EmulatedCard) {
    send(card, "00200002 08 3132333435363738")
    send(card, "00A40000 02 3F00")
    send(card, "00E00000 1F 6F1D 80021388 82023800 83025000 860F430000000000000200000000000000")
    send(card, "00A40800 04 10001001")
    for (size, type) in [("0020", "0320"), ("0040", "1320")] {
        send(
            card,
            "00E00000 27 6F25 8002\(size) 82021000 83020001 8506\(type)00AA0000 860F460002020000000200000000000000")
    }
    send(card, "00468001 00")
    let lists = [("a0", "6002"), ("a1", "6001"), ("a4", "6004"), ("a7", "6006")]
    make(card, 0x5031, lists.map { "\($0.0)0a300804063f005000\($0.1)" }.joined())
    make(
        card, 0x6002,
        "a437300a0c0167030206c0040102300e04010703020274030203b8020101a1193017300c040a3f001000100060"
            + "0200010201010201000201003033300b0c027273030206c0040102300e04010803020274030203b8020102a114"
            + "3012300c040a3f00100010006002000202020400")
    make(
        card, 0x6001,
        "a42f30070c016703020640300d0401070302008b010100020100a1153013300804063f00500002000201010201"
            + "00020100302b30080c02727303020640300d0401080302008b010100020100a110300e300804063f0050000201"
            + "02020400")
    make(card, 0x6004, "301d30080c026374030206403003040108a10c300a300804063f0050000300")
    make(
        card, 0x6006,
        "302730090c036f706503020640300e0c047465737406062a8507010203a10a300804063f005000040030273009"
            + "0c03736563030206c0300e0c047465737406062a8507010203a10a300804063f0050000500")
    make(card, 0x0200, "0440" + String(repeating: "11", count: 64))
    make(card, 0x0201, "308189028181 00" + String(repeating: "c1", count: 128) + "0203010001")
    make(card, 0x0300, "30820004 05000500")
    make(card, 0x0400, "6f70656e")
    make(card, 0x0500, "736563726574")
}

/// Makes a file in the directory of OpenSC's application.
private func make(_ card: EmulatedCard, _ file: Int, _ content: String) {
    let data = octets(content)
    let number = [UInt8(file >> 8), UInt8(file & 0xFF)]
    send(card, "00A40800 02 5000")
    let template: [UInt8] = [0x80, 2, 0, UInt8(data.count), 0x82, 2, 1, 0, 0x83, 2] + number + [0x86, 15, 0x43, 0, 2]
    let file = template + [UInt8](repeating: 0, count: 12)
    send(card, [0, 0xE0, 0, 0, UInt8(file.count + 2), 0x6F, UInt8(file.count)] + file)
    send(card, [0, 0xD6, 0, 0, UInt8(data.count)] + data)
}

private func send(_ card: EmulatedCard, _ command: String) { send(card, octets(command)) }

private func send(_ card: EmulatedCard, _ command: [UInt8]) {
    let answer = card.process(command)
    guard answer.suffix(2) == [0x90, 0x00] else { fatalError("\(command) is answered by \(answer)") }
}

private func octets(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// A host that is paired with a token whose commands may travel in batches.
private final class Host: Sendable {
    static let one = Host()

    let pairing: TokenPairing
    /// What the token answers to GET CAPABILITIES.
    let discovery: [UInt8]
    private let path = FileManager.default.temporaryDirectory.path + "/kanal-fuzz-\(UUID().uuidString)"

    private init() {
        do {
            let directory = try Directory(path: path, create: true)
            let hostKey = try PrivateKey.generate(on: .tc26256B, random: SystemRandom())
            let tokenKey = try PrivateKey.generate(on: .tc26256B, random: SystemRandom())
            try directory.write("host.02", hostKey.scalar.bytes)
            let serial: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 4]
            let sizes: [UInt8] = [0x83, 2, 8, 0, 0x84, 2, 8, 0, 0x85, 1, 0, 0x86, 1, 16, 0x87, 1, 6, 0x88, 1, 4]
            let head: [UInt8] = .object(0x80, Array("GSC/1".utf8)) + .object(0x81, serial)
            let capabilities: [UInt8] = .object(0xE1, head + [0x82, 1, 3] + sizes + [0x89, 1, 1])
            discovery = capabilities + .object(0xE2, [0x80, 1, 0, 0x81, 6, 1, 1, 0, 0, 0, 0, 0x82, 1, 0x41])
            let publicKey = try hostKey.publicKey().bytes
            let hostID = Array(Streebog256.hash(publicKey).prefix(8))
            pairing = TokenPairing(
                profile: 2, capabilities: capabilities, serial: serial, sessions: 4, hostID: hostID,
                hostKey: publicKey, scalar: [UInt8](copying: tokenKey.scalar))
            let record = PairingRecord(
                profile: .modern, capabilities: try Capabilities(parsing: capabilities),
                tokenKey: try tokenKey.publicKey().bytes, hostID: hostID, index: 1, created: 0)
            try PairingStore(directory: directory).save(record)
            atexit { Host.one.forget() }
        } catch {
            fatalError("\(error)")
        }
    }

    private func forget() { try? FileManager.default.removeItem(atPath: path) }

    /// New ones know no token yet.
    func settings() -> TokenSettings {
        TokenSettings(
            pairings: .directory(path), hostLabel: "fuzz", random: SystemRandom(),
            log: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
    }
}
