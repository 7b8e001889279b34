import Emulator
import Secrets

/// Commands to a token in software: whatever comes, each is answered by a response that it can have. The first octet of
/// the input chooses the token and who has logged in; then comes one command after the other, each behind its length.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCard(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let card = tokens[Int(first & 0x0F) % tokens.count].card()
    for (bit, number) in [(0x10 as UInt8, 1), (0x20, 2)] where first & bit != 0 {
        _ = card.process([0x00, 0x20, 0x00, UInt8(number), 0x08] + pins[number - 1])
    }
    if first & 0x40 != 0 { _ = card.process([0x80, 0x8A, 0x00, 0x00]) }
    var rest = input.dropFirst()
    while let length = rest.popFirst() {
        let command = Array(rest.prefix(Int(length)))
        rest = rest.dropFirst(Int(length))
        let answer = card.process(command)
        guard isResponse(answer) else { fatalError("\(command) is answered by \(answer)") }
    }
    return 0
}

private let pins = ["87654321", "12345678"].map { Array($0.utf8) }

/// At most 256 bytes and a status word: data only with one that comes with data.
private func isResponse(_ answer: [UInt8]) -> Bool {
    guard (2...258).contains(answer.count) else { return false }
    let status = answer[answer.count - 2]
    return [0x61, 0x62, 0x90].contains(status)
        || answer.count == 2 && (status == 0x63 || status == 0x64 || (0x67...0x6F).contains(status))
}

/// A token, and the state that each input begins with: that of a token with a PIN, a key of each kind and a file.
private struct Token {
    let identity: Identity
    private let memory = VolatileMemory()

    init(_ identity: Identity) {
        self.identity = identity
        do {
            let card = try EmulatedCard(identity, memory: memory, activationPasswords: passwords(identity))
            if identity.name != Identity.bt.name { prepare(card) }
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

private nonisolated(unsafe) let tokens = [Identity.usb3, .flash3, .ecp2, .sc, .bt].map { Token($0) }

private func passwords(_ identity: Identity) -> [String] {
    identity.name == Identity.bt.name ? ["1AAA-AAAA-AAAA-AAAA"] : []
}

private func prepare(_ card: EmulatedCard) {
    send(card, [0x00, 0x20, 0x00, 0x02, 0x08] + pins[1])
    let user: [UInt8] = [0x86, 0x0F, 0x47, 2, 2, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
    let files: [(size: Int, number: UInt8, properties: [UInt8])] = [
        (0x20, 1, [0x03, 0x20, 0x01]), (0x40, 1, [0x13, 0x20, 0x01]), (0xA8, 2, [0x23, 0, 0]), (0x60, 2, [0x33, 0, 0]),
        (0x24, 3, [0x63, 0xE0, 0]), (0x44, 3, [0x73, 0xE0, 0]), (0x20, 4, [0x82, 2, 0]), (0x08, 5, [0x21, 4, 0]),
    ]
    for file in files {
        let body: [UInt8] =
            [0x80, 0x02, UInt8(file.size >> 8), UInt8(file.size & 0xFF), 0x82, 0x02, 0x10, 0x00, 0x83, 0x02, 0x00]
            + [file.number, 0x85, 0x06] + file.properties + [0xAA, 0, 0] + user
        send(card, [0x00, 0xE0, 0x00, 0x00, UInt8(body.count + 2), 0x62, UInt8(body.count)] + body)
    }
    for number in 1...3 as ClosedRange<UInt8> { send(card, [0x00, 0x46, 0x80, number, 0x00]) }
    let value = [UInt8](repeating: 0x31, count: 32)
    for (directory, number, count) in [(0x03, 0x04, 32), (0x05, 0x05, 8)] as [(UInt8, UInt8, Int)] {
        send(card, [0x00, 0xA4, 0x08, 0x00, 0x08, 0x10, 0x00, 0x10, 0x00, 0x60, directory, 0x00, number])
        let data = [0x80, 0x02, 0x00, UInt8(count), 0xA5, UInt8(count)] + value.prefix(count)
        send(card, [0x00, 0x24, 0x01, 0x00, UInt8(data.count)] + data)
    }
}

private func send(_ card: EmulatedCard, _ command: [UInt8]) {
    let answer = card.process(command)
    guard [0x90, 0x61].contains(answer[answer.count - 2]) else { fatalError("\(command) is answered by \(answer)") }
}
