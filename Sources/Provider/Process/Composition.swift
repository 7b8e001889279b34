// SPDX-License-Identifier: Apache-2.0

import APDU
import Configuration
import ContainerFolders
import Cryptoki
import Logging
import PCSC
import Storage
import Token
import Tokens
import Translation

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
        let service = PCSCReaders(patience: settings.policy.patience) { refusal in
            let reason = Reason(refusal)
            if [.redirected, .rootChanged].contains(refusal), let id = reason.id {
                log.securityEvent(id, "there are no readers: \(reason)")
            } else {
                log.identified(.warning, reason.id, "there are no readers: \(reason)")
            }
        }
        let folders = configuration.containerFolders(home: directories.found().home)
        let readers: any ReaderService =
            folders.isEmpty ? service : FolderReaders(folders, besides: service, refused: settings.toldOfFolder)
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
}
