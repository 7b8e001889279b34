import APDU
import SecureChannel

/// What a token never changes.
struct Versions {
    var serial: [UInt8]
    var hardware: TokenVersion
    var firmware: TokenVersion
    var protocolNumber: Int
}

extension Token {
    /// What the token tells of itself: everything, or serial number and label where no channel can be opened for it.
    ///
    /// - Parameters:
    ///   - evicting: Whether a channel may be opened for it on a token that has only one, while another process has that.
    ///     The other opens it again, but has to ask for it.
    ///   - detailed: Whether flags, free memory and checksum are wanted even if they cost round trips.
    public func info(evicting: Bool, detailed: Bool = true) throws(TokenError) -> TokenInfo {
        switch protection {
        case .plain:
            return try completeInfo(detailed: detailed)
        case .unpaired, .keyChanged, .unknown:
            return outerInfo
        case .paired(let record):
            let wouldEvict = record.capabilities.sessions == 1 && channel?.isOpen != true
            if wouldEvict, !evicting, try isInUse() { return outerInfo }
            do throws(TokenError) {
                return try completeInfo(detailed: detailed)
            } catch {
                // The token is there all the same, and the user shall see which one it is.
                guard error == .activationNeeded || error.isChannelError else { throw error }
                return outerInfo
            }
        }
    }

    /// What a token tells outside its channel.
    private var outerInfo: TokenInfo { TokenInfo(serial: serial, label: hints.map { Array($0.label.utf8) }) }

    /// Whether the token says that it has a session, perhaps another process's.
    private func isInUse() throws(TokenError) -> Bool {
        try exclusively { () throws(TokenError) in
            let discovery: Discovery
            do throws(ChannelError) { discovery = try Discovery.run(over: link) } catch { throw .channel(error) }
            guard case .present(let capabilities, let hints) = discovery, capabilities.serial == serial else {
                throw foundAnother()
            }
            self.hints = hints
            return hints.now.contains(.sessionActive)
        }
    }

    private func completeInfo(detailed: Bool) throws(TokenError) -> TokenInfo {
        try transaction { () throws(TokenError) in
            let detailed = detailed || hasBatches
            // A wrong PIN moves the change counter too, so the tries that are left are never stale.
            if let known = infoCache, known.counter == changeCounter, known.isDetailed || !detailed {
                return known.info
            }
            let info = try readInfo(detailed: detailed)
            infoCache = changeCounter.map { ($0, info, detailed) }
            return info
        }
    }

    /// `count` random bytes of the token's generator (GET CHALLENGE).
    public func randomBytes(_ count: Int) throws(TokenError) -> [UInt8] {
        try transaction(.reading) { () throws(TokenError) in
            var bytes: [UInt8] = []
            while bytes.count < count {
                let wanted = min(count - bytes.count, 224)
                let answer = try perform(Command(0x00, 0x84, 0x00, 0x00, ne: wanted))
                guard answer.count == wanted else { throw .malformedAnswer }
                bytes += answer
            }
            return bytes
        }
    }

    /// Reads the serial number of a token without a channel. A token that has no `80 71` still has a data object.
    func readSerialIfUnknown() throws(TokenError) {
        guard serial.isEmpty else { return }
        versions = try readVersions()
        serial = versions?.serial ?? []
        if serial.isEmpty { serial = try perform(Command(0x00, 0xCA, 0x01, 0x81, ne: 8)) }
        guard serial.count == 8 else { throw .malformedAnswer }
    }

    private func readInfo(detailed: Bool) throws(TokenError) -> TokenInfo {
        var info = TokenInfo(serial: serial, label: try label())
        if versions == nil { versions = try readVersions() }
        if let versions {
            info.hardware = versions.hardware
            info.firmware = versions.firmware
            info.protocolNumber = versions.protocolNumber
        }
        let details = [
            Step(0x00, 0xCA, 0x01, 0x89, ne: 12), Step(0x00, 0xCA, 0x01, 0x8A, ne: 4),
            Step(0x80, 0x7E, 0x00, 0x00, ne: 4),
        ]
        let steps =
            [
                Step(0x00, 0xCA, 0x01, 0x01, ne: 0x26), Step(0x00, 0xCA, 0x01, 0x02, ne: 0x26),
                Step(0x00, 0xCA, 0x01, 0x62, ne: 4),
            ] + (detailed ? details : [])
        let responses = try send(steps, goesOn: true)
        guard responses.count == steps.count else { throw .malformedAnswer }
        // A token whose formatting was cut short has no PINs.
        info.isFormatted = responses.prefix(2).allSatisfy { $0.status != .referencedDataNotFound }
        if info.isFormatted {
            info.securityOfficer = try PINState(parsing: data(of: responses[0]))
            info.user = try PINState(parsing: data(of: responses[1]))
        }
        // Not every model has the others.
        let answers = responses.dropFirst(2).map { $0.status == .success ? $0.data : [] }
        info.isUserPINChangeForced = answers[0].first == 0x02
        guard detailed else { return info }
        if answers[1].count > 6 { info.extendedFlags = answers[1][6] }
        info.freeMemory = Self.number(answers[2]).map(Int.init)
        info.firmwareChecksum = Self.number(answers[3])
        return info
    }

    /// The name of the model, UTF-8; nil if the firmware does not know it.
    public func modelName() throws(TokenError) -> [UInt8]? {
        if let known = knownModelName { return known }
        let name = try transaction(.reading) { () throws(TokenError) in
            try optional(Command(0x00, 0xCA, 0x01, 0x85, ne: 0x80))
        }
        let known = name.map { Array($0.prefix { $0 != 0 }) }
        knownModelName = .some(known)
        return known
    }

    /// Whether the token has a drive; false as long as it may not be asked.
    public func hasDrive() throws(TokenError) -> Bool {
        if let knownDrive { return knownDrive }
        let info = try info(evicting: false)
        let hasDrive = info.extendedFlags & 0x80 != 0
        if infoCache?.info == info { knownDrive = hasDrive }
        return hasDrive
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
    private func readVersions() throws(TokenError) -> Versions? {
        guard let answer = try optional(Command(0x80, 0x71, 0x00, 0x00, ne: 256)) else { return nil }
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
            return Versions(serial: serial, hardware: hardware, firmware: firmware, protocolNumber: protocolNumber)
        } catch {
            throw .malformedAnswer
        }
    }

    /// The answer to a command that not every model knows.
    private func optional(_ command: borrowing Command) throws(TokenError) -> [UInt8]? {
        let response = try send(command)
        return response.status == .success ? response.data : nil
    }

    private static func number(_ bytes: [UInt8]) -> UInt32? {
        var cursor = ByteCursor(bytes)
        return try? cursor.uint32()
    }
}
