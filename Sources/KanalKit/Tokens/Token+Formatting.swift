// SPDX-License-Identifier: Apache-2.0

import Locking
import Secrets
import Token
import Tokens
import Translation

extension Token {
    /// Erases the token and makes it new, for ever: keys, certificates, data, local PINs and the label go. Its pairings,
    /// licences and the journal stay, so that it can be worked with at once.
    ///
    /// It lasts some seconds, in which the token must not leave; if it was interrupted, format it again.
    ///
    /// - Parameters:
    ///   - setup: Options for formatting the token.
    ///   - officerPIN: The security officer's present PIN. Nil only if that one is locked.
    ///   - newOfficerPIN: The security officer's PIN from now on; nil to keep the present one.
    ///   - userPIN: The user's PIN from now on.
    ///   - prompt: As for `Token.perform`.
    ///   - progress: Called after each step with the number of steps that are done, and of all. Steps differ in length,
    ///     and the token reports nothing within one. It is called in a thread that holds the token, and should not take
    ///     long.
    /// - Throws: ``KanalError/pinIncorrect(triesLeft:)`` and ``KanalError/pinLocked`` for the security officer's PIN,
    ///   ``KanalError/pinLength``, ``KanalError/invalidArgument(_:)``, ``KanalError/notActivated``: nothing was erased
    ///   then. ``KanalError/refused(code:reason:)`` with `CKR_SESSION_EXISTS` if this program works with the token by
    ///   another manager's means.
    public func format(
        _ setup: TokenSetup = TokenSetup(), officerPIN: borrowing PIN?, newOfficerPIN: borrowing PIN? = nil,
        userPIN: borrowing PIN, prompt: String? = nil,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(KanalError) {
        let present = officerPIN.secret
        guard let next = newOfficerPIN.secret ?? present else {
            throw .invalidArgument("the security officer needs a new PIN where the present one is not given")
        }
        let format = try setup.format(
            officerPIN: next, userPIN: userPIN.secret, isRepair: present == nil, progress: progress)
        let shown = present ?? SharedSecret(copying: [])
        try await inPlace(prompt) { [self] slot throws(KanalError) in
            endSession()
            do throws(TokensError) {
                try service.slots.format(
                    in: slot, ofToken: information.serialNumber, pin: shown.secret, format: format)
            } catch {
                throw formattingError(error, in: slot)
            }
            state.withLock { $0.pin = nil }
            update(try service.information(on: slot), slot: slot)
        }
    }

    /// The same with PINs that there are: those that are stored stay where they are. The security officer's stays as well.
    public func format(
        _ setup: TokenSetup = TokenSetup(), officerPIN: borrowing PIN, userPIN: borrowing PIN, prompt: String? = nil,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(KanalError) {
        let officer: PIN? = PIN(sharing: officerPIN)
        try await format(setup, officerPIN: officer, userPIN: userPIN, prompt: prompt, progress: progress)
    }

    /// The same with existing PINs, of which the second replaces the first.
    public func format(
        _ setup: TokenSetup = TokenSetup(), officerPIN: borrowing PIN, newOfficerPIN: borrowing PIN,
        userPIN: borrowing PIN, prompt: String? = nil,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(KanalError) {
        let officer: PIN? = PIN(sharing: officerPIN), newOfficer: PIN? = PIN(sharing: newOfficerPIN)
        try await format(
            setup, officerPIN: officer, newOfficerPIN: newOfficer, userPIN: userPIN, prompt: prompt, progress: progress)
    }

    /// The same for a token whose security officer's PIN may be locked: nil then. The new one stays where it is stored.
    public func format(
        _ setup: TokenSetup = TokenSetup(), officerPIN: borrowing PIN?, newOfficerPIN: borrowing PIN,
        userPIN: borrowing PIN, prompt: String? = nil,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws(KanalError) {
        let newOfficer: PIN? = PIN(sharing: newOfficerPIN)
        try await format(
            setup, officerPIN: officerPIN, newOfficerPIN: newOfficer, userPIN: userPIN, prompt: prompt,
            progress: progress)
    }

    private func formattingError(_ error: TokensError, in slot: Int) -> KanalError {
        switch error.tokenError {
        case .pinIncorrect: return .pinIncorrect(triesLeft: triesLeft(of: .securityOfficer, in: slot))
        case .pinLocked: return .pinLocked
        // The lengths of the new ones were checked before.
        case .pinLength:
            return .refused(code: error.code, reason: "the security officer's PIN is not locked, so that it is needed")
        default:
            // The PIN that was accepted may be another one now.
            state.withLock { $0.pin = nil }
            return openingError(error, in: slot)
        }
    }

    /// The number of tries that a PIN has left; nil if the token does not report it.
    func triesLeft(of role: Role, in slot: Int) -> Int? {
        guard let info = try? service.slots.token(in: slot, evicting: true).info, info.isFormatted == true else {
            return nil
        }
        return (role == .user ? info.user : info.securityOfficer).triesLeft
    }
}

/// The settings of a token after `Token.format`.
public struct TokenSetup: Sendable, Equatable {
    /// Its name, at most 255 bytes in UTF-8; empty for none.
    public var label: String
    /// The rules for the user's PIN: 1 to 10 tries.
    public var userPIN = PINRules()
    /// The rules for the security officer's PIN: 3 to 10 tries.
    public var officerPIN = PINRules()
    /// The roles that may change the user's PIN: at least one.
    public var userPINChangers: Set<Role> = [.user, .securityOfficer]
    /// Whether key containers of CryptoPro CSP are erased with the rest. Otherwise a token that has any is not formatted.
    public var erasesContainers = false

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
        officerPIN officer: SharedSecret, userPIN user: SharedSecret, isRepair: Bool,
        progress: @escaping TokenFormat.Progress
    ) throws(KanalError) -> TokenFormat {
        try officerPIN.check(officer, tries: TokenFormat.officerTries, "the security officer's PIN")
        try userPIN.check(user, tries: TokenFormat.userTries, "the user's PIN")
        guard !userPINChangers.isEmpty else { throw .invalidArgument("choose who can change the user's PIN") }
        let label = Array(label.utf8)
        guard label.count <= TokenSlot.nameLimit else {
            throw .invalidArgument("the label has more than \(TokenSlot.nameLimit) bytes")
        }
        let policy: UInt8 =
            (userPINChangers.contains(.securityOfficer) ? 1 : 0) | (userPINChangers.contains(.user) ? 2 : 0)
        return TokenFormat(
            securityOfficer: TokenFormat.PIN(
                value: officer.secret.copy(), minimumLength: officerPIN.minimumLength, tries: officerPIN.tries),
            user: TokenFormat.PIN(
                value: user.secret.copy(), minimumLength: userPIN.minimumLength, tries: userPIN.tries),
            changePolicy: policy, label: label, isRepair: isRepair, erasesContainers: erasesContainers,
            progress: progress)
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
