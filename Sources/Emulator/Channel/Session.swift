import Secrets

/// One open session of the secure channel, on the token's side (GSC/1, 11.1).
final class Session {
    /// The place of the host's record.
    let record: Int
    /// ID_H.
    let hostIdentity: [UInt8]
    /// INST; empty if the token has one session only.
    let instance: [UInt8]
    var protection: MessageProtection
    /// K_exp, which binds a renewal to this session.
    var exporter: Secret
    /// Commands that failed verification.
    var strikes = 0
    /// When it was last used, in commands accepted by the token.
    var lastUse: UInt64
    var context = Context()

    init(
        record: Int, hostIdentity: [UInt8], instance: [UInt8], protection: consuming MessageProtection,
        exporter: consuming Secret, lastUse: UInt64
    ) {
        self.record = record
        self.hostIdentity = hostIdentity
        self.instance = instance
        self.protection = protection
        self.exporter = exporter
        self.lastUse = lastUse
    }
}
