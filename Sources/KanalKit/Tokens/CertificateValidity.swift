// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The place of a time in a certificate's period.
public enum CertificateValidity: Sendable, Equatable {
    /// The certificate is valid for more than ``noticeDays``, or it names no time that can be read.
    case valid
    /// The certificate is valid, and its period ends after so many whole days.
    case expiring(daysLeft: Int)
    /// The period has ended.
    case expired
    /// The period has not begun.
    case notYetValid

    /// The number of days before its end for which a certificate counts as expiring.
    public static let noticeDays = 30

    static let secondsOfDay: Int64 = 86_400

    /// The present time of the system's clock, in seconds since 1970.
    public static var now: Int64 { Int64(time(nil)) }

    /// - Parameters:
    ///   - notBefore: In seconds since 1970; nil if unknown.
    ///   - notAfter: Likewise.
    ///   - time: The time that is asked about, likewise.
    init(from notBefore: Int64?, to notAfter: Int64?, at time: Int64) {
        if let notAfter, time > notAfter {
            self = .expired
        } else if let notBefore, time < notBefore {
            self = .notYetValid
        } else if let days = Self.daysLeft(to: notAfter, at: time), days < Self.noticeDays {
            self = .expiring(daysLeft: days)
        } else {
            self = .valid
        }
    }

    /// The whole days until a time; nil after it, or without one.
    static func daysLeft(to notAfter: Int64?, at time: Int64) -> Int? {
        guard let notAfter, time <= notAfter else { return nil }
        let (seconds, isTooLong) = notAfter.subtractingReportingOverflow(time)
        return isTooLong ? nil : Int(seconds / secondsOfDay)
    }
}

extension CertificateSummary {
    /// The place of a time in the certificate's period.
    ///
    /// - Parameter time: In seconds since 1970.
    public func validity(at time: Int64 = CertificateValidity.now) -> CertificateValidity {
        CertificateValidity(from: notBefore, to: notAfter, at: time)
    }
}
