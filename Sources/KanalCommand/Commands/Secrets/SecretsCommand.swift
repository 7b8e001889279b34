// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Secrets
import Translation

struct SecretsCommand: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "secrets",
            abstract: translated("Keep passwords and other small secrets of programs, on this machine or several."),
            discussion: translated(
                """
                Secrets belong to an access group, whose programs share them, and have a service and an account. With \
                a replicated directory, named by "secrets" in kanal.conf or by --directory, all machines that have the \
                group's key share them: "kanal secrets key --make" makes the key on the first machine, and "kanal \
                secrets join" takes it over on each other one. No token is needed.
                """),
            subcommands: [
                ListSecrets.self, GetSecret.self, SetSecret.self, DeleteSecret.self, GroupKey.self, JoinGroup.self,
                UnreadableFiles.self,
            ],
            defaultSubcommand: ListSecrets.self)
    }
}
