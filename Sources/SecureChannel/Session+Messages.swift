import APDU
import Secrets

extension Session {
    /// The number of octets to a multiple of which secret lengths are padded (GSC/1, 13.2).
    static let block = 32

    /// Protects one command (13.1). Its data must fit one message.
    ///
    /// - Parameter padded: Whether the length of the data must not show.
    mutating func protect(_ command: borrowing Command, padded: Bool) throws(ChannelError) -> Command {
        try advance()
        let cla = command.cla | 0x0C | channel
        let plaintext = padded ? command.data.padded(to: Session.block) : command.data.copy()
        let head: [UInt8] =
            plaintext.isEmpty ? [] : Session.head(count: plaintext.count, indicator: padded ? 0x01 : 0x02)
        let wish = Session.expectedLength(command.ne)
        var associated: [UInt8] = []
        associated.appendUInt32(number)
        associated += [cla, command.ins, command.p1, command.p2] + head + wish
        let message = try suite.seal(
            plaintext.bytes, number: number, associated: associated, key: commandKey.bytes)
        return Command(
            cla, command.ins, command.p1, command.p2,
            bytes: head + message.ciphertext + wish + .object(0x8E, message.tag), ne: 256)
    }

    /// Verifies and deciphers the reply to the last command (13.3).
    func verify(_ reply: Response) throws(ChannelError) -> Response {
        guard reply.status == .success else { throw .refused(reply.status) }
        let (sealed, status, tag) = try parsing { () throws(MalformedBytes) in
            var cursor = ByteCursor(reply.data)
            let sealed = cursor.nextTag == 0x87 ? try cursor.object(0x87) : nil
            let fields = (sealed, try cursor.object(0x99, length: 2), try cursor.object(0x8E, length: 8))
            try cursor.finish()
            return fields
        }
        var message = SealedMessage(ciphertext: [], tag: tag)
        var associated: [UInt8] = []
        associated.appendUInt32(number)
        if let sealed {
            guard let indicator = sealed.first, (0x01...0x02).contains(indicator), sealed.count >= 2,
                sealed.count - 1 <= suite.maximumMessage
            else { throw .malformedResponse }
            message.ciphertext = Array(sealed.dropFirst())
            associated += Session.head(count: message.ciphertext.count, indicator: indicator)
        }
        associated.appendObject(0x99, status)
        guard let plaintext = try suite.open(message, number: number, associated: associated, key: responseKey.bytes)
        else { throw .authenticationFailed }
        let isPadded = sealed?.first == 0x01
        guard let count = isPadded ? plaintext.unpaddedCount(block: Session.block) : plaintext.count else {
            throw .malformedResponse
        }
        return Response(
            StatusWord(status[0], status[1]), data: [UInt8](copying: plaintext.bytes.extracting(first: count)))
    }

    /// h87: tag, length, padding indicator.
    private static func head(count: Int, indicator: UInt8) -> [UInt8] {
        var head: [UInt8] = [0x87]
        head.appendDERLength(count + 1)
        return head + [indicator]
    }

    /// do97: Le in one octet, or in two above 256.
    private static func expectedLength(_ ne: Int?) -> [UInt8] {
        guard let ne else { return [] }
        if ne <= 256 { return .object(0x97, [UInt8(truncatingIfNeeded: ne)]) }
        var octets: [UInt8] = []
        octets.appendUInt16(ne)
        return .object(0x97, octets)
    }

    /// The greatest number of octets of data of `command` in one message within a short APDU: 238, one less if do97
    /// has two octets, and room for the padding if there must be one.
    ///
    /// - Parameter limit: The greatest plaintext that the token takes.
    static func capacity(for command: borrowing Command, padded: Bool, limit: Int) -> Int {
        let capacity = min((command.ne ?? 0) > 256 ? 237 : 238, limit)
        return padded ? capacity / block * block - 1 : capacity
    }
}

extension Command {
    /// Whether the data hold a PIN, whose length must not show (13.2): VERIFY, CHANGE REFERENCE DATA, RESET RETRY
    /// COUNTER, PUT DATA of a default PIN, and a batch with one of them.
    var carriesPIN: Bool {
        if ins == 0x86, p1 == 0x20 || p1 == 0x21 { return batchCarriesPIN }
        return !data.isEmpty && Command.takesPIN(ins, p1, p2)
    }

    private static func takesPIN(_ ins: UInt8, _ p1: UInt8, _ p2: UInt8) -> Bool {
        switch (ins, p1, p2) {
        case (0x20, _, _), (0x24, _, _), (0x2C, _, _), (0xDA, 0x01, 0x61): true
        default: false
        }
    }

    /// Whether a command in the batch (13.4) takes a PIN. What is no batch may be anything, and counts as if it did.
    private var batchCarriesPIN: Bool {
        var rest = data.bytes
        while rest.count >= 2, rest[0] == 0xB0 {
            let isLong = rest[1] == 0x81 && rest.count >= 3
            let head = isLong ? 3 : 2
            let count = Int(isLong ? rest[2] : rest[1])
            guard isLong || rest[1] < 0x80, count >= 4, head + count <= rest.count else { return true }
            if count > 5, Command.takesPIN(rest[head + 1], rest[head + 2], rest[head + 3]) { return true }
            rest = rest.extracting(droppingFirst: head + count)
        }
        return !rest.isEmpty
    }
}

extension Secret {
    /// These bytes, 80 and as many 00 as it takes to a multiple of `block`.
    func padded(to block: Int) -> Secret {
        var padded = Secret(count: (count / block + 1) * block)
        var bytes = padded.mutableBytes
        for index in 0..<count { bytes[index] = self.bytes[index] }
        bytes[count] = 0x80
        return padded
    }

    /// The number of bytes before the padding; nil if this is not padded, or if it is nothing but padding.
    func unpaddedCount(block: Int) -> Int? {
        guard count % block == 0, let end = (0..<count).last(where: { bytes[$0] != 0 }), bytes[end] == 0x80, end > 0,
            count - end <= block
        else { return nil }
        return end
    }
}
