import APDU
import Logging
import Secrets
public import SecureChannel

extension Token {
    /// Activates the secure channel: exchanges long-term keys under the activation password and opens a session
    /// (gsc1, 8 and 10). A token that is activated already is paired again in its place.
    public func activate(with password: borrowing ActivationPassword) throws(TokenError) {
        try exclusively { () throws(TokenError) in
            guard let store = settings.pairings, let capabilities = try offeredCapabilities() else {
                throw .activationNeeded
            }
            if capabilities.chosenProfile == .classic {
                settings.log.warning("pairing in the classic profile", metadata: ["reader": "\(reader)"])
            }
            do throws(ChannelError) {
                let (record, channel) = try SecureChannel.activate(
                    with: password, over: link, capabilities: capabilities, label: settings.hostLabel, store: store,
                    random: settings.random)
                protection = .paired(capabilities, record)
                self.channel = channel
                serial = capabilities.serial
                cache = nil
            } catch {
                if error == .downgradeSuspected {
                    settings.log.error("the token saw other capabilities than this host: possible downgrade attack")
                }
                throw .channel(error)
            }
            try readSerialIfUnknown()
        }
    }

    /// Asks the card whether it has a channel, and decides how to speak to it (gsc1, 4).
    func discover() throws(TokenError) {
        let discovery: Discovery
        do { discovery = try Discovery.run(over: link) } catch { throw .channel(error) }
        switch discovery {
        case .present(let capabilities, let hints):
            serial = capabilities.serial
            if let record = try pairing(with: capabilities.serial) {
                protection = .paired(capabilities, record)
            } else if isWireless || capabilities.requiresProtectionOnWired {
                protection = .unpaired(capabilities, hints)
            } else {
                protection = .plain
            }
        case .absent:
            // A wireless reader gets nothing in plain, and a token once paired does not become unprotected.
            guard !isWireless else {
                protection = .unpaired(nil, nil)
                return
            }
            try readSerialIfUnknown()
            protection = try pairing(with: serial) == nil ? .plain : .unpaired(nil, nil)
        }
    }

    /// Opens the channel with the stored pairing, unless it is open or the token needs none.
    func openChannelIfNeeded() throws(TokenError) {
        guard case .paired(let capabilities, let record) = protection, channel?.isOpen != true else { return }
        guard let store = settings.pairings else { throw .activationNeeded }
        if record.profile == .classic {
            settings.log.warning("opening a channel in the classic profile", metadata: ["reader": "\(reader)"])
        }
        do throws(ChannelError) {
            channel = try SecureChannel.open(
                over: link, record: record, capabilities: capabilities, store: store, random: settings.random)
            mustPresentPIN = login != nil
        } catch {
            guard error == .unknownRecord else { throw .channel(error) }
            // The record is kept: this answer is not authenticated (gsc1, 15.2 a).
            settings.log.warning("the token does not know this host any more: activate it again")
            throw .activationNeeded
        }
    }

    /// The words that mark a reader name as wireless (gsc1, 4).
    private var isWireless: Bool {
        let words = reader.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.contains { ["bt", "bluetooth", "nfc", "contactless", "picc"].contains($0) }
    }

    private func offeredCapabilities() throws(TokenError) -> Capabilities? {
        switch protection {
        case .paired(let capabilities, _): return capabilities
        case .unpaired(let capabilities, _): return capabilities
        case .plain:
            do {
                guard case .present(let capabilities, _) = try Discovery.run(over: link) else { return nil }
                return capabilities
            } catch {
                throw .channel(error)
            }
        }
    }

    private func pairing(with serial: [UInt8]) throws(TokenError) -> PairingRecord? {
        do { return try settings.pairings?.record(serial: serial) } catch { throw .channel(error) }
    }
}
