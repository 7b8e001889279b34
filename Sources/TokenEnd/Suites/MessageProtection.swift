// SPDX-License-Identifier: Apache-2.0

package import APDU
package import GOST
package import Secrets

/// The token's end of message protection (GSC/1, 13 and 14): the numbering of commands, the keys of the current epoch,
/// and the seed of the next.
package struct MessageProtection: ~Copyable {
    /// Why a command under protection was not accepted.
    package enum Failure: Error {
        /// The tag is missing.
        case missing
        /// The format or the tag is wrong.
        case incorrect
        /// The tag is right and the padding is wrong.
        case padding
        /// The tag is right, but the plaintext is longer than the token accepts. The command counts.
        case tooLong
        /// All commands of the session are used up.
        case exhausted
    }

    static let commandsPerEpoch = 256
    static let commandsPerSession = 65_536
    private static let paddedMultiple = 32

    /// The number of the last accepted command.
    package private(set) var number = 0
    private let suite: any ChannelSuite.Type
    private var epoch = 0
    private var keys: any EpochKeys
    /// S_{e+1}.
    private var seed: Secret

    /// The beginning of a session, from S_0.
    package init(_ profile: ChannelProfile, seed: borrowing Secret) throws(GOSTError) {
        suite = profile.suite
        let material = try Self.derive(suite, seed, epoch: 0)
        keys = try suite.keys(material)
        self.seed = material.extracting(suite.epochKeyCount..<material.count)
    }

    /// Verifies and deciphers a command.
    ///
    /// - Parameter maximum: The greatest plaintext that the token accepts.
    package mutating func open(_ command: borrowing Command, maximum: Int = .max) throws(Failure) -> Command {
        guard number < Self.commandsPerSession else { throw .exhausted }
        let body = try ProtectedBody(parsing: [UInt8](copying: command.data))
        let counter = Self.counter(number + 1)
        let header = [command.cla, command.ins, command.p1, command.p2]
        let associated = counter + header + body.cryptogramHead + body.expectedLength
        guard let plaintext = keys.open(body.ciphertext, tag: body.tag, number: counter, associated: associated)
        else { throw .incorrect }
        number += 1
        guard plaintext.count <= min(maximum, suite.maximumPlaintext) else { throw .tooLong }
        let data = body.isPadded ? try Self.unpadded(plaintext) : consume plaintext
        return Command(command.cla & 0xF0, command.ins, command.p1, command.p2, data: data, ne: body.ne)
    }

    /// Enciphers the reply to the command that was just opened, and moves on to the next epoch when it is time.
    package mutating func seal(_ response: Response, isPadded: Bool = false) throws(GOSTError) -> [UInt8] {
        var plaintext = response.data
        if isPadded, !plaintext.isEmpty {
            let count = (plaintext.count / Self.paddedMultiple + 1) * Self.paddedMultiple
            plaintext += [0x80] + [UInt8](repeating: 0, count: count - plaintext.count - 1)
        }
        var body: [UInt8] = []
        if !plaintext.isEmpty {
            body.append(0x87)
            body.appendDERLength(plaintext.count + 1)
            body.append(isPadded ? 0x01 : 0x02)
        }
        let status: [UInt8] = [0x99, 2, response.status.sw1, response.status.sw2]
        let counter = Self.counter(number)
        let (ciphertext, tag) = try keys.seal(plaintext.span, number: counter, associated: counter + body + status)
        body += ciphertext + status
        body.appendObject(0x8E, tag)
        if number.isMultiple(of: Self.commandsPerEpoch), number < Self.commandsPerSession { try ratchet() }
        return body
    }

    /// Counts commands up to `number` as accepted and answered, so that a test need not send them.
    package mutating func skip(to number: Int) throws(GOSTError) {
        let epochs = number / Self.commandsPerEpoch - self.number / Self.commandsPerEpoch
        for _ in 0..<max(epochs, 0) { try ratchet() }
        self.number = number
    }

    private mutating func ratchet() throws(GOSTError) {
        let material = try Self.derive(suite, seed, epoch: epoch + 1)
        keys = try suite.keys(material)
        seed = material.extracting(suite.epochKeyCount..<material.count)
        epoch += 1
    }

    /// The keys of epoch e and S_{e+1}: EXP(S_e, "GSC1 epoch", u32be(e), …).
    private static func derive(
        _ suite: any ChannelSuite.Type, _ seed: borrowing Secret, epoch: Int
    ) throws(GOSTError) -> Secret {
        try suite.expand(seed, label: "GSC1 epoch", seed: counter(epoch), count: suite.epochKeyCount + 32)
    }

    /// The secrets of a new session, in pieces of 32 bytes: the keys of epoch 0, S_1 and K_exp.
    static func secrets(_ run: OpeningRun) throws(GOSTError) -> [[UInt8]] {
        let material = try derive(run.profile.suite, run.seed.secret, epoch: 0)
        let keys = [UInt8](copying: material) + [UInt8](copying: run.exporter.secret)
        return stride(from: 0, to: keys.count, by: 32).map { Array(keys[$0..<$0 + 32]) }
    }

    /// u32be(n).
    private static func counter(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendUInt32(UInt32(truncatingIfNeeded: number))
        return bytes
    }

    /// Without 80 00*, which must fill up a multiple of 32.
    private static func unpadded(_ plaintext: borrowing Secret) throws(Failure) -> Secret {
        let bytes = plaintext.bytes
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        guard bytes.count.isMultiple(of: paddedMultiple), end > 0, bytes[end - 1] == 0x80 else { throw .padding }
        return plaintext.extracting(0..<end - 1)
    }
}

