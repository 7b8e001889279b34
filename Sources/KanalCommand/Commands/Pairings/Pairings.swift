// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import KanalKit
import Translation

struct Pairings: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "pairings",
            abstract: translated("Show and end the pairings of tokens with this user, and of a token with its hosts."),
            discussion: translated(
                """
                A pairing has two ends. 'list' and 'remove' work on this machine's end, without the token: after \
                'remove' this user has to activate the token again. 'hosts' and 'revoke' work on the token's end: a \
                revoked host can no longer open a channel to the token. If a machine was stolen, revoke it. 'key' and \
                'join' are for pairings that several machines share by a replicated directory, "synchronised" in \
                kanal.conf.
                """),
            subcommands: [
                ListPairings.self, RemovePairing.self, Hosts.self, RevokeHost.self, NewPassword.self,
                PairingKeyCommand.self, JoinPairings.self,
            ],
            defaultSubcommand: ListPairings.self)
    }
}
