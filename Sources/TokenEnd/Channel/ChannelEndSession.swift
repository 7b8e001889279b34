// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets

/// One open session of the secure channel, on the token's side (GSC/1, 11.1).
final class ChannelEndSession {
    /// The place of the host's record.
    let record: Int
    let profile: ChannelProfile
    /// ID_H.
    let hostIdentity: [UInt8]
    /// INST; empty if the token has one session only.
    let instance: [UInt8]
    var protection: MessageProtection
    /// K_exp, which binds a renewal to this session.
    var exporter: SharedSecret
    /// Commands that failed verification.
    var strikes = 0
    /// When it was last used, in commands accepted by the token.
    var lastUse: UInt64
    /// The state that the session's commands leave on the card.
    let context: any CardContext
    /// The rest of a long answer.
    var pending: PendingReply?

    init(
        _ run: OpeningRun, protection: consuming MessageProtection, lastUse: UInt64, context: any CardContext
    ) {
        record = run.record
        profile = run.profile
        hostIdentity = run.hostIdentity
        instance = run.instance
        self.protection = protection
        exporter = run.exporter
        self.lastUse = lastUse
        self.context = context
    }

    /// As much of the response as fits; the rest waits for GET RESPONSE.
    func cut(_ response: Response, to limit: Int) -> Response {
        guard response.data.count > limit else { return response }
        let rest = Array(response.data.dropFirst(limit))
        pending = PendingReply(data: rest, status: response.status)
        return Response(.bytesAvailable(rest.count), data: Array(response.data.prefix(limit)))
    }

    /// GET RESPONSE for the rest of a long answer; all that is left, which the caller cuts.
    func takePending(_ command: borrowing Command) -> Response {
        guard let rest = pending.take(), command.p1 == 0, command.p2 == 0, command.data.isEmpty else {
            return Response(.conditionsNotSatisfied)
        }
        return Response(rest.status, data: rest.data)
    }
}

/// The rest of an answer that was too long, and the status word that ends it.
struct PendingReply {
    let data: [UInt8]
    let status: StatusWord
}
