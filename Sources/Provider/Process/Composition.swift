// SPDX-License-Identifier: Apache-2.0
import APDU
import Configuration
import Cryptoki
import Glibc
import Logging
import PCSC
import Secrets
import SecureChannel
import Storage
import Token

/// Puts the library together: real readers, the store of pairings and the policies that are configured, the operating
/// system's random numbers.
enum Composition {
    /// - Throws: `CKR_HOST_MEMORY` if there are no descriptors left to read the configuration by.
    static func library() throws(CKError) -> Library {
        Reason.isWanted = ProviderLog.isActive
        let directories = UserDirectories()
        let settings = settings(try configuration(directories), directories)
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

    /// This program's configuration. Errors in the files are logged.
    private static func configuration(_ directories: UserDirectories) throws(CKError) -> Configuration {
        let user = directories.found().configuration
        let configuration: Configuration
        do throws(StorageError) {
            configuration = try Configuration(
                reading: "/etc/kanal/kanal.conf", user: user.map { $0 + "/kanal/kanal.conf" }, program: programName())
        } catch {
            // Nothing else is thrown.
            throw .hostMemory
        }
        Process.current.administratorLog.turn(on: configuration.reportsToSyslog)
        for remark in configuration.remarks {
            if remark.isError {
                ProviderLog.logger.administratorError("\(remark)")
            } else {
                ProviderLog.logger.notice("\(remark)")
            }
        }
        if configuration.isClosed {
            ProviderLog.logger.administratorError(
                "kanal.conf has an error: no token can be activated or used before it is corrected")
        }
        return configuration
    }

    private static func settings(_ configuration: Configuration, _ directories: UserDirectories) -> TokenSettings {
        // The user of the process may change before a token is used.
        let location: @Sendable () -> PairingStore.Location = {
            let found = directories.found()
            return configuration.location(data: found.data, home: found.home)
        }
        if location() == .nowhere {
            ProviderLog.logger.warning("the user has no home directory: nothing can be activated")
        }
        var settings = TokenSettings(
            pairings: .nowhere, hostLabel: hostName(), random: SystemRandom(), log: ProviderLog.logger)
        settings.locatePairings(by: location)
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
