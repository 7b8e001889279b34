// SPDX-License-Identifier: Apache-2.0
import Cryptoki
import Secrets
import Token
import Translation

/// The settings of a token after ``Token/format(_:officerPIN:newOfficerPIN:userPIN:prompt:)``.
public struct TokenSetup: Sendable, Equatable {
    /// Its name, at most 255 bytes in UTF-8; empty for none.
    public var label: String
    /// The rules for the user's PIN: 1 to 10 tries.
    public var userPIN = PINRules()
    /// The rules for the security officer's PIN: 3 to 10 tries.
    public var officerPIN = PINRules()
    /// The roles that may change the user's PIN: at least one.
    public var userPINChangers: Set<Role> = [.user, .securityOfficer]

    /// A setup with the usual rules.
    public init(label: String = "") { self.label = label }
}

/// The rules that a token applies to a PIN.
public struct PINRules: Sendable, Equatable {
    /// The fewest bytes that it may have: 6 to 249.
    public var minimumLength: Int
    /// The number of wrong ones in a row that locks it.
    public var tries: Int

    /// Rules; the usual ones by default.
    public init(minimumLength: Int = 6, tries: Int = 10) {
        self.minimumLength = minimumLength
        self.tries = tries
    }
}

extension TokenSetup {
    /// The driver's options for formatting.
    ///
    /// - Parameter isRepair: Whether to format without the security officer's present PIN.
    /// - Throws: ``KanalError/invalidArgument(_:)``; ``KanalError/pinLength``.
    func format(
        officerPIN officer: SharedSecret, userPIN user: SharedSecret, isRepair: Bool
    ) throws(KanalError) -> TokenFormat {
        try officerPIN.check(officer, tries: TokenFormat.officerTries, "the security officer's PIN")
        try userPIN.check(user, tries: TokenFormat.userTries, "the user's PIN")
        guard !userPINChangers.isEmpty else { throw .invalidArgument("choose who can change the user's PIN") }
        let label = Array(label.utf8)
        guard label.count <= Cryptoki.Session.nameLimit else {
            throw .invalidArgument("the label has more than \(Cryptoki.Session.nameLimit) bytes")
        }
        let policy: UInt8 =
            (userPINChangers.contains(.securityOfficer) ? 1 : 0) | (userPINChangers.contains(.user) ? 2 : 0)
        return TokenFormat(
            securityOfficer: TokenFormat.PIN(
                value: officer.secret.copy(), minimumLength: officerPIN.minimumLength, tries: officerPIN.tries),
            user: TokenFormat.PIN(
                value: user.secret.copy(), minimumLength: userPIN.minimumLength, tries: userPIN.tries),
            changePolicy: policy, label: label, isRepair: isRepair)
    }
}

extension PINRules {
    fileprivate func check(_ pin: SharedSecret, tries range: ClosedRange<Int>, _ name: Phrase) throws(KanalError) {
        let lengths = TokenFormat.minimumLengths
        guard lengths.contains(minimumLength) else {
            throw .invalidArgument("the minimum of \(name) is \(lengths.lowerBound) to \(lengths.upperBound) bytes")
        }
        guard range.contains(tries) else {
            throw .invalidArgument("\(name) can have \(range.lowerBound) to \(range.upperBound) tries")
        }
        guard (minimumLength...lengths.upperBound).contains(pin.secret.count) else { throw .pinLength }
    }
}
