import APDU
import GOST
import Secrets
import TestSupport
import Testing

/// The token's end of a session, from the S_0 of the vectors. Written from GSC/1, 13 and 14, for these tests alone.
final class TokenSide: CardConnection {
    /// A command as it was found under the protection.
    struct Received: Equatable {
        var header: [UInt8]
        var indicator: UInt8?
        var data: [UInt8]
        var le: [UInt8]?
        /// The octets of the whole protected command.
        var length: Int
    }

    /// The reply to give.
    struct Reply {
        var data: [UInt8] = []
        var status: [UInt8] = [0x90, 0x00]
        var indicator: UInt8 = 0x02
    }

    /// Ke_cmd, Km_cmd, Ke_rsp, Km_rsp and S of the next epoch.
    private var keys: [[UInt8]]
    private var number: UInt32 = 0
    private(set) var received: [Received] = []
    /// What the token answers to each command; 9000 if unset.
    var answer: (Received) -> Reply = { _ in Reply() }

    /// - Parameters:
    ///   - seed: S_0.
    ///   - number: n of the last command so far.
    init(seed: JSON, after number: UInt32 = 0) {
        keys = [[], [], [], [], seed.bytes]
        for _ in 0..<number { advance() }
    }

    /// Counts a command; the first of an epoch changes the keys.
    private func advance() {
        number += 1
        guard number % 256 == 1 else { return }
        var epoch: [UInt8] = []
        epoch.appendUInt32(number / 256)
        let label = Array("GSC1 epoch".utf8)
        let seed = keys[4]
        let derived = try? KDFTree<GOSTR341194>.derive(
            key: seed.span, label: label.span, seed: epoch.span, count: 160)
        guard let derived else { return }
        keys = (0..<5).map { key in (0..<32).map { derived.bytes[32 * key + $0] } }
    }

    func transmit(_ command: borrowing Command) throws(LinkError) -> Response {
        advance()
        guard let length = try? command.encoded().count, let command = unprotect(command, length) else {
            Issue.record("command \(number) is not properly protected")
            return Response(.secureMessagingIncorrect)
        }
        received.append(command)
        guard let response = Response(parsing: protect(answer(command))) else { throw .malformed }
        return response
    }

    private func unprotect(_ command: borrowing Command, _ length: Int) -> Received? {
        let header = [command.cla, command.ins, command.p1, command.p2]
        let octets = command.data.bytes.indices.map { command.data.bytes[$0] }
        var cursor = ByteCursor(octets)
        guard command.ne == 256, command.data.count <= 255, command.cla & 0x0C == 0x0C else { return nil }
        let sealed = cursor.nextTag == 0x87 ? try? cursor.object(0x87) : nil
        let le = cursor.nextTag == 0x97 ? try? cursor.object(0x97) : nil
        guard let tag = try? cursor.object(0x8E, length: 8), cursor.isAtEnd else { return nil }
        var associated = header
        if let sealed { associated += head(of: sealed) }
        if let le { associated += .object(0x97, le) }
        let ciphertext = Array(sealed?.dropFirst() ?? [])
        guard self.tag(associated, ciphertext, keys[1]) == tag else { return nil }
        let inner = [header[0] & 0xF0] + header.dropFirst()
        let data = cipher(ciphertext, keys[0])
        return Received(header: inner, indicator: sealed?.first, data: data, le: le, length: length)
    }

    private func protect(_ reply: Reply) -> [UInt8] {
        let ciphertext = cipher(reply.data, keys[2])
        let sealed: [UInt8] = reply.data.isEmpty ? [] : [reply.indicator] + ciphertext
        let status: [UInt8] = .object(0x99, reply.status)
        let tag = tag((sealed.isEmpty ? [] : head(of: sealed)) + status, ciphertext, keys[3])
        return (sealed.isEmpty ? [] : .object(0x87, sealed)) + status + .object(0x8E, tag) + [0x90, 0x00]
    }

    /// Tag, length and padding indicator of the object with this value.
    private func head(of sealed: [UInt8]) -> [UInt8] {
        Array([UInt8].object(0x87, sealed).dropLast(sealed.count - 1))
    }

    private func tag(_ associated: [UInt8], _ ciphertext: [UInt8], _ key: [UInt8]) -> [UInt8] {
        var message: [UInt8] = [UInt8(associated.count + 4)]
        message.appendUInt32(number)
        message += associated + ciphertext
        let code = HMAC<GOSTR341194>.authenticate(message.span, key: key.span)
        return (0..<8).map { code.bytes[$0] }
    }

    private func cipher(_ text: [UInt8], _ key: [UInt8]) -> [UInt8] {
        var iv: [UInt8] = [0, 0, 0, 0]
        iv.appendUInt32(number)
        guard var cipher = try? GOST28147CNT(key: key.span, iv: iv.span, sBox: .cryptoProA, meshing: false) else {
            return []
        }
        let result = cipher.apply(text.span)
        return result.bytes.indices.map { result.bytes[$0] }
    }
}
