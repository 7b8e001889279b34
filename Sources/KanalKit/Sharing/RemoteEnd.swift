// SPDX-License-Identifier: Apache-2.0
import Glibc
package import Locking
import Translation
import VirtualReaders

/// The far end of a share's tunnel, beside the far reader, which it reaches without the link.
///
/// The reader asks for its card several times a second, and a command waits until that is answered. So it is answered
/// here, from the share's first answer, and the share is asked every two seconds whether it is still there. Commands
/// are not delayed: its answer comes in its turn, and no one waits for it.
///
/// An answer that is longer than one APDU comes from the share at once, and its pieces are handed out here.
package final class RemoteEnd: Sendable {
    /// The party that waits for the next answer of the share; the reader with the command that it has sent.
    private enum Asker: Equatable {
        case readerForCard
        case readerForAnswer([UInt8])
        case nobody

        var hasSentCommand: Bool {
            if case .readerForAnswer = self { true } else { false }
        }
    }

    private struct Talk: ~Copyable {
        var reader: VirtualReader
        var share: FrameStream
        var askers: [Asker] = []
        /// The card's answer to reset, once the share has sent it.
        var atr: [UInt8]?
        /// The pieces of the last answer that the reader has not fetched. Its next command discards them.
        var rest: AnswerRest?
        /// When the share was asked last.
        var lastQuestion: Duration
    }

    private static let interval = Duration.seconds(2)
    private static let silence = Duration.seconds(10)
    private static let attemptInterval = Duration.milliseconds(100)
    /// The number of frames of one side that are taken before it is the other's turn.
    private static let turn = 64
    /// The number of answers that a reader can wait for. A working reader waits for each before it asks again.
    private static let mostAskers = 16

    private let host: String
    private let port: UInt16
    private let clocks: Clocks
    private let isCancelled = Lock(false)

    package init(host: String, port: UInt16, clocks: Clocks = .system) {
        self.host = host
        self.port = port
        self.clocks = clocks
    }

    /// Ends it within a second.
    package func cancel() { isCancelled.withLock { $0 = true } }

    /// Carries frames until one of both ends is gone, or it is cancelled. The share is at these descriptors.
    ///
    /// - Parameter patience: The time for which a reader that does not listen yet is tried again.
    package func run(input: Int32, output: Int32, patience: Duration = .zero) throws(ShareError) {
        do throws(VirtualReaderError) {
            var talk = Talk(
                reader: try reader(within: patience), share: FrameStream(input: input, output: output),
                lastQuestion: clocks.awake.now)
            try talk.share.send(WholeAnswers.request, while: { mayGoOn })
            while mayGoOn {
                FrameStream.wait(for: [talk.reader.socket, input], milliseconds: 1000)
                for _ in 0..<Self.turn {
                    guard let frame = try talk.reader.frame(within: 0) else { break }
                    try passOn(frame, &talk)
                }
                for _ in 0..<Self.turn {
                    guard let frame = try talk.share.frame(within: 0) else { break }
                    try takeAnswer(frame, &talk)
                }
                try ask(&talk)
            }
        } catch {
            switch error {
            case .closed: return
            case .invalidAddress: throw .invalidAddress
            default: throw .unreachable("\(host):\(port): \(error.explanation)")
            }
        }
    }

    private func reader(within patience: Duration) throws(VirtualReaderError) -> VirtualReader {
        let end = clocks.awake.now + patience
        while true {
            do throws(VirtualReaderError) { return try VirtualReader(host: host, port: port) } catch {
                guard error == .system(errno: ECONNREFUSED), mayGoOn, clocks.awake.now < end else { throw error }
            }
            clocks.pause(Self.attemptInterval)
        }
    }

    private var mayGoOn: Bool { !isCancelled.withLock { $0 } }

    /// Handles a frame from the reader.
    private func passOn(_ frame: [UInt8], _ talk: inout Talk) throws(VirtualReaderError) {
        if frame == [0x04] {
            if let atr = talk.atr { return try talk.reader.send(atr, while: { mayGoOn }) }
            talk.askers.append(.readerForCard)
        } else {
            if let piece = talk.rest?.piece(for: frame) { return try talk.reader.send(piece, while: { mayGoOn }) }
            talk.rest = nil
            if frame.count > 1 { talk.askers.append(.readerForAnswer(frame)) }
        }
        guard talk.askers.count <= Self.mostAskers else { throw .closed }
        talk.lastQuestion = clocks.awake.now
        try talk.share.send(frame, while: { mayGoOn })
    }

    /// Handles an answer from the share.
    private func takeAnswer(_ frame: [UInt8], _ talk: inout Talk) throws(VirtualReaderError) {
        guard let asker = talk.askers.first else { throw .closed }
        talk.askers.removeFirst()
        switch asker {
        case .nobody: return
        case .readerForCard:
            talk.atr = frame
            try talk.reader.send(frame, while: { mayGoOn })
        case .readerForAnswer(let command):
            let (piece, rest) = AnswerRest.split(frame, to: command)
            talk.rest = talk.askers.contains { $0.hasSentCommand } ? nil : rest
            try talk.reader.send(piece, while: { mayGoOn })
        }
    }

    /// Asks whether the share is there, unless it has something to answer: a user of the other machine may be asked.
    private func ask(_ talk: inout Talk) throws(VirtualReaderError) {
        let now = clocks.awake.now
        if talk.askers.isEmpty, now - talk.lastQuestion >= Self.interval {
            talk.askers.append(.nobody)
            talk.lastQuestion = now
            try talk.share.send([0x04], while: { mayGoOn })
        } else if talk.askers.first == .nobody, now - talk.lastQuestion >= Self.silence {
            throw .closed
        }
    }
}
