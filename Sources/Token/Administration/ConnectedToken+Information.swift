// SPDX-License-Identifier: Apache-2.0
import APDU
import Secrets
import SecureChannel

extension ConnectedToken {
    /// Information about the token: all of it, or serial number and label if no channel can be opened.
    ///
    /// - Parameters:
    ///   - evicting: Whether a channel may be opened for it on a token that has only one, while another process has that.
    ///     The other opens it again, but has to ask for it.
    ///   - detailed: Whether flags, free memory and checksum are wanted even if they cost round trips.
    package func info(evicting: Bool, detailed: Bool = true) throws(TokenError) -> TokenInfo {
        switch session.protection {
        case .plain:
            return try completeInfo(detailed: detailed)
        case .unpaired, .keyChanged, .unknown:
            return outerInfo
        case .paired(let record):
            let wouldEvict = record.capabilities.sessions == 1 && session.channel?.isOpen != true
            if wouldEvict, !evicting, try isInUse() { return outerInfo }
            do throws(TokenError) { return try completeInfo(detailed: detailed) } catch {
                // The token is present, and the user has to see which one it is.
                guard error == .activationNeeded || error == .faulty || error.isChannelError else { throw error }
                return outerInfo
            }
        }
    }

    /// `count` random bytes of the token's generator (GET CHALLENGE).
    package func randomBytes(_ count: Int) throws(TokenError) -> [UInt8] {
        if session.isFolder {
            do { return try session.settings.random.bytes(count) } catch { throw .link(.randomUnavailable) }
        }
        return try transaction(first: .read) { card throws(TokenError) in
            var bytes: [UInt8] = []
            while bytes.count < count {
                let wanted = min(count - bytes.count, 224)
                let answer = try card.perform(.challenge(wanted))
                guard answer.count == wanted else { throw .malformedAnswer }
                bytes += answer
            }
            return bytes
        }
    }

    /// The name of the model, UTF-8; nil if the firmware does not know it.
    package func modelName() throws(TokenError) -> [UInt8]? {
        if let known = session.known.modelName { return known }
        let name = try transaction(first: .read) { card throws(TokenError) in
            try card.answer(to: .modelName)
        }
        let known = name.map { Array($0.prefix { $0 != 0 }) }
        session.known.modelName = .some(known)
        return known
    }

    /// Whether the token has a drive; false as long as it may not be asked.
    package func hasDrive() throws(TokenError) -> Bool {
        if let known = session.known.hasDrive { return known }
        let info = try info(evicting: false)
        let hasDrive = info.extendedFlags & 0x80 != 0
        if session.known.info?.info == info { session.known.hasDrive = hasDrive }
        return hasDrive
    }

    /// The information that a token reports outside its channel.
    private var outerInfo: TokenInfo {
        TokenInfo(serial: serial, label: session.identity.hints.map { Array($0.label.utf8) })
    }

    /// Whether the token reports a session, perhaps another process's.
    private func isInUse() throws(TokenError) -> Bool {
        try exclusively { card throws(TokenError) in
            guard case .present(let capabilities, let hints) = try card.discovery(),
                capabilities.serial == card.session.identity.serial
            else { throw card.foundAnother() }
            card.session.identity.hints = hints
            return hints.now.contains(.sessionActive)
        }
    }

    private func completeInfo(detailed: Bool) throws(TokenError) -> TokenInfo {
        try transaction { card throws(TokenError) in
            let session = card.session
            let detailed = detailed || card.hasBatches
            let known =
                session.known.info
                ?? session.tokens.information.value(serial: session.identity.serial, isProtected: session.isProtected)
            // A wrong PIN moves the change counter too, so the tries that are left are never stale.
            if let known, known.changeCounter == session.known.changeCounter, known.isDetailed || !detailed {
                session.known.info = known
                session.known.versions = known.info.versions
                return known.info
            }
            let info = session.isFolder ? try card.folderInfo() : try card.readInfo(detailed: detailed)
            card.session.cache(info, isDetailed: detailed)
            return info
        }
    }
}

