// SPDX-License-Identifier: Apache-2.0
import Translation

/// A waiting program's reply to an answer, in one line: `taken`, or the refusal's name and, for a malformed one, the
/// reason.
enum Receipt: Equatable {
    case taken
    case refused(AnswerRefusal)

    private static let refusals: [(name: String, refusal: AnswerRefusal)] = [
        ("not-awaited", .notAwaited), ("foreign", .foreign), ("late", .late), ("repeated", .repeated),
        ("too-long", .tooLong),
    ]

    init?(_ line: String) {
        if line == "taken" {
            self = .taken
        } else if line.hasPrefix("malformed ") {
            self = .refused(.malformed(Explanation(Phrase(key: String(line.dropFirst(10))))))
        } else if let known = Self.refusals.first(where: { $0.name == line }) {
            self = .refused(known.refusal)
        } else {
            return nil
        }
    }

    var octets: [UInt8] {
        let line: String =
            switch self {
            case .taken: "taken"
            case .refused(.malformed(let reason)): "malformed \(reason)"
            case .refused(let refusal): Self.refusals.first { $0.refusal == refusal }?.name ?? "not-awaited"
            }
        return Array((line + "\n").utf8)
    }

    /// Of several programs that refuse, the one with the greatest rank knows most of the answer.
    static func rank(_ refusal: AnswerRefusal) -> Int {
        refusals.firstIndex { $0.refusal == refusal } ?? refusals.count
    }
}
