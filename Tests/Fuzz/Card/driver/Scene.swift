// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import Secrets
import Token

/// A token, and the state that each input begins with: one with an object of each kind, as Kanal or as OpenSC keeps them.
struct Scene: Sendable {
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

let scenes = [Scene(.usb3), Scene(.usb3, isOpenSC: true), Scene(.ecp2), Scene(.flash3)]

private func fill(_ card: EmulatedCard) throws {
    let link = FuzzedLink(card, [], isProtected: false)
    link.makesKeys = true
    let history = try ChannelHistory(random: SystemRandom())
    let token = try ConnectedToken(
        reader: "reader", link: link, settings: Host.one.settings(), tokens: KnownTokens(), history: history)
    try token.logIn(as: .user, pin: Secret(copying: Array("12345678".utf8)))
    try makeKeys(token, 0)
    try makeKeys(token, 0x80)
    try makeRSAKeys(token)
    try store(token, 10)
    try store(token, 0x80)
    try makeECKeys(token)
    try storeKeys(token, 0x84)
    try change(token.objects(), of: token)
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
    let data = bytes(content)
    let number = [UInt8(file >> 8), UInt8(file & 0xFF)]
    send(card, "00A40800 02 5000")
    let template: [UInt8] = [0x80, 2, 0, UInt8(data.count), 0x82, 2, 1, 0, 0x83, 2] + number + [0x86, 15, 0x43, 0, 2]
    let file = template + [UInt8](repeating: 0, count: 12)
    send(card, [0, 0xE0, 0, 0, UInt8(file.count + 2), 0x6F, UInt8(file.count)] + file)
    send(card, [0, 0xD6, 0, 0, UInt8(data.count)] + data)
}

private func send(_ card: EmulatedCard, _ command: String) { send(card, bytes(command)) }

private func send(_ card: EmulatedCard, _ command: [UInt8]) {
    let answer = card.process(command)
    guard answer.suffix(2) == [0x90, 0x00] else { fatalError("\(command) is answered by \(answer)") }
}

private func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
