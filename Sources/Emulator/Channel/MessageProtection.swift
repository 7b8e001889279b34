package import APDU
package import GOST
package import Secrets

/// The token's end of message protection, classic profile (GSC/1, 13 and 14): the numbering of commands, the keys of the
/// current epoch, and the seed of the next.
package struct MessageProtection: ~Copyable {
    /// Why a command under protection was not accepted.
    package enum Failure: Error {
        /// There is no tag.
        case missing
        /// The format or the tag is wrong.
        case incorrect
        /// The tag is right and the padding is wrong.
        case padding
        /// The tag is right, but the plaintext is longer than the token takes. The command counts.
        case tooLong
        /// All commands of the session are used up.
        case exhausted
    }

    static let commandsPerEpoch = 256
    static let commandsPerSession = 65_536
    /// What the profile allows, whatever the token offers.
    static let maximumPlaintext = 1024

    /// The number of the last accepted command.
    package private(set) var number = 0
    private var keys: EpochKeys

    /// The beginning of a session, from S_0.
    package init(seed: borrowing Secret) throws(GOSTError) {
        keys = try EpochKeys(seed: seed, epoch: 0)
    }

    /// Verifies and deciphers a command.
    ///
    /// - Parameter maximum: The greatest plaintext that the token takes.
    package mutating func open(
        _ command: borrowing Command, maximum: Int = maximumPlaintext
    ) throws(Failure) -> Command {
        guard number < Self.commandsPerSession else { throw .exhausted }
        let body = try ProtectedBody(parsing: [UInt8](copying: command.data))
        let header = [command.cla, command.ins, command.p1, command.p2]
        let associated = counter(number + 1) + header + body.cryptogramHead + body.expectedLength
        guard constantTimeEqual(body.tag.span, tag(associated, body.ciphertext, key: keys.commandMAC).bytes) else {
            throw .incorrect
        }
        number += 1
        guard body.ciphertext.count <= min(maximum, Self.maximumPlaintext) else { throw .tooLong }
        let iv = [0, 0, 0, 0] + counter(number)
        guard let plaintext = try? Classic.apply(key: keys.commandCipher, iv: iv, to: body.ciphertext.span) else {
            throw .incorrect
        }
        let data = body.isPadded ? try Self.unpadded(plaintext) : consume plaintext
        return Command(command.cla & 0xF0, command.ins, command.p1, command.p2, data: data, ne: body.ne)
    }

    /// Enciphers the reply to the command that was just opened, and moves on to the next epoch when it is time.
    package mutating func seal(_ response: Response) throws(GOSTError) -> [UInt8] {
        var body: [UInt8] = []
        var ciphertext: [UInt8] = []
        if !response.data.isEmpty {
            body.append(0x87)
            body.appendDERLength(response.data.count + 1)
            body.append(0x02)
            let iv = [0, 0, 0, 0] + counter(number)
            ciphertext = [UInt8](
                copying: try Classic.apply(key: keys.responseCipher, iv: iv, to: response.data.span))
        }
        let status: [UInt8] = [0x99, 2, response.status.sw1, response.status.sw2]
        let tag = tag(counter(number) + body + status, ciphertext, key: keys.responseMAC)
        body += ciphertext + status
        body.appendObject(0x8E, [UInt8](copying: tag))
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
        keys = try EpochKeys(seed: keys.nextSeed, epoch: keys.epoch + 1)
    }

    private func counter(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendUInt32(UInt32(truncatingIfNeeded: number))
        return bytes
    }

    /// HM(Km, u8(|AAD|) ‖ AAD ‖ ciphertext)[0..7].
    private func tag(_ associated: [UInt8], _ ciphertext: [UInt8], key: borrowing Secret) -> Secret {
        let length = UInt8(truncatingIfNeeded: associated.count)
        return Classic.authenticate([length] + associated + ciphertext, key: key, count: 8)
    }

    /// Without 80 00*, which must fill up a multiple of 32.
    private static func unpadded(_ plaintext: borrowing Secret) throws(Failure) -> Secret {
        let bytes = plaintext.bytes
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        guard bytes.count.isMultiple(of: 32), end > 0, bytes[end - 1] == 0x80 else { throw .padding }
        return plaintext.extracting(0..<end - 1)
    }
}

/// The keys of one epoch and the seed of the next: EXP(S_e, "GSC1 epoch", u32be(e), 160).
private struct EpochKeys: ~Copyable {
    let epoch: Int
    let commandCipher: Secret
    let commandMAC: Secret
    let responseCipher: Secret
    let responseMAC: Secret
    let nextSeed: Secret

    init(seed: borrowing Secret, epoch: Int) throws(GOSTError) {
        var number: [UInt8] = []
        number.appendUInt32(UInt32(truncatingIfNeeded: epoch))
        let keys = try Classic.expand(seed, label: "GSC1 epoch", seed: number, count: 160)
        self.epoch = epoch
        commandCipher = keys.extracting(0..<32)
        commandMAC = keys.extracting(32..<64)
        responseCipher = keys.extracting(64..<96)
        responseMAC = keys.extracting(96..<128)
        nextSeed = keys.extracting(128..<160)
    }
}

/// The body of a protected command: 87 if there are data, 97 if Le is there, 8E (GSC/1, 13.1).
private struct ProtectedBody {
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

    /// Whether there is an object 8E, or no telling because the objects are malformed.
    private static func hasTag(_ bytes: [UInt8]) -> Bool {
        var cursor = ByteCursor(bytes)
        while !cursor.isAtEnd {
            guard let object = try? cursor.object() else { return true }
            if object.tag == 0x8E { return true }
        }
        return false
    }
}
