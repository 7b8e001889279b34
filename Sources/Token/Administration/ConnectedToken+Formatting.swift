// SPDX-License-Identifier: Apache-2.0

import APDU
package import Secrets

/// Formatting, as the vendor's library does it. Pairings with hosts, licences and the journal survive it.
extension ConnectedToken {
    /// Erases the token and makes it new. One transaction from the erase to the end of the phase in which nothing is
    /// protected (GSC/1, 6).
    ///
    /// - Parameter pin: The SO's present PIN.
    /// - Throws: ``TokenError/holdsContainers`` before anything is sent that changes the token, unless the format has the word
    ///   for that; ``TokenError/pinLength`` if it is to be repaired but the SO's PIN is not blocked.
    package func format(_ format: TokenFormat, pin: borrowing Secret) throws(TokenError) {
        let pin = pin.copy()
        try transaction { card throws(TokenError) in
            if !format.erasesContainers { try card.requireNoContainers() }
            // The number of a Magma key is not published.
            if format.emitentKey?.algorithm == .magma { try card.requireOwnCommands() }
            if !format.isRepair {
                // A token whose formatting was interrupted has no PIN, and asks for none.
                do throws(TokenError) { try card.present(pin, as: Role.securityOfficer.rawValue) } catch {
                    guard error == .pinNotSet else { throw error }
                }
            }
            card.session.forgetLogin()
            card.session.known.info = nil
            var steps = format.steps
            try card.erase(format)
            steps.finishOne()
            card.state.heldRights = []
            for directory in Directories.all {
                try card.make(directory)
                steps.finishOne()
            }
            try card.make(
                .securityOfficer, format.securityOfficer, access: .pin(unblock: .nobody, change: .securityOfficer))
            steps.finishOne()
            try card.make(.user, format.user, access: .pin(unblock: .securityOfficer, change: format.changePolicy))
            steps.finishOne()
            if let key = format.emitentKey {
                try card.make(key)
                steps.finishOne()
            }
            try card.resetRights()
            try card.perform(.endInitialisation)
            steps.finishOne()
            try card.present(format.securityOfficer.value, as: Role.securityOfficer.rawValue)
            try card.makeMinidriverFiles()
            steps.finishOne()
            try card.present(format.user.value, as: Role.user.rawValue)
            try card.makeLabel(format.label)
            try card.resetRights()
            steps.finishOne()
        }
    }
}

extension Transaction {
    /// ERASE, by the SO, or by any user if the SO's PIN is blocked.
    fileprivate func erase(_ format: TokenFormat) throws(TokenError) {
        do throws(TokenError) { try perform(.erase(toFactoryState: format.restoresFactoryState)) } catch {
            throw format.isRepair && error == .notLoggedIn ? .pinLength : error
        }
    }

    fileprivate func make(_ directory: FilePath) throws(TokenError) {
        guard let identifier = directory.identifiers.last else {
            try perform(.create(0x3F00, .directory, size: 0, access: .masterFile))
            return
        }
        let owner: AccessConditions.Condition =
            directory.identifiers.contains(0xFFF0) ? .securityOfficerOrUser : .user
        try select(FilePath(Array(directory.identifiers.dropLast())))
        try perform(.create(identifier, .directory, size: 0, access: .directory(create: owner)))
    }

    fileprivate func make(_ role: ConnectedToken.Role, _ pin: borrowing TokenFormat.PIN, access: AccessConditions)
        throws(TokenError)
    {
        let minimum = UInt8(clamping: pin.minimumLength)
        let tries = UInt8(truncatingIfNeeded: pin.tries & 0xF)
        try select([])
        try perform(
            .create(
                UInt16(role.rawValue), .pin, size: pin.value.count,
                properties: [0x01, minimum, 0x00, tries << 4 | tries, 0x00, 0x00], access: access))
        try changePIN(of: role, to: pin.value)
    }

    fileprivate func make(_ key: TokenFormat.EmitentKey) throws(TokenError) {
        let tries = UInt8(truncatingIfNeeded: key.tries & 0xF)
        try select(.system)
        try perform(
            .create(
                0x00F0, .pin, size: key.value.count,
                properties: [0x82, key.algorithm.rawValue, 0x00, tries << 4 | tries, 0x41, 0x00], access: .emitentKey))
        try select(FilePath.secretKeys.file(0x00F0))
        try importSelected(key.value)
    }

    /// The files by which Windows' smart card framework knows the card: an identifier of its own, a session.known.objects counter and
    /// the name of its one application.
    fileprivate func makeMinidriverFiles() throws(TokenError) {
        let identifier = try perform(.challenge(16))
        guard identifier.count == 16 else { throw .malformedAnswer }
        let files: [(identifier: UInt16, writer: AccessConditions.Condition, content: [UInt8])] = [
            (0x0010, .securityOfficer, identifier),
            (0x0011, .securityOfficerOrUser, [UInt8](repeating: 0, count: 6)),
            (0x0012, .securityOfficerOrUser, Array("mscp\0\0\0\0".utf8)),
        ]
        for file in files {
            try select(Directories.minidriver)
            try perform(
                .create(
                    file.identifier, .elementary, size: file.content.count,
                    access: .file(read: .anybody, update: file.writer, delete: file.writer)))
            try updateSelected(file.content)
        }
    }

    fileprivate func makeLabel(_ label: [UInt8]) throws(TokenError) {
        try createLabelFile(for: label)
        try writeLabel(label)
    }

    fileprivate func resetRights() throws(TokenError) {
        try perform(.resetRight(of: 0))
        state.heldRights = []
    }
}

/// The directories of a formatted token, each after the one it is in.
enum Directories {
    static let minidriver: FilePath = [0x1000, 0x1002, 0xFFF0]

    static let all: [FilePath] =
        [[], [0x6000], [0x1000], .system] + (0x6001...0x6008).map { FilePath.system.file($0) } + [
            .objects, [0x1000, 0x1001, 0x8001], [0x1000, 0x1001, 0x8001, 0x8001], [0x1000, 0x1001, 0x8002],
            [0x1000, 0x1001, 0x1001], [0x1000, 0x1002], [0x1000, 0x1003], [0x1000, 0x1004], minidriver,
            minidriver.file(0x0013),
        ]
}
