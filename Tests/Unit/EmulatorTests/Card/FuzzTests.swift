// SPDX-License-Identifier: Apache-2.0
import APDU
import Emulator
import TestSupport
import Testing

@Suite("Whatever comes, the card answers")
struct FuzzTests {
    private static let instructions: [UInt8] = [
        0xA4, 0xB0, 0xD6, 0xE0, 0xE4, 0x20, 0x24, 0x2C, 0xCA, 0xDA, 0x46, 0x22, 0x2A, 0x84, 0xC0, 0x40, 0x71, 0x7A,
        0x7E, 0x86, 0x8A, 0xFF,
    ]
    private static let parameters: [UInt8] = [
        0x00, 0x01, 0x02, 0x03, 0x04, 0x08, 0x0F, 0x10, 0x19, 0x41, 0x47, 0x4E, 0x61, 0x72, 0x7F, 0x80, 0x81, 0x9A,
        0x9E, 0x0F, 0x10, 0x11, 0x1F, 0x20, 0x21, 0xA8, 0xAA, 0xB6, 0xF4, 0xFF,
    ]

    /// A command with plausible parameters and data made of objects, numbers and noise.
    private static func command(_ random: inout some RandomNumberGenerator) -> [UInt8] {
        let cla: UInt8 =
            [0x00, 0x80, 0x10, 0x90, 0x0C, 0x8C, UInt8.random(in: 0...255, using: &random)]
            .randomElement(using: &random) ?? 0
        var data: [UInt8] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let tags: [UInt8] = [0x62, 0x6F, 0x7C, 0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x8E, 0x97, 0x9A, 0xA5]
            let value = (0..<Int.random(in: 0...34, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            data.appendObject(tags.randomElement(using: &random) ?? 0, value)
        }
        data = Array(data.prefix(255))
        let header = [cla, instructions.randomElement(using: &random) ?? 0]
        let ends = (0..<2).map { _ in parameters.randomElement(using: &random) ?? 0 }
        let body = data.isEmpty ? [] : [UInt8(data.count)] + data
        let le: [UInt8] = Bool.random(using: &random) ? [UInt8.random(in: 0...255, using: &random)] : []
        return Array((header + ends + body + le).dropLast(Int.random(in: 0...20, using: &random) == 0 ? 1 : 0))
    }

    /// Whether the answer is a response APDU that the command can have.
    private static func isResponse(_ answer: [UInt8], to command: [UInt8]) -> Bool {
        (2...258).contains(answer.count) && [0x90, 0x61, 0x62, 0x63, 0x64].contains(answer[answer.count - 2])
            || answer.count == 2 && (0x67...0x6F).contains(answer[0])
    }

    @Test(
        "Random commands in plain and in the channel are answered, never more than 256 bytes, and never crash the card",
        arguments: ChannelProfile.allCases)
    func randomCommands(profile: ChannelProfile) throws {
        var random = SystemRandomNumberGenerator()
        var setup = TokenSetup()
        setup.identity.channel?.policy = 0
        for card in [try EmulatedCard.usb(), try setup.card()] {
            for round in 0..<4000 {
                if round.isMultiple(of: 50) { card.loginUser() }
                let command = Self.command(&random)
                let answer = card.process(command)
                #expect(Self.isResponse(answer, to: command), "\(command.hex) \(answer.hex)")
            }
        }
        let card = try TokenSetup(sessions: 4).card()
        let host = try card.connectedHost(profile)
        for _ in 0..<2000 {
            let command = Self.command(&random)
            guard command.count > 6, command[4] <= 220, command.count <= 6 + Int(command[4]) else { continue }
            let header = [command[0] & 0x90 | 0x0C | host.channel, command[1], command[2], command[3]]
            let data = Array(command.dropFirst(5).prefix(Int(command[4])))
            let padding: UInt8 = Bool.random(using: &random) ? 1 : 2
            let message = host.protect(header: header, data: data, expected: [0], padding: padding)
            let answer = card.process(message)
            #expect(host.open(answer) != nil, "\(command.hex) \(answer.hex)")
            if host.send("00CA018108") == "bare 6985" { #expect(try host.pair() == "9000" && host.open() == "9000") }
        }
    }

    /// A valid message with some bytes changed, cut out or added.
    private static func mutated(_ message: [UInt8], _ random: inout some RandomNumberGenerator) -> [UInt8] {
        var message = message
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0..<max(message.count, 1), using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where !message.isEmpty: message[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where !message.isEmpty: message.remove(at: place)
            case 2: message.insert(UInt8.random(in: 0...255, using: &random), at: place)
            default: message = Array(message.prefix(place))
            }
        }
        return message
    }

    @Test("Noise and damaged handshakes are answered, and the token pairs and opens afterwards", arguments: Variant.all)
    func damagedHandshakes(variant: Variant) throws {
        var random = SystemRandomNumberGenerator()
        var setup = TokenSetup(sessions: variant.sessions)
        setup.identity.channel?.maximumCommand = 4096
        setup.slots[1]?.failuresLeft = 10_000
        setup.slots[1]?.attemptsLeft = 60_000
        let card = try setup.card()
        let host = try card.connectedHost(variant.profile)
        for _ in 0..<150 {
            let share = try host.anyShare()
            let messages = [
                [UInt8](hex: host.firstPairing(share)), [UInt8](hex: host.firstOpening(share, instance: host.instance)),
                [UInt8](hex: host.secondOpening(.init(hostMAC: Array(share.prefix(16)), seed: [], exporter: []))),
                [UInt8](hex: host.command("02", TestObjects.object(0x84, host.hostData) + [0x85, 32] + share)),
                (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) },
                host.protect("00A40800041000100000"),
            ]
            for message in messages {
                let answer = card.process(Self.mutated(message, &random))
                #expect(answer.count >= 2)
            }
        }
        card.reset()
        let tries = card.tries(1)
        if tries[0] == 1 { #expect(try host.pair() == "9000") }
        #expect(try host.open() == "9000")
        #expect(host.send("00CA018108").hasSuffix("9000"))
    }

    @Test("Whatever the administrator sends of the channel's commands, and in batches, the session answers")
    func channelCommands() throws {
        var random = SystemRandomNumberGenerator()
        let card = try TokenSetup(sessions: 4).card()
        var host = try card.connectedHost(.modern)
        for round in 0..<1500 {
            if round.isMultiple(of: 100) { host.send("0020000108" + PIN.administrator) }
            var inner = Self.command(&random)
            if Bool.random(using: &random) {
                let batch = (0..<Int.random(in: 0...5, using: &random)).flatMap { _ in
                    TestObjects.object(0xB0, Array(Self.command(&random).prefix(60)))
                }
                inner = [0x80, 0x86, 0x20, 0, UInt8(min(batch.count, 200))] + batch.prefix(200)
            } else {
                inner.replaceSubrange(0..<min(2, inner.count), with: [0x80, 0x86])
            }
            guard inner.count > 5, inner[4] <= 220, inner.count <= 6 + Int(inner[4]), inner[2] != 0x11 else { continue }
            let data = Array(inner.dropFirst(5).prefix(Int(inner[4])))
            let message = host.protect(
                header: [0x8C | host.channel] + inner[1...3], data: data, expected: [0], padding: 2)
            let answer = card.process(message)
            #expect(host.open(answer) != nil, "\(inner.hex) \(answer.hex)")
            if host.send("00CA018108") == "bare 6985" { host = try card.connectedHost(.modern) }
        }
    }
}
