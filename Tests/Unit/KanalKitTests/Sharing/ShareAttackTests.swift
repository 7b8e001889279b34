// SPDX-License-Identifier: Apache-2.0
import APDU
import EmulatedTokens
import Emulator
import KanalKit
import Locking
import SecureChannel
import Secrets
import Storage
import TestSupport
import Testing

/// A host that has paired with a share, and sends arbitrary commands inside of the channel.
struct HostileHost {
    static let pin = Array("12345678".utf8)
    /// VERIFY of the administrator's PIN, of User's, and of the local PIN 3.
    static let references: [UInt8] = [0x01, 0x02, 0x83]
    /// How a command of eight bytes is cut into a chain.
    static let cuts: [[Range<Int>]] = [[0..<8, 8..<8], [0..<0, 0..<8], [0..<4, 4..<8], [0..<0, 0..<8, 8..<8]]
    /// Headers of commands that no page describes, or that no host sends.
    static let unknown: [[UInt8]] = [
        [0x80, 0x20, 0, 2], [0x00, 0x20, 1, 2], [0x00, 0x20, 0, 0], [0x00, 0x20, 0, 0x82], [0x00, 0x21, 0, 2],
        [0x80, 0x2A, 0x9E, 0x9A], [0x00, 0x2A, 0x9E, 0x9B], [0x00, 0x2A, 0x90, 0x00], [0x80, 0x7E, 0x32, 1],
        [0x80, 0x59, 0x10, 0], [0x00, 0x88, 0, 0], [0x80, 0xC0, 0, 0], [0x00, 0x22, 0xF3, 1], [0x00, 0x2C, 0, 2],
    ]

    private let folder = Folder()

    /// Pairs by the password, and opens a channel.
    func channel(_ readers: some ReaderService, _ name: String, password: String) throws -> SecureChannel {
        let link = try readers.connect(to: name)
        guard case .present(let capabilities, _) = try Discovery.run(over: link) else { throw LinkError.malformed }
        let store = PairingStore(directory: try Directory(path: folder.path, create: true))
        try store.prepare(for: .modern, random: SystemRandom())
        let password = try ActivationPassword(Array(password.utf8).span)
        let channel = try SecureChannel.activate(
            with: password, over: link, capabilities: capabilities, profile: .modern, label: "far", store: store,
            instance: Instance(random: SystemRandom()), random: SystemRandom())
        // The first command of a channel changes nothing.
        #expect(try channel.transmit(Command(0x00, 0xCA, 0x01, 0x81, ne: 8)).status == .success)
        return channel
    }

    static func links(_ command: borrowing Command, in pieces: [Range<Int>]) -> [[UInt8]] {
        pieces.enumerated().map { index, piece in
            let data = [UInt8](copying: command.data)[piece]
            let cla = index == pieces.count - 1 ? command.cla : command.cla | 0x10
            return [cla, command.ins, command.p1, command.p2] + (data.isEmpty ? [] : [UInt8(data.count)] + data)
        }
    }

    /// The status of the last of the commands.
    func send(_ channel: SecureChannel, _ apdus: [[UInt8]]) throws -> StatusWord {
        var status = StatusWord.success
        for apdu in apdus { status = try channel.transmit(Command(parsing: apdu.span)).status }
        return status
    }
}

@Suite("A paired host that means no good")
struct ShareAttackTests {
    private static let pin = HostileHost.pin

    private let host = HostileHost()

    private func channel(_ reader: SharedReader) throws -> SecureChannel {
        try host.channel(reader, "far", password: reader.password)
    }

    private func send(_ channel: SecureChannel, _ apdus: [[UInt8]]) throws -> StatusWord {
        try host.send(channel, apdus)
    }

