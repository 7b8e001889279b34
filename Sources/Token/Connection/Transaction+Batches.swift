// SPDX-License-Identifier: Apache-2.0
import APDU
import SecureChannel

/// Several commands in one round trip (GSC/1, 13.4).
extension Transaction {
    /// Sends commands in as few round trips as the token allows: as batches in a channel that has them, else one by one.
    ///
    /// - Parameter goesOn: Whether to go on after a command that the token refuses.
    /// - Returns: The answers to the commands that were executed, in their order, at least one.
    func send(_ commands: [CardCommand], goesOn: Bool = false) throws(TokenError) -> [Response] {
        var responses: [Response] = []
        while responses.count < commands.count {
            responses += try sendSome(of: commands[responses.count...], goesOn: goesOn)
            guard goesOn || responses.last?.status == .success else { break }
        }
        return responses
    }

    /// Sends a command and collects the whole answer.
    func send(_ command: CardCommand) throws(TokenError) -> Response { try send(command.apdu) }

    /// Sends a command that has to succeed.
    @discardableResult
    func perform(_ command: CardCommand) throws(TokenError) -> [UInt8] { try perform(command.apdu) }

    /// Sends commands that all have to succeed.
    ///
    /// - Returns: The data of the last answer.
    @discardableResult
    func perform(_ commands: [CardCommand]) throws(TokenError) -> [UInt8] {
        guard let last = try send(commands).last else { throw .malformedAnswer }
        return try data(of: last)
    }

    /// Sends as many of the commands as one round trip takes.
    func sendSome(of commands: ArraySlice<CardCommand>, goesOn: Bool) throws(TokenError) -> [Response] {
        guard let channel, let batch = channel.largestBatch(of: commands, goesOn: goesOn) else {
            guard let command = commands.first else { return [] }
            return [try send(command)]
        }
        let sent = commands.prefix(batch.count)
        if sent.contains(where: { $0.apdu.setsKey }) { session.known.environment = nil }
        if !sent.allSatisfy({ $0.apdu.isIdempotent }) { session.progress.hasActed = true }
        let responses: [Response]
        do throws(LinkError) {
            responses = try channel.transmit(batch)
            cardAnswered()
        } catch {
            throw linkFailed(error)
        }
        try spend(bytes: responses.reduce(0) { $0 + $1.data.count }, commands: responses.count)
        note(sent, responses)
        return responses
    }

    /// Sends the first commands of a transaction, and before them the one that asks for the change counter.
    ///
    /// - Parameter asking: Whether to ask for the change counter, unless that was done already.
    /// - Returns: The answers to `commands`, as ``send(_:goesOn:)`` returns them; none if the first one was not executed.
    func sendFirst(_ commands: [CardCommand], asking: Bool = true, goesOn: Bool = false) throws(TokenError)
        -> [Response]
    {
        guard asking, !notes.hasAsked else { return try send(commands, goesOn: goesOn) }
        var responses = try send([.changeCounter] + commands, goesOn: goesOn)
        guard !responses.isEmpty else { return [] }
        takeChangeCounter(from: responses.removeFirst())
        return responses
    }
}

extension SecureChannel {
    /// A batch of as many of the commands as it takes; nil if that is not more than one.
    fileprivate func largestBatch(of commands: ArraySlice<CardCommand>, goesOn: Bool) -> Batch? {
        for count in stride(from: min(commands.count, 16), to: 1, by: -1) {
            var batch = Batch(goesOn: goesOn)
            for command in commands.prefix(count) { batch.append(command.apdu) }
            if canTransmit(batch) { return batch }
        }
        return nil
    }
}
