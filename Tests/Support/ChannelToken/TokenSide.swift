// SPDX-License-Identifier: Apache-2.0
package import APDU
import GOST
import Secrets

/// The token's end of a session. Written from GSC/1, 10, 13 and 14, for tests, fuzzing and measurements alone.
package final class TokenSide: CardConnection {
    /// A command as it was found under the protection.
    package struct Received: Equatable {
        package var header: [UInt8]
        package var indicator: UInt8?
        package var data: [UInt8]
        package var le: [UInt8]?
        /// The bytes of the whole protected command.
        package var length: Int
        /// The outer Ne.
        package var ne: Int?
    }

    /// The reply to give.
    package struct Reply {
        package var data: [UInt8]
        package var status: [UInt8]
        package var indicator: UInt8

        package init(data: [UInt8] = [], status: [UInt8] = [0x90, 0x00], indicator: UInt8 = 0x02) {
            self.data = data
            self.status = status
            self.indicator = indicator
        }
    }

    let isModern: Bool
    /// With a pairing the token can open sessions; without, it only continues one.
    let pairing: TokenPairing?
    var keys: SessionKeys
    var handshake: (proof: [UInt8], keys: SessionKeys)?

    /// All commands under the protection, if they are kept.
    package private(set) var received: [Received] = []
    package var keepsCommands = true
    /// The number of commands that came, and of those that were not properly protected.
    package private(set) var count = 0
    package private(set) var refusals = 0
    /// The token's answer to each command; 9000 by default.
    package var answer: (Received) -> Reply = { _ in Reply() }
    /// Changes a protected reply on its way.
    package var onTheWay: ([UInt8]) -> [UInt8] = { $0 }
    package var maximumLength = Command.maximumShortLength

    /// A token in a session.
    ///
    /// - Parameters:
    ///   - profile: PID.
    ///   - seed: S_0.
    ///   - number: n of the last command so far.
    package init(profile: Int, seed: [UInt8], after number: UInt32 = 0) {
        isModern = profile == 2
        pairing = nil
        keys = SessionKeys(isModern: isModern, seed: seed)
        for _ in 0..<number { keys.advance() }
    }

    /// A token that a host can open sessions with.
    package init(_ pairing: TokenPairing) {
        isModern = pairing.isModern
        self.pairing = pairing
        keys = SessionKeys(isModern: isModern, seed: [])
    }

    package func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        count += 1
        let bytes = command.data.bytes.indices.map { command.data.bytes[$0] }
        if command.cla & 0x0C == 0 {
            let reply = shake(command.p1, bytes, binding: nil)
            if let handshake, command.p1 == 0x04, reply.status == [0x90, 0x00] { keys = handshake.keys }
            guard let response = Response(parsing: reply.data + reply.status) else { throw .malformed }
            return response
        }
        keys.advance()
        guard let length = try? command.encoded().count, let received = unprotect(command, bytes, length) else {
            refusals += 1
            return Response(.secureMessagingIncorrect)
        }
        if keepsCommands { self.received.append(received) }
        var next: SessionKeys?
        var reply: Reply
        if pairing != nil, received.header[1] == 0x86, (0x03...0x04).contains(received.header[2]) {
            reply = shake(received.header[2], received.data, binding: keys.exporter)
            if received.header[2] == 0x04, reply.status == [0x90, 0x00] { next = handshake?.keys }
        } else {
            reply = answer(received)
        }
        guard let response = Response(parsing: onTheWay(protect(reply))) else { throw .malformed }
        if let next { keys = next }
        return response
    }

    private func unprotect(_ command: borrowing Command, _ bytes: [UInt8], _ length: Int) -> Received? {
        let header = [command.cla, command.ins, command.p1, command.p2]
        var cursor = ByteCursor(bytes)
        guard length <= maximumLength, command.cla & 0x0C == 0x0C else { return nil }
        let sealed = cursor.nextTag == 0x87 ? try? cursor.object(0x87) : nil
        let le = cursor.nextTag == 0x97 ? try? cursor.object(0x97) : nil
        guard let tag = try? cursor.object(0x8E, length: 8), cursor.isAtEnd else { return nil }
        var associated = keys.numberBytes + header
        if let sealed { associated += TokenSide.head(of: sealed) }
        if let le { associated += .object(0x97, le) }
        let ciphertext = Array(sealed?.dropFirst() ?? [])
        guard let data = keys.open(ciphertext, tag, associated) else { return nil }
        let inner = [header[0] & 0xF0] + header.dropFirst()
        return Received(
            header: inner, indicator: sealed?.first, data: data, le: le, length: length, ne: command.ne)
    }

    /// The reply to the last command, under protection.
    package func protect(_ reply: Reply) -> [UInt8] {
        let status: [UInt8] = .object(0x99, reply.status)
        var associated = keys.numberBytes
        if !reply.data.isEmpty { associated += TokenSide.head(of: [reply.indicator] + reply.data) }
        let (ciphertext, tag) = keys.seal(reply.data, associated + status)
        let sealed: [UInt8] = reply.data.isEmpty ? [] : .object(0x87, [reply.indicator] + ciphertext)
        return sealed + status + .object(0x8E, tag) + [0x90, 0x00]
    }

    /// Tag, length and padding indicator of the object with this value.
    private static func head(of sealed: [UInt8]) -> [UInt8] {
        Array([UInt8].object(0x87, sealed).dropLast(sealed.count - 1))
    }
}
