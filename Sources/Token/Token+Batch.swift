import APDU
import SecureChannel

/// A command without secrets, one of several that are sent together.
struct Step {
    let header: (cla: UInt8, ins: UInt8, p1: UInt8, p2: UInt8)
    let bytes: [UInt8]
    let ne: Int?

    init(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, bytes: [UInt8] = [], ne: Int? = nil) {
        header = (cla, ins, p1, p2)
        self.bytes = bytes
        self.ne = ne
    }

    var command: Command { Command(header.cla, header.ins, header.p1, header.p2, bytes: bytes, ne: ne) }

    /// GET DATA of the change counter.
    static let changeCounter = Step(0x00, 0xCA, 0x01, 0x32, ne: 4)

    /// GET DATA of the serial number.
    static let serial = Step(0x00, 0xCA, 0x01, 0x81, ne: 8)

    /// Selects a file by its path, with as many bytes of its template as `ne` says.
    static func select(_ path: FilePath, ne: Int? = nil) -> Step {
        Step(0x00, 0xA4, 0x08, ne == nil ? 0x00 : 0x04, bytes: path.bytes, ne: ne)
    }

    /// Reads from the selected file.
    static func read(at offset: Int, count: Int) -> Step {
        Step(0x00, 0xB0, UInt8(truncatingIfNeeded: offset >> 8), UInt8(truncatingIfNeeded: offset), ne: count)
    }
}

/// Several commands in one round trip (GSC/1, 13.4).
extension Token {
    /// Sends commands in as few round trips as the token allows: as batches in a channel that has them, else one by one.
    ///
    /// - Parameter goesOn: Whether a command that the token refuses does not keep it from the others.
    /// - Returns: The answers to the commands that were executed, in their order, at least one.
    func send(_ steps: [Step], goesOn: Bool = false) throws(TokenError) -> [Response] {
        var responses: [Response] = []
        while responses.count < steps.count {
            responses += try sendSome(of: steps[responses.count...], goesOn: goesOn)
            guard goesOn || responses.last?.status == .success else { break }
        }
        return responses
    }

    /// Sends commands that all have to succeed.
    ///
    /// - Returns: The data of the last answer.
    @discardableResult
    func perform(_ steps: [Step]) throws(TokenError) -> [UInt8] {
        guard let last = try send(steps).last else { throw .malformedAnswer }
        return try data(of: last)
    }

    /// Sends as many of the commands as one round trip takes.
    private func sendSome(of steps: ArraySlice<Step>, goesOn: Bool) throws(TokenError) -> [Response] {
        if let channel {
            for count in stride(from: min(steps.count, 16), to: 1, by: -1) {
                var batch = Batch(goesOn: goesOn)
                for step in steps.prefix(count) { batch.append(step.command) }
                guard channel.canTransmit(batch) else { continue }
                let mayRepeat = steps.prefix(count).allSatisfy { $0.command.isIdempotent }
                if steps.prefix(count).contains(where: { $0.header.ins == 0x22 }) { environment = nil }
                let responses = try send(batch, over: channel, mayRepeat: mayRepeat)
                note(steps, responses)
                return responses
            }
        }
        guard let step = steps.first else { return [] }
        return [try send(step.command)]
    }

    private func send(
        _ batch: borrowing Batch, over channel: SecureChannel, mayRepeat: Bool
    ) throws(TokenError) -> [Response] {
        if !mayRepeat { hasActed = true }
        let responses: [Response]
        do throws(LinkError) {
            responses = try channel.transmit(batch)
            tokenAnswered()
        } catch {
            throw linkFailed(error)
        }
        try spend(bytes: responses.reduce(0) { $0 + $1.data.count }, commands: responses.count)
        return responses
    }

    /// Sends the first commands of a transaction, and before them the one that asks for the change counter.
    ///
    /// - Parameter asking: Whether to ask for the change counter, unless that was done already.
    /// - Returns: The answers to `steps`, as ``send(_:goesOn:)`` returns them; none if the first one was not executed.
    func sendFirst(_ steps: [Step], asking: Bool = true, goesOn: Bool = false) throws(TokenError) -> [Response] {
        guard asking, !hasAsked else { return try send(steps, goesOn: goesOn) }
        var responses = try send([.changeCounter] + steps, goesOn: goesOn)
        guard !responses.isEmpty else { return [] }
        takeChangeCounter(from: responses.removeFirst())
        return responses
    }
}