    @Test("a login in a chain is asked for like any other, however it is cut", arguments: HostileHost.cuts)
    func chainedLogin(_ pieces: [Range<Int>]) throws {
        for number in HostileHost.references {
            let reader = try SharedReader(confirmation: .login, agrees: false)
            let channel = try channel(reader)
            let verify = Command(0x00, 0x20, 0x00, number, bytes: Self.pin)
            #expect(try send(channel, HostileHost.links(verify, in: pieces)) == .securityStatusNotSatisfied)
            #expect(reader.token.executions(of: 0x20) == 0)
            #expect(
                reader.events.withLock {
                    $0.contains(.declined(number == 0x01 ? "login as administrator" : "login", host: "far"))
                })
        }
    }

    @Test("a login in a chain counts as one")
    func countedLogin() throws {
        let reader = try SharedReader(confirmation: .login)
        let channel = try channel(reader)
        #expect(try send(channel, [[0x10, 0x20, 0, 2, 8] + Self.pin, [0x00, 0x20, 0, 2]]) == .success)
        #expect(reader.events.withLock { $0.contains(.loggedIn(host: "far")) })
        #expect(reader.token.executions(of: 0x20) == 1)
    }

    @Test("each way to use a key is asked for, in a chain too")
    func keyUses() throws {
        let reader = try SharedReader(confirmation: .signature, agrees: false)
        let channel = try channel(reader)
        let data = [UInt8](repeating: 7, count: 32)
        for header in [[0x2A, 0x9E, 0x9A], [0x2A, 0x9E, 0x00], [0x2A, 0x80, 0x86], [0x86, 0x00, 0x00]] as [[UInt8]] {
            let command = Command(0x00, header[0], header[1], header[2], bytes: data)
            for pieces in [[0..<32], [0..<32, 32..<32], [0..<5, 5..<32]] {
                #expect(try send(channel, HostileHost.links(command, in: pieces)) == .securityStatusNotSatisfied)
            }
            #expect(reader.token.executions(of: header[0]) == 0)
        }
        let wanted = Share.Event.declined("use of a private key", host: "far")
        let declined = reader.events.withLock { $0.filter { $0 == wanted }.count }
        #expect(declined == 12)
    }

    @Test("with confirmation, or for one use, nothing passes of which it is not known what it does")
    func unknown() throws {
        let reader = try SharedReader(confirmation: .login)
        let channel = try channel(reader)
        for header in HostileHost.unknown {
            let whole = header + [8] + Self.pin
            let chained = [header[0] | 0x10] + whole.dropFirst()
            for apdus in [[whole], [chained, header]] {
                #expect(try send(channel, apdus) == .securityStatusNotSatisfied, "\(header)")
            }
            #expect(reader.events.withLock { $0.contains(.refused(header, host: "far")) }, "\(header)")
            #expect(reader.token.executions(of: header[1]) == 0)
        }
    }

    @Test("a chain whose end is another command leaves nothing behind on the token")
    func brokenChain() throws {
        let reader = try SharedReader(confirmation: .login)
        let channel = try channel(reader)
        #expect(try send(channel, [[0x10, 0x20, 0, 2, 8] + Self.pin, [0x00, 0xCA, 0x01, 0x32, 4]]) == .success)
        #expect(try send(channel, [[0x00, 0x20, 0, 2]]) == StatusWord(0x63CA))
        #expect(!reader.events.withLock { $0.contains(.loggedIn(host: "far")) })
        // More than any command needs.
        let link = [0x10, 0x20, 0, 2, 200] + [UInt8](repeating: 0x31, count: 200)
        #expect(try send(channel, [[UInt8]](repeating: link, count: 20)) == .success)
        #expect(try send(channel, [link]) == StatusWord.wrongLength)
        #expect(try send(channel, [[0x00, 0x20, 0, 2]]) == StatusWord(0x63CA))
        #expect(reader.token.executions(of: 0x20) == 2)
    }

    @Test("commands of a batch are asked for one by one")
    func batch() throws {
        let reader = try SharedReader(confirmation: .login, agrees: false)
        let channel = try channel(reader)
        var batch = Batch(goesOn: true)
        batch.append(Command(0x00, 0xCA, 0x01, 0x32, ne: 4))
        batch.append(Command(0x00, 0x20, 0x00, 0x02, bytes: Self.pin))
        batch.append(Command(0x80, 0x7E, 0x32, 0x01, ne: 4))
        let statuses = try channel.transmit(batch).map(\.status)
        #expect(statuses == [.success, .securityStatusNotSatisfied, .securityStatusNotSatisfied])
        #expect(reader.token.executions(of: 0x20) == 0)
    }

    @Test("who may sign logs in as User and as nobody else, and changes and makes no PIN")
    func signing() throws {
        let reader = try SharedReader(permissions: [.read, .sign, .write])
        let channel = try channel(reader)
        let template: [UInt8] = [0x82, 2, 0x10, 0, 0x83, 2, 0, 3, 0x85, 6, 0x21, 6, 0, 0xAA, 0, 0]
        let localPIN: [UInt8] = .object(0x62, template)
        let refused: [[UInt8]] = [
            [0x00, 0x20, 0, 0x83, 8] + Self.pin, [0x00, 0x20, 0, 1, 8] + Self.pin, [0x00, 0x2C, 3, 2],
            [0x00, 0x24, 1, 2, 1, 0], [0x00, 0xDA, 1, 0x61, 1, 0], [0x00, 0x20, 1, 2, 8] + Self.pin,
            [0x00, 0xE0, 0, 0, UInt8(localPIN.count)] + localPIN,
        ]
        for command in refused {
            #expect(try send(channel, [command]) == .securityStatusNotSatisfied, "\(command)")
            let link = [command[0] | 0x10] + command.dropFirst()
            #expect(try send(channel, [link, Array(command.prefix(4))]) == .securityStatusNotSatisfied, "\(command)")
        }
        for ins: UInt8 in [0x20, 0x2C, 0x24, 0xDA, 0xE0] { #expect(reader.token.executions(of: ins) == 0) }
        #expect(try send(channel, [[0x00, 0x20, 0, 2, 8] + Self.pin]) == .success)
    }
}
