public import Secrets

/// What a token shall be after formatting.
public final class TokenFormat {
    /// What a PIN shall be.
    public struct PIN: ~Copyable {
        public var value: Secret
        public var minimumLength: Int
        public var tries: Int

        public init(value: consuming Secret, minimumLength: Int = 6, tries: Int = 10) {
            self.value = value
            self.minimumLength = minimumLength
            self.tries = tries
        }
    }

    let securityOfficer: PIN
    let user: PIN
    /// Who may change User's PIN: bit 0 SO, bit 1 User.
    let changePolicy: UInt8
    let label: [UInt8]
    /// Whether to format without the SO's PIN, because that one is blocked.
    public let isRepair: Bool

    public init(
        securityOfficer: consuming PIN, user: consuming PIN, changePolicy: UInt8, label: [UInt8], isRepair: Bool
    ) {
        self.securityOfficer = securityOfficer
        self.user = user
        self.changePolicy = changePolicy
        self.label = label
        self.isRepair = isRepair
    }
}
