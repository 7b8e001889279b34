// SPDX-License-Identifier: Apache-2.0
package import Configuration
package import KanalESIA
package import KanalKit
package import Logging
import Terminal
import Translation

/// The tokens and pairings of a command, the far readers of shares, and other applications that authorise. A test
/// gives it emulated tokens and a desktop of its own.
package struct TokenAccess: Sendable {
    /// The access of the present task; the machine's readers unless another was given.
    @TaskLocal package static var current = TokenAccess()

    /// Begins to work with the readers.
    package var manager: @Sendable () throws(KanalError) -> TokenManager = {
        () throws(KanalError) in try TokenManager()
    }
    /// This user's directories and `kanal.conf`; nil if they cannot be looked at.
    package var localState: @Sendable () -> LocalState? = { try? LocalState() }
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
    /// Passes an answer of another application to the program that waits for it.
    package var answer: @Sendable (String) async throws -> Void = { try await Authorization.process($0) }

    /// The readers of pcscd, and the user's pairings.
    package init() {}
}

extension TokenAccess {
    /// Works with the readers, and says on standard error if they are waited for.
    ///
    /// - Parameter folder: The folder whose containers count in place of tokens in readers.
    static func asking<Result>(
        in folder: String? = nil, _ body: (TokenManager) async throws -> Result
    ) async throws -> Result {
        let context = ProgramContext.current
        return try await Interruption.reminding(after: .seconds(3)) {
            let text: Phrase = """
                pcscd, or a reader, has not responded for 3 seconds: still waiting. Ctrl-C twice gives up; \
                "systemctl restart pcscd" helps if it lasts
                """
            try? ProgramContext.$current.withValue(context) {
                let line = "kanal: \(translated(text))\n"
                try OutputStream.error.write(line.wrapped(to: OutputStream.error.style.width, indent: "  "))
            }
        } of: {
            try await body(try folder.map(current.folder) ?? current.begin())
        }
    }
}

/// A text in the language of the command.
func translated(_ phrase: Phrase) -> String { phrase.text(in: ProgramContext.current.catalogue) }
