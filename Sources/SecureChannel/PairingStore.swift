import APDU
import GOST
import Secrets
public import Storage

/// A pairing group: the host's long-term keys and the records of its tokens, in a private directory (GSC/1, 9).
///
/// `host.<PID>` is a private key, `tokens/<serial>.<PID>` a record; serial and PID are hexadecimal. What is cut short or
/// changed counts as missing, so that the user pairs again, and stays on the disk until then.
public final class PairingStore: Sendable {
    private let directory: Directory
    private let tokens: Directory

    /// The greatest size of a file that is read.
    private static let limit = 1024

    /// Opens the store; its `tokens` directory is made if it is missing.
    public init(directory: Directory) throws(StorageError) {
        self.directory = directory
        tokens = try directory.subdirectory("tokens")
    }

    /// The record of the token with this serial; nil if host and token are not paired in the profile.
    public func record(serial: [UInt8], profile: Profile) throws(ChannelError) -> PairingRecord? {
        let name = PairingStore.name(serial, profile)
        let octets: [UInt8]?
        do throws(StorageError) { octets = try tokens.read(name, limit: PairingStore.limit) } catch .tooLarge {
            return nil
        } catch {
            throw .storage(error)
        }
        guard let octets, let record = PairingRecord(parsing: octets), record.profile == profile,
            record.capabilities.serial == serial
        else { return nil }
        return record
    }

    /// Keeps a record, in place of an older one of the same token and profile. On return it is on the device.
    public func save(_ record: PairingRecord) throws(ChannelError) {
        let name = PairingStore.name(record.capabilities.serial, record.profile)
        try storing { () throws(StorageError) in
            try directory.withLock { () throws(StorageError) in try tokens.write(name, record.encoded.span) }
        }
    }

    /// Forgets a token.
    public func remove(serial: [UInt8], profile: Profile) throws(ChannelError) {
        try storing { () throws(StorageError) in
            try directory.withLock { () throws(StorageError) in
                try tokens.remove(PairingStore.name(serial, profile))
            }
        }
    }

    /// Whether there is a record, sound or not, of this token in a higher profile. The host then never again uses the
    /// lower one with it (section 4).
    func isPinned(serial: [UInt8], above profile: Profile) throws(ChannelError) -> Bool {
        let names = try storing { () throws(StorageError) in try tokens.names() }
        return Profile.allCases.contains {
            $0.rawValue > profile.rawValue && names.contains(PairingStore.name(serial, $0))
        }
    }

    /// The host's long-term key of the profile; nil if there is none, or none that is usable.
    func hostKey(_ profile: Profile) throws(ChannelError) -> PrivateKey? {
        guard let suite = profile.suite else { throw .profileUnsupported }
        let name = PairingStore.hostName(profile)
        let content = try storing { () throws(StorageError) in
            try directory.readSecret(name, limit: PairingStore.limit)
        }
        guard let content else { return nil }
        return try? PrivateKey(curve: suite.curve, scalar: content)
    }

    /// The host's long-term key of the profile, made at the first need. A file that holds no key is kept beside it.
    func hostKey(_ profile: Profile, random: any RandomSource) throws(ChannelError) -> PrivateKey {
        guard let suite = profile.suite else { throw .profileUnsupported }
        let name = PairingStore.hostName(profile)
        return try directory.withLock(failure: ChannelError.storage) { () throws(ChannelError) in
            if let key = try hostKey(profile) { return key }
            let key = try computing { () throws(GOSTError) in
                try PrivateKey.generate(on: suite.curve, random: random)
            }
            try storing { () throws(StorageError) in
                if let unusable = try directory.readSecret(name, limit: PairingStore.limit) {
                    try directory.write(name + ".unusable", unusable.bytes)
                }
                try directory.write(name, key.scalar.bytes)
            }
            return key
        }
    }

    private static func hostName(_ profile: Profile) -> String { "host." + hexadecimal([profile.rawValue]) }

    private static func name(_ serial: [UInt8], _ profile: Profile) -> String {
        hexadecimal(serial) + "." + hexadecimal([profile.rawValue])
    }

    private static func hexadecimal(_ octets: [UInt8]) -> String {
        octets.map { String($0 >> 4, radix: 16) + String($0 & 0xF, radix: 16) }.joined()
    }
}
