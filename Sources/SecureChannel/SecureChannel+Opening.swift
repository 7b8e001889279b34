public import APDU
import GOST
public import Secrets

extension SecureChannel {
    /// Opens a session with a token that this host is paired with (GSC/1, 10).
    ///
    /// The E1 of the record is used. If the token does not confirm it, E1 is read again and tried once; where it
    /// differs and is confirmed, the record is updated. No failure deletes a record.
    ///
    /// - Parameter instance: The process's name in sessions.
    /// - Returns: A provisional channel.
    public static func open(
        over link: any CardConnection, record: PairingRecord, store: PairingStore, instance: Instance,
        random: any RandomSource
    ) throws(ChannelError) -> SecureChannel {
        guard try !store.isPinned(serial: record.capabilities.serial, above: record.profile) else {
            throw .downgradeSuspected
        }
        guard let hostKey = try store.hostKey(record.profile) else { throw .unknownRecord }
        do throws(ChannelError) {
            return try Opening(record, hostKey, instance).run(hostKey, over: link, random: random)
        } catch  where error == .authenticationFailed || error == .refused(.incorrectData) {
            guard case .present(let current, _) = try Discovery.run(over: link),
                current.serial == record.capabilities.serial
            else { throw error }
            let opening = try Opening(record, hostKey, instance, capabilities: current)
            let channel = try opening.run(hostKey, over: link, random: random)
            update(record, with: current, in: store)
            return channel
        }
    }

    /// Keeps a new E1. If that fails the session is as good, and the next opening reads E1 again.
    private static func update(_ record: PairingRecord, with capabilities: Capabilities, in store: PairingStore) {
        guard capabilities != record.capabilities else { return }
        var record = record
        record.capabilities = capabilities
        try? store.save(record)
    }
}
