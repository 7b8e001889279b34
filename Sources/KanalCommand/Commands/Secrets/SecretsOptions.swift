// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Translation

/// The access group, and the place of its secrets.
struct SecretsOptions: ParsableArguments {
    @Option(help: .saying("The access group.", valueName: "name"))
    var group = "kanal"

    @Option(
        help: .saying("The replicated directory. (default: that of kanal.conf)", valueName: "directory"),
        completion: .directory)
    var directory: String?

    @Flag(help: .saying("Only the secrets of this machine, regardless of kanal.conf."))
    var local = false

    @Flag(help: .saying("Only the secrets of a replicated directory; an error if none is named."))
    var synchronised = false

    func validate() throws {
        guard !local || directory == nil else {
            throw ValidationError(translated("--local and --directory exclude each other"))
        }
        guard !local || !synchronised else {
            throw ValidationError(translated("--local and --synchronised exclude each other"))
        }
    }

    func secrets() throws -> SharedSecrets {
        if local { return try SharedSecrets(accessGroup: group) }
        if let directory { return try SharedSecrets(accessGroup: group, synchronisedThrough: directory) }
        try TokenAccess.current.sayFaults()
        let secrets = try SharedSecrets.configured(accessGroup: group)
        guard !synchronised || secrets.directory != nil else {
            throw CommandError(
                .usage,
                """
                no directory is named for secrets that are synchronised: give --directory, or set secrets in kanal.conf
                """)
        }
        return secrets
    }
}
