// SPDX-License-Identifier: Apache-2.0

/// One open session of the secure channel, on the token's side (GSC/1, 11.1).
final class Session {
    /// The place of the host's record.
    let record: Int
    let profile: ChannelProfile
    /// ID_H.
    let hostIdentity: [UInt8]
    /// INST; empty if the token has one session only.
    let instance: [UInt8]
    var protection: MessageProtection
    /// K_exp, which binds a renewal to this session.
    var exporter: Sealed
    /// Commands that failed verification.
    var strikes = 0
    /// When it was last used, in commands accepted by the token.
    var lastUse: UInt64
    var context = Context()

    init(_ run: OpeningRun, protection: consuming MessageProtection, lastUse: UInt64) {
        record = run.record
        profile = run.profile
        hostIdentity = run.hostIdentity
        instance = run.instance
        self.protection = protection
        exporter = run.exporter
        self.lastUse = lastUse
    }
}
