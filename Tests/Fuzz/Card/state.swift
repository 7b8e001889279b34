// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
@testable import Emulator

/// The emulator's memory: refused with a typed error, or a token that survives a round trip and answers commands. The
/// first byte chooses a token and whether the input is the memory as it is, its content without the head and hash, or
/// changes to a token's own: place, two bytes, then the value added there, modulo 2.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzState(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let (identity, state) = states[Int(first & 0x0F) % states.count]
    let rest = Array(input.dropFirst())
    switch first >> 6 {
    case 0: read(rest, identity)
    case 1: read(hashed(Array("KNLE".utf8) + [0, first & 0x03] + rest), identity)
    default: read(hashed(changed(state, rest)), identity)
    }
    return 0
}

private func hashed(_ content: [UInt8]) -> [UInt8] { content + Streebog256.hash(content) }

private func read(_ memory: [UInt8], _ identity: Identity) {
    guard let state = try? CardState(decoding: Secret(copying: memory)) else { return }
    let encoded = state.encoded()
    guard let again = try? CardState(decoding: encoded), constantTimeEqual(again.encoded().bytes, encoded.bytes) else {
        fatalError("a state that reads back as another")
    }
    let volatile = VolatileMemory()
    try? volatile.save(Secret(copying: memory))
    guard let card = try? EmulatedCard(identity, memory: volatile) else { return }
    for command in commands {
        let answer = card.process(command)
        guard answer.count >= 2 else { fatalError("\(command) is not answered") }
    }
    card.reset()
    _ = card.label
}

/// Three bytes for each change.
private func changed(_ content: [UInt8], _ changes: [UInt8]) -> [UInt8] {
    var content = content
    for index in stride(from: 0, to: changes.count - 2, by: 3) {
        let place = Int(changes[index]) << 8 | Int(changes[index + 1])
        content[6 + place % (content.count - 6)] ^= changes[index + 2]
    }
    return content
}

/// Tokens as they are made, without the hash, with a key and a file of each kind.
private let states: [(Identity, [UInt8])] = [Identity.usb3, .flash3, .ecp2, .bt].map { identity in
    do {
        let memory = VolatileMemory()
        let isWireless = identity.name == Identity.bt.name
        let card = try EmulatedCard(
            identity, memory: memory, activationPasswords: isWireless ? ["1AAA-AAAA-AAAA-AAAA"] : [],
            random: Counted())
        if !isWireless { for command in preparation { _ = card.process(command) } }
        guard let state = try memory.load() else { fatalError("nothing was kept") }
        return (identity, [UInt8](copying: state).dropLast(Streebog256.digestSize))
    } catch {
        fatalError("\(error)")
    }
}

private let logins = ["00200002083132333435363738", "00200001083837363534333231"]

private let preparation = bytes(
    logins + [
        "00A4080004 10001001",
        "00E0000027 6225 80020020 82021000 83020001 8506032001AA0000 860F470202020000000200000000000000",
        "00E0000027 6225 80020040 82021000 83020001 8506132001AA0000 860F460002000000000200000000000000",
        "0046800100", "00DA016204 02000000", "00A4080004 10001001",
        "00E000001F 621D 80020010 82020100 83020123 860F430000000000000200000000000000", "00D6000004 01020304",
    ])

/// Something of everything that a state decides.
private let commands = bytes(
    logins + [
        "80CA470000", "00A40000023F00", "00A40004023F00", "00A4000400", "00A4080406 100010006001 00", "00A4000400",
        "00A40006020001 00", "00A4080406 100010010123 00", "00B0000000", "00D6000002FFFF", "00A4080006 100010001000",
        "00B0000000", "00CA010126", "00CA010226", "00CA013204", "00CA018100", "00CA018900", "00CA018A00", "00CA016204",
        "00CA018500", "00CA017B00", "00CA016100", "8071000000", "807E000004", "0084000008", "002241B603840101",
        "002A9E9A20 0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F40", "002C0302",
        "0024010210 8002000AA60A 31323334353637383930", "80400000", "00200002083132333435363738",
        "00E4000002 0123", "807A0000",
    ])

private func bytes(_ commands: [String]) -> [[UInt8]] {
    commands.map { text in
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

/// "Random" bytes that are the same in each run.
private final class Counted: RandomSource, @unchecked Sendable {
    private var state: UInt64 = 1

    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        for index in bytes.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
        }
    }
}
