import Cryptoki
import Glibc
import Logging
import PCSC
import Secrets
import SecureChannel
import Token

/// Puts the library together: real readers, the user's store of pairings, the operating system's random numbers.
enum Composition {
    static func library() -> Library {
        let settings = TokenSettings(
            pairings: pairings(), hostLabel: hostName(), random: SystemRandom(), log: ProviderLog.logger)
        let readers = PCSCReaders()
        guard ProviderLog.isActive else { return Library(readers: readers, settings: settings) }
        return Library(readers: LoggedReaders(readers, log: ProviderLog.logger), settings: settings)
    }

    /// `kanal/pairings` in the user's data directory: `XDG_DATA_HOME`, by default `~/.local/share`.
    private static func pairings() -> PairingStore.Location {
        guard let path = dataDirectory() else {
            ProviderLog.logger.warning("neither XDG_DATA_HOME nor HOME is set: nothing can be activated")
            return .nowhere
        }
        return .directory(path + "/kanal/pairings")
    }

    private static func dataDirectory() -> String? {
        if let path = environment("XDG_DATA_HOME"), path.hasPrefix("/") { return path }
        return environment("HOME").map { $0 + "/.local/share" }
    }

    /// The name that tokens remember this host by, at most 32 bytes.
    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 33)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
