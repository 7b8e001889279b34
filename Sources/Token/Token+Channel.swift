import APDU
import Logging
import Secrets
import Storage
public import SecureChannel

extension Token {
    /// Activates the secure channel: exchanges long-term keys under the activation password and opens a session
    /// (gsc1, 8 and 10). A token that is activated already is paired again in its place.
    public func activate(with password: borrowing ActivationPassword) throws(TokenError) {
        try exclusively { () throws(TokenError) in
            guard let capabilities = try offeredCapabilities(), let profile = capabilities.bestProfile,
                let store = try pairingStore(create: true)
            else { throw .activationNeeded }
            if profile == .classic {
                settings.log.warning("pairing in the classic profile", metadata: ["reader": "\(reader)"])
            }
            do throws(ChannelError) {
                channel = try SecureChannel.activate(
                    with: password, over: link, capabilities: capabilities, profile: profile,
                    label: settings.hostLabel, store: store, instance: instance, random: settings.random)
            } catch {
                if error == .downgradeSuspected {
                    settings.log.error("the token saw other capabilities than this host: possible downgrade attack")
                }
                throw .channel(error)
            }
            guard let record = try pairing(with: capabilities.serial) else { throw .activationNeeded }
            protection = .paired(record)
            serial = capabilities.serial
        }
    }

    /// Asks the card whether it has a channel, and decides how to speak to it (gsc1, 4). Where the pairings cannot be
    /// read, the answer is not at all: the token can be seen, and nothing else.
    func discover() throws(TokenError) {
        do throws(TokenError) {
            try decideProtection()
        } catch {
            guard case .channel(.storage) = error else { throw error }
            protection = .unknown(error)
        }
    }

    private func decideProtection() throws(TokenError) {
        let discovery: Discovery
        do { discovery = try Discovery.run(over: link) } catch { throw .channel(error) }
        switch discovery {
        case .present(let capabilities, let hints):
            serial = capabilities.serial
            self.hints = hints
            if let record = try pairing(with: capabilities.serial) {
                protection = .paired(record)
            } else if isWireless || capabilities.policy.contains(.requiredWired) {
                protection = .unpaired(capabilities)
            } else {
                protection = .plain
            }
        case .absent:
            // A wireless reader gets nothing in plain, and a token once paired does not become unprotected.
            guard !isWireless else {
                protection = .unpaired(nil)
                return
            }
            try readSerialIfUnknown()
            protection = try pairing(with: serial) == nil ? .plain : .unpaired(nil)
        }
    }

    /// Opens the channel with the stored pairing, unless it is open or the token needs none.
    func openChannelIfNeeded() throws(TokenError) {
        guard case .paired(let record) = protection, channel?.isOpen != true else { return }
        guard let store = try pairingStore(create: false) else { throw .activationNeeded }
        if record.profile == .classic {
            settings.log.warning("opening a channel in the classic profile", metadata: ["reader": "\(reader)"])
        }
        do throws(ChannelError) {
            channel = try SecureChannel.open(
                over: link, record: record, store: store, instance: instance, random: settings.random)
            mustPresentPIN = login != nil
            store.markUsed(record, label: hints?.label)
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
        case .unpaired(let capabilities): return capabilities
        case .paired, .plain, .unknown:
            do {
                guard case .present(let capabilities, _) = try Discovery.run(over: link) else { return nil }
                return capabilities
            } catch {
                throw .channel(error)
            }
        }
    }

    /// The pairing with a token in the highest profile that there is one in.
    private func pairing(with serial: [UInt8]) throws(TokenError) -> PairingRecord? {
        guard let store = try pairingStore(create: false) else { return nil }
        for profile in Profile.allCases.reversed() {
            do throws(ChannelError) {
                if let record = try store.record(serial: serial, profile: profile) { return record }
            } catch {
                throw .channel(error)
            }
        }
        return nil
    }

    /// The store of pairings; nil if there is none and none is to be made.
    private func pairingStore(create: Bool) throws(TokenError) -> PairingStore? {
        do throws(StorageError) {
            return try PairingStore.open(settings.pairings, create: create, random: settings.random)
        } catch {
            settings.log.error(
                "pairings cannot be used",
                metadata: ["directory": "\(settings.pairings.path)", "reason": "\(error)"])
            throw .channel(.storage(error))
        }
    }
}
