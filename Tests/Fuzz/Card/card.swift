// SPDX-License-Identifier: Apache-2.0
import Emulator
import Secrets

/// Commands to a token in software: each is answered by a response that it can have. The first byte of the input
/// chooses the token and who has logged in; then comes one command after the other, each behind its length, or behind a
/// byte from F0 one of the samples, whose last command has some of its bytes changed.
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
        let commands = length < 0xF0 ? [Array(rest.prefix(Int(length)))] : changedSample(rest.prefix(4))
        rest = rest.dropFirst(length < 0xF0 ? Int(length) : 4)
        for command in commands {
            let answer = card.process(command)
            guard isResponse(answer) else { fatalError("\(command) is answered by \(answer)") }
        }
    }
    return 0
}

/// Sensible commands: their number, one to be added to the last byte, a place and the value added there.
private func changedSample(_ choice: ArraySlice<UInt8>) -> [[UInt8]] {
    let choice = choice + [0, 0, 0, 0]
    var commands = samples[Int(choice[choice.startIndex]) % samples.count]
    guard var command = commands.popLast() else { return [] }
    command[command.count - 1] &+= choice[choice.startIndex + 1]
    command[Int(choice[choice.startIndex + 2]) % command.count] ^= choice[choice.startIndex + 3]
    return commands + [command]
}

/// The base point of CryptoPro's parameter set A, and a block that is below every modulus.
private let point =
    "01" + String(repeating: "00", count: 31) + "141E9F9E9CC9AC22B1E323DF2D4F2935762B3F455A50DF27DA9C98E071E4918D"
private let block = String(repeating: "11", count: 63) + "00"

private let samples = [
    "00A40800041000100100", "00A40804061000100060010100", "00A4000000", "00A4000202100000", "00A4030000", "00B0000000",
    "00D6000004544E0300", "00E000001F6F1D8002010082020100830240018600", "00E40000024001", "00200002083132333435363738",
    "00200085083131313131313131", "00200001", "002401020E80020008A6083132333435363738", "002C0302", "00CA010100",
    "00CA017B00", "00DA0161 0AA6083132333435363738", "00DA01620402000000", "0046800100", "0046800208A60694040100010000",
    "0022F400", "002241B603840101", "002281B603830101", "002241B803840102", "002241AA03800102", "002241A603840101",
    "002241B806800102840104", "102A908003616263", "002A9080036465660020", "002A9E0000",
    "002A86800801020304050607080000",
    "002A9E9A20000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F40", "0084000010", "00C0000010",
    "8040000000", "8071000000", "807A0000", "808A0000", "80844E19", "807E310104", "8053110000", "80CA470000",
    "00E000002762258002002082021000830200118506032000AA0000860F470202020000000200000000000000",
    "00E000002762258002004082021000830200118506132000AA0000860F460002000000000200000000000000",
    // Sequences with their preconditions: RSA, in a chain too; agreement; ciphers; a hash and its signature;
    // verification.
    "002241B603840102/002A9E9A40\(block)00", "002241B803840102/002A808640\(block)00",
    "002241B803840102/102A808620\(block.prefix(64))/002A808620\(block.suffix(64))00",
    "002241B803840101/002A808648\(point)010203040506070800",
    "002241A606800102840101/008600004E7C4C8540\(point)9408010203040506070800",
    "002241A603840101/008600004E7C4C8540\(point)9408010203040506070800",
    "002241B806800101840104/002A868010\(block.prefix(32))00",
    "002241B810800102840104870801020304050607 08/002A808610\(block.prefix(32))00",
    "002241B806800103840104/002A868010\(block.prefix(32))00",
    "002241B806800101840106/002A868010\(block.prefix(32))00",
    "002241B806800102840107/002A808610\(block.prefix(32))00", "002241AA03800101/002A908003616263/002A9E0000",
    "002241B603840101/002A908003616263/002A9E0000", "002241B603840103/002A9E9A20\(block.prefix(64))00",
    "002281B603830101/002A00A8649A20\(block.prefix(64))9E40\(block)",
].map { text in
    text.split(separator: "/").map { command in
        let digits = command.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

private let pins = ["87654321", "12345678"].map { Array($0.utf8) }

/// At most 256 bytes and a status word: data only if the status word allows data.
private func isResponse(_ answer: [UInt8]) -> Bool {
    guard (2...258).contains(answer.count) else { return false }
    let status = answer[answer.count - 2]
    return [0x61, 0x62, 0x90].contains(status)
        || answer.count == 2 && (status == 0x63 || status == 0x64 || (0x67...0x6F).contains(status))
}

/// A token, and the state that each input begins with: a token with a PIN, a key of each kind and a file.
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

private let tokens = [Identity.usb3, .flash3, .ecp2, .sc, .bt].map { Token($0) }

private func passwords(_ identity: Identity) -> [String] {
    identity.name == Identity.bt.name ? ["1AAA-AAAA-AAAA-AAAA"] : []
}

private func prepare(_ card: EmulatedCard) {
    send(card, [0x00, 0x20, 0x00, 0x02, 0x08] + pins[1])
    let user: [UInt8] = [0x86, 0x0F, 0x47, 2, 2, 2, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]
    let files: [(size: Int, number: UInt8, properties: [UInt8])] = [
        (0x20, 1, [0x03, 0x20, 0x01]), (0x40, 1, [0x13, 0x20, 0x01]), (0xA8, 2, [0x23, 0, 0]), (0x60, 2, [0x33, 0, 0]),
        (0x24, 3, [0x63, 0xE0, 0]), (0x44, 3, [0x73, 0xE0, 0]), (0x20, 4, [0x82, 2, 0]), (0x08, 5, [0x21, 4, 0]),
        (0x20, 6, [0x02, 0, 0]), (0x20, 7, [0x82, 1, 0]),
    ]
    for file in files {
        let body: [UInt8] =
            [0x80, 0x02, UInt8(file.size >> 8), UInt8(file.size & 0xFF), 0x82, 0x02, 0x10, 0x00, 0x83, 0x02, 0x00]
            + [file.number, 0x85, 0x06] + file.properties + [0xAA, 0, 0] + user
        send(card, [0x00, 0xE0, 0x00, 0x00, UInt8(body.count + 2), 0x62, UInt8(body.count)] + body)
    }
    for number in 1...3 as ClosedRange<UInt8> { send(card, [0x00, 0x46, 0x80, number, 0x00]) }
    let value = [UInt8](repeating: 0x31, count: 32)
    let values: [(UInt8, UInt8, Int)] = [(0x03, 0x04, 32), (0x03, 0x06, 32), (0x03, 0x07, 32), (0x05, 0x05, 8)]
    for (directory, number, count) in values {
        send(card, [0x00, 0xA4, 0x08, 0x00, 0x08, 0x10, 0x00, 0x10, 0x00, 0x60, directory, 0x00, number])
        let data = [0x80, 0x02, 0x00, UInt8(count), 0xA5, UInt8(count)] + value.prefix(count)
        send(card, [0x00, 0x24, 0x01, 0x00, UInt8(data.count)] + data)
    }
}

private func send(_ card: EmulatedCard, _ command: [UInt8]) {
    let answer = card.process(command)
    guard [0x90, 0x61].contains(answer[answer.count - 2]) else { fatalError("\(command) is answered by \(answer)") }
}
