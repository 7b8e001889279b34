// SPDX-License-Identifier: Apache-2.0

/// A state of a token that its owner should know of before work fails by it.
///
/// ``TokenInformation/notices`` concerns the PIN, ``TokenContents/notices(at:)`` keys and certificates.
public enum TokenNotice: Sendable, Equatable {
    /// The PIN has no tries left. If the security officer's has none either, formatting is the only way on.
    case pinLocked(officerTriesLeft: Int)
    /// The PIN has one try left.
    case pinLastTry
    /// The PIN still is the factory PIN. The token reports it without a try.
    case pinFactory
    /// The certificate's period has ended.
    case certificateExpired(TokenContents.Certificate)
    /// The certificate's period ends after so many whole days.
    case certificateExpiring(TokenContents.Certificate, daysLeft: Int)
    /// The certificate's period has not begun.
    case certificateNotYetValid(TokenContents.Certificate)
    /// No certificate on the token belongs to the key.
    case keyWithoutCertificate(TokenContents.Key)
    /// The certificate's key is not on the token, and it is not an authority's.
    case certificateWithoutKey(TokenContents.Certificate)
    /// Several keys have one label, so that programs that go by labels may take any of them.
    case keysOfOneLabel(String, count: Int)

    /// A name that stays the same between versions, and that `kanal doctor` has, too.
    public var id: String {
        switch self {
        case .pinLocked: "pin.locked"
        case .pinLastTry: "pin.last-try"
        case .pinFactory: "pin.factory"
        case .certificateExpired: "certificate.expired"
        case .certificateExpiring: "certificate.expires-soon"
        case .certificateNotYetValid: "certificate.not-yet-valid"
        case .keyWithoutCertificate: "key.without-certificate"
        case .certificateWithoutKey: "certificate.without-key"
        case .keysOfOneLabel: "key.same-label"
        }
    }

    /// - Returns: nil for a certificate that is valid for long, or that cannot be read.
    init?(certificate: TokenContents.Certificate, at time: Int64) {
        switch certificate.validity(at: time) {
        case .expired?: self = .certificateExpired(certificate)
        case .notYetValid?: self = .certificateNotYetValid(certificate)
        case .expiring(let days)?: self = .certificateExpiring(certificate, daysLeft: days)
        case .valid?, nil: return nil
        }
    }

    /// Of notices of one key's certificates, the one with the least counts.
    var rank: Int {
        switch self {
        case .certificateExpiring: 0
        case .certificateNotYetValid: 1
        default: 2
        }
    }
}

extension TokenCertificate {
    /// The state of the certificate's period that its owner should know of; nil for a long validity.
    ///
    /// - Parameter time: In seconds since 1970.
    public func notice(at time: Int64 = CertificateValidity.now) -> TokenNotice? {
        let certificate = TokenContents.Certificate(self, hasKey: hasPrivateKey ? true : nil)
        return TokenNotice(certificate: certificate, at: time)
    }
}

extension TokenInformation {
    /// The states of the PIN that the token's owner should know of, as of the last look at the token.
    public var notices: [TokenNotice] {
        guard let pin = userPIN else { return [] }
        var notices: [TokenNotice] = []
        switch pin.triesLeft {
        case 0: notices.append(.pinLocked(officerTriesLeft: officerPIN?.triesLeft ?? 0))
        case 1 where pin.tries > 1: notices.append(.pinLastTry)
        default: break
        }
        // A locked PIN is unblocked first.
        if pin.isDefault, pin.triesLeft > 0 { notices.append(.pinFactory) }
        return notices
    }
}
