// SPDX-License-Identifier: Apache-2.0
import HostProcess
package import Logging
import Secrets
import SecureChannel
package import Storage
package import Token
import Translation

extension Configuration {
    /// This program's configuration. Errors in its files are logged.
    ///
    /// - Throws: `StorageError/noDescriptors`, because the files may exist.
    package init(of directories: UserDirectories) throws(StorageError) {
        let user = directories.found().configuration
        try self.init(
            reading: "/etc/kanal/kanal.conf", user: user.map { $0 + "/kanal/kanal.conf" },
            program: HostNames.program())
    }

    /// Logs the remarks about the files.
    package func report(to log: Logger) {
        for remark in remarks {
            if remark.isError {
                log.administratorError(.configurationError, "\(remark)")
            } else {
                log.notice("\(remark)")
            }
        }
        if isClosed {
            log.administratorError(
                .configurationClosed,
                "kanal.conf has an error: no token can be activated or used before it is corrected")
        }
    }
}

extension TokenSettings {
    /// The settings of this process: its configuration, its user's store of pairings, the operating system's random
    /// numbers.
    package init(_ configuration: Configuration, of directories: UserDirectories, log: Logger) {
        // The user of the process may change before a token is used.
        let places: @Sendable () -> TokenPlaces = {
            let found = directories.found()
            return TokenPlaces(
                pairings: configuration.location(data: found.data, home: found.home),
                cache: found.data.map { $0 + "/kanal/cache" })
        }
        if places().pairings == .nowhere {
            if Environment.isPrivileged {
                log.warning(
                    """
                    this process has more rights than its user, whose files do not count and who is not asked: nothing \
                    can be activated
                    """)
            } else {
                log.identified(.warning, .homeMissing, "the user has no home directory: nothing can be activated")
            }
        }
        self.init(pairings: .nowhere, hostLabel: HostLabel.ofProcess.text, random: SystemRandom(), log: log)
        locate(by: places)
        policy = configuration.policy
    }
}
