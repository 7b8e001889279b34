// SPDX-License-Identifier: Apache-2.0

public import KanalKit
package import Translation

/// The reason why an answer of another application was not taken. The waiting request, if any, goes on waiting.
public enum CallbackError: Error, Sendable, Equatable {
    /// No request waits for an answer.
    case notAwaited
    /// Requests wait, and none has this state: the answer is forged, or for another program.
    case foreign
    /// The request of this state was answered before.
    case repeated
    /// The request of this state has ended without an answer: its time was over, or it was cancelled.
    case late
    /// The answer is longer than 8192 bytes.
    case tooLong
    /// The answer is malformed. The associated value states why, and quotes nothing of the answer.
    case malformed(Explanation)
    /// The programs that may wait cannot be reached. The associated value states why.
    case unreachable(Explanation)
}

extension CallbackError: CustomStringConvertible {
    public var description: String { explanation.description }

    package var explanation: Phrase {
        switch self {
        case .notAwaited: "no request waits for it"
        case .foreign: "no request that waits has this state"
        case .repeated: "its request was answered before"
        case .late: "its request has ended already"
        case .tooLong: "it is longer than \(Answer.limit) bytes"
        case .malformed(let reason): "it is malformed: \(reason.phrase)"
        case .unreachable(let reason): "no program can be reached: \(reason.phrase)"
        }
    }
}