extension Transaction {
    /// Reads the serial number of a token without a channel. A token that has no `80 71` still has a data object.
    func readSerialIfUnknown() throws(TokenError) {
        guard session.identity.serial.isEmpty else { return }
        let insertions = insertions
        let answer = try readVersions()
        session.known.versions = answer?.versions
        var serial = answer?.serial ?? []
        if serial.isEmpty { serial = try perform(.serial) }
        session.identity.serial = serial
        guard serial.count == 8 else { throw .malformedAnswer }
        session.proven = insertions
    }

    fileprivate func readInfo(detailed: Bool) throws(TokenError) -> TokenInfo {
        var info = TokenInfo(serial: session.identity.serial, label: try label())
        if session.known.versions == nil {
            let answer = try readVersions()
            session.known.versions = answer?.versions
        }
        // A model without `80 71` has its versions in the object of the flags.
        if session.known.versions == nil, !detailed {
            let answer = try answer(to: .flags)
            session.takeVersions(from: answer ?? [])
        }
        info.versions = session.known.versions ?? TokenVersions()
        let details: [CardCommand] = detailed ? [.flags, .freeMemory, .firmwareChecksum] : []
        let commands = [.pinState(.securityOfficer), .pinState(.user), .pinChangeFlag] + details
        let responses = try send(commands, goesOn: true)
        guard responses.count == commands.count else { throw .malformedAnswer }
        // A token whose formatting was interrupted has no PINs.
        let isFormatted = responses.prefix(2).allSatisfy { $0.status != .referencedDataNotFound }
        info.isFormatted = isFormatted
        if isFormatted {
            info.securityOfficer = try PINState(parsing: data(of: responses[0]))
            info.user = try PINState(parsing: data(of: responses[1]))
        }
        // Not every model has the others.
        let answers = responses.dropFirst(2).map { $0.status == .success ? $0.data : [] }
        info.isUserPINChangeForced = answers[0].first == 0x02
        guard detailed else { return info }
        if answers[1].count > 6 { info.extendedFlags = answers[1][6] }
        if session.known.versions == nil {
            session.takeVersions(from: answers[1])
            info.versions = session.known.versions ?? TokenVersions()
        }
        info.freeMemory = Self.number(answers[2]).map(Int.init)
        info.firmwareChecksum = Self.number(answers[3])
        return info
    }

    /// The label file: `TN`, four bytes, the length, then UTF-8.
    private func label() throws(TokenError) -> [UInt8]? {
        guard let content = try optional({ () throws(TokenError) in try read(.label) }) else { return nil }
        var cursor = ByteCursor(content)
        guard (try? cursor.bytes(2)) == Array("TN".utf8), (try? cursor.bytes(4)) != nil,
            let length = try? cursor.littleEndianUInt16(), let label = try? cursor.bytes(length), !label.isEmpty
        else { return nil }
        return label
    }

    /// Serial number and versions out of `80 71`; nil if this model does not know the command.
    private func readVersions() throws(TokenError) -> (serial: [UInt8], versions: TokenVersions)? {
        guard let answer = try answer(to: .versions) else { return nil }
        do {
            var outer = ByteCursor(answer)
            var inner = ByteCursor(try outer.object(0x40))
            var cursor = ByteCursor(try inner.object(0x01))
            _ = try cursor.bytes(3)
            let hardware = TokenVersion(major: try cursor.byte(), minor: try cursor.byte())
            let firmware = TokenVersion(major: try cursor.byte(), minor: try cursor.byte())
            _ = try cursor.bytes(2)
            let serial = try cursor.bytes(8)
            _ = try inner.object(0x02)
            let protocolNumber = Int(try inner.object(0x03, length: 1)[0])
            return (serial, TokenVersions(hardware: hardware, firmware: firmware, protocolNumber: protocolNumber))
        } catch {
            throw .malformedAnswer
        }
    }

    /// The answer to a command that not every model knows.
    func answer(to command: CardCommand) throws(TokenError) -> [UInt8]? {
        let response = try send(command)
        return response.status == .success ? response.data : nil
    }

    private static func number(_ bytes: [UInt8]) -> UInt32? {
        var cursor = ByteCursor(bytes)
        return try? cursor.uint32()
    }
}
