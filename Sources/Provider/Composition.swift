import APDU
import Configuration
import Cryptoki
import Glibc
import Logging
import PCSC
import Secrets
import SecureChannel
import Token

/// Puts the library together: real readers, the store of pairings and the policies that are configured, the operating
/// system's random numbers.
enum Composition {
    static func library() -> Library {
        Reason.isWanted = ProviderLog.isActive
        let settings = settings(configuration())
        let readers = PCSCReaders { refusal in
            let reason =
                refusal == .noService
                ? "there are no readers: pcscd does not run"
                : "pcscd refuses this process: it has as many clients as it takes (--max-thread),"
                    + " or polkit does not let this user in (access_pcsc)"
            ProviderLog.logger.warning("\(reason)")
        }
        guard ProviderLog.isActive else { return Library(readers: readers, settings: settings) }
        return Library(readers: LoggedReaders(readers, log: ProviderLog.logger), settings: settings)
    }

    /// What the files say to this program, and in the log what they say wrong.
    private static func configuration() -> Configuration {
        let user = userDirectory("XDG_CONFIG_HOME", in: ".config")
        let configuration = Configuration(
            reading: "/etc/kanal/kanal.conf", user: user.map { $0 + "/kanal/kanal.conf" }, program: programName())
        for remark in configuration.remarks {
            ProviderLog.logger.log(level: remark.isError ? .error : .notice, "\(remark)")
        }
        if configuration.isClosed {
            ProviderLog.logger.error(
                "kanal.conf has an error: no token can be activated or used before it is corrected")
        }
        return configuration
    }

    private static func settings(_ configuration: Configuration) -> TokenSettings {
        let location = configuration.location(
            data: userDirectory("XDG_DATA_HOME", in: ".local/share"), home: environment("HOME"))
        if location == .nowhere {
            ProviderLog.logger.warning("neither XDG_DATA_HOME nor HOME is set: nothing can be activated")
        }
        var settings = TokenSettings(
            pairings: location, hostLabel: hostName(), random: SystemRandom(), log: ProviderLog.logger)
        settings.policy = configuration.policy
        return settings
    }

    /// The name that tokens remember this host by, at most 32 bytes.
    private static func hostName() -> String {
        var name = [CChar](repeating: 0, count: 33)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
