// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import TokenEnd

/// Answers that are longer than one APDU wait behind 61xx for GET RESPONSE (GSC/1, 11.4), and each piece would take a
/// round trip of the link. So a far end asks for whole answers, and hands out the pieces itself.
///
/// It asks by a frame that no reader sends. Shares that do not know it ignore it, and answer as ever.
enum WholeAnswers {
    static let request: [UInt8] = [0x05]

    /// The number of pieces that are asked of a card, and the data that one frame holds.
    fileprivate static let mostPieces = 300
    fileprivate static let mostData = 65_533
}

extension RemoteCard {
    /// As ``answer(_:)``, with all pieces of the answer, as far as one frame holds them.
    package func wholeAnswer(_ apdu: [UInt8]) -> [UInt8]? {
        guard let first = answer(apdu) else { return nil }
        guard var whole = Response(parsing: first) else { return first }
        let request = [(apdu.first ?? 0) & 0x03, 0xC0, 0x00, 0x00, 0x00]
        for _ in 0..<WholeAnswers.mostPieces {
            guard whole.status.bytesAvailable != nil, whole.data.count + 256 <= WholeAnswers.mostData else { break }
            guard let next = answer(request) else { return nil }
            guard let piece = Response(parsing: next) else { break }
            whole = Response(piece.status, data: whole.data + piece.data)
            if piece.data.isEmpty { break }
        }
        return whole.encoded
    }
}

/// The part of a whole answer that the reader has not asked for.
struct AnswerRest {
    private let channel: UInt8
    private var data: ArraySlice<UInt8>
    /// The status word of the last piece.
    private let status: StatusWord

    /// The first piece of an answer, and the rest of it; the answer as it came, if it is not longer than the command
    /// allows.
    static func split(_ answer: [UInt8], to apdu: [UInt8]) -> (piece: [UInt8], rest: AnswerRest?) {
        guard let command = try? Command(parsing: apdu.span), let response = Response(parsing: answer),
            response.data.count > command.ne ?? 0
        else { return (answer, nil) }
        var rest = AnswerRest(channel: command.cla & 0x03, data: response.data[...], status: response.status)
        let piece = rest.next(command.ne ?? 0)
        return (piece, rest)
    }

    /// The next piece; nil if the command is not GET RESPONSE for it.
    mutating func piece(for apdu: [UInt8]) -> [UInt8]? {
        guard !data.isEmpty, let command = try? Command(parsing: apdu.span), let count = command.ne,
            (command.cla, command.ins, command.p1, command.p2) == (channel, 0xC0, 0x00, 0x00), command.data.isEmpty
        else { return nil }
        return next(count)
    }

    private mutating func next(_ count: Int) -> [UInt8] {
        let piece = Array(data.prefix(count))
        data = data.dropFirst(count)
        return Response(data.isEmpty ? status : .bytesAvailable(data.count), data: piece).encoded
    }
}