/// The body of a protected command: 87 if there are data, 97 if Le is there, 8E (GSC/1, 13.1).
struct ProtectedBody {
    /// Tag, length and padding indicator of object 87.
    let cryptogramHead: [UInt8]
    let ciphertext: [UInt8]
    let isPadded: Bool
    /// Object 97 as it came.
    let expectedLength: [UInt8]
    let ne: Int?
    let tag: [UInt8]

    init(parsing bytes: [UInt8]) throws(MessageProtection.Failure) {
        guard ProtectedBody.hasTag(bytes) else { throw .missing }
        do {
            try self.init(ByteCursor(bytes))
        } catch {
            throw .incorrect
        }
    }

    private init(_ cursor: ByteCursor) throws(MalformedBytes) {
        var cursor = cursor
        var head: [UInt8] = []
        var cryptogram: ArraySlice<UInt8> = []
        if cursor.nextTag == 0x87 {
            let value = try cursor.object(0x87)
            guard value.count >= 2, value[0] == 0x01 || value[0] == 0x02 else { throw MalformedBytes() }
            head.append(0x87)
            head.appendDERLength(value.count)
            head.append(value[0])
            cryptogram = value.dropFirst()
        }
        var length: [UInt8] = []
        if cursor.nextTag == 0x97 {
            length = try cursor.object(0x97)
            guard length.count == 1 || length.count == 2 else { throw MalformedBytes() }
        }
        tag = try cursor.object(0x8E, length: 8)
        try cursor.finish()

        cryptogramHead = head
        ciphertext = Array(cryptogram)
        isPadded = head.last == 0x01
        expectedLength = length.isEmpty ? [] : .object(0x97, length)
        let value = length.reduce(0) { $0 << 8 | Int($1) }
        ne = length.isEmpty ? nil : value == 0 ? 1 << (8 * length.count) : value
    }

    /// Whether there is an object 8E, or the objects are malformed.
    private static func hasTag(_ bytes: [UInt8]) -> Bool {
        var cursor = ByteCursor(bytes)
        while !cursor.isAtEnd {
            guard let object = try? cursor.object() else { return true }
            if object.tag == 0x8E { return true }
        }
        return false
    }
}
