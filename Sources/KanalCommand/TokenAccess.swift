// SPDX-License-Identifier: Apache-2.0
package import KanalESIA
package import KanalKit
package import Logging
import Terminal
import Translation

/// Where a command finds tokens and pairings, the far readers of shares, and other applications that authorise. A test
/// gives it emulated tokens and a desktop of its own.
package struct TokenAccess: Sendable {
    /// The access of the present task; the machine's readers unless another was given.
    @TaskLocal package static var current = TokenAccess()

    /// Begins to work with the readers.
    package var manager: @Sendable () throws(KanalError) -> TokenManager = {
        () throws(KanalError) in try TokenManager()
    }
    /// Begins to work with the key containers in a folder.
    package var folder: @Sendable (String) throws(KanalError) -> TokenManager = { folder throws(KanalError) in
        try TokenManager(containers: [folder])
    }
    /// Shares a token until the share ends.
    package var share: @Sendable (Share.Settings, @escaping @Sendable (Share.Event) -> Void) async throws -> Void = {
        try await Share($0).run($1)
    }
    /// Begins to work with other applications.
    package var authorization: @Sendable (Authorization.Settings, Logger, Authorization.Offer?) -> Authorization = {
        Authorization($0, log: $1, offeringInstallation: $2)
    }
    /// Gives an answer of another application to the program that waits for it.
    package var answer: @Sendable (String) async throws -> Void = { try await Authorization.process($0) }

    /// The readers of pcscd, and the user's pairings.
    package init() {}
}

/// A text in the language of the command.
func translated(_ phrase: Phrase) -> String { phrase.text(in: ProgramContext.current.catalogue) }
