// SPDX-License-Identifier: Apache-2.0
import APDU
import Configuration
import Cryptoki
import Logging
import PCSC
import Storage
import Token

/// Puts the library together: real readers, the store of pairings and the policies that are configured, the operating
/// system's random numbers.
enum Composition {
    /// - Parameter mutex: The application's lock for each call.
    /// - Throws: `CKR_HOST_MEMORY` if the descriptors for reading the configuration are exhausted.
    static func library(_ mutex: ApplicationMutex?) throws(CKError) -> Library {
        Reason.isWanted = ProviderLog.isActive
        let log = ProviderLog.logger
        let directories = UserDirectories(log: log)
        let configuration = try configuration(directories)
        let settings = TokenSettings(configuration, of: directories, log: log)
        var interaction = UserInteraction(
            configuration.authenticator, asksForActivation: configuration.asksForActivation,
            consent: configuration.consent)
        interaction.call = ApplicationHold(mutex: mutex)
        let readers = PCSCReaders { refusal in
            let reason = Self.reason(refusal)
            if refusal == .redirected { log.attack("\(reason)") } else { log.warning("\(reason)") }
        }
        let usedReaders: any ReaderService = ProviderLog.isActive ? LoggedReaders(readers, log: log) : readers
        return Library(readers: usedReaders, settings: settings, interaction: interaction)
    }

    /// This program's configuration. Errors in the files are logged.
    private static func configuration(_ directories: UserDirectories) throws(CKError) -> Configuration {
        do throws(StorageError) {
            let configuration = try Configuration(of: directories)
            Process.current.administratorLog.turn(on: configuration.reportsToSyslog)
            configuration.report(to: ProviderLog.logger)
            return configuration
        } catch {
            // Nothing else is thrown.
            throw .hostMemory
        }
    }

    /// Why the smart card service does not serve this process.
    private static func reason(_ refusal: LinkError) -> String {
        switch refusal {
        case .refused:
            "pcscd refuses this process: it has as many clients as it takes (--max-thread),"
                + " or polkit does not let this user in (access_pcsc)"
        case .noLibrary: "there are no readers: libpcsclite.so.1 is not installed (libpcsclite1, pcsc-lite-libs)"
        case .redirected:
            "there are no readers: the environment names another service (PCSCLITE_CSOCK_NAME, LIBPCSCLITE_DELEGATE),"
                + " and this process has more rights than its user"
        default: "there are no readers: pcscd does not run"
        }
    }
}
