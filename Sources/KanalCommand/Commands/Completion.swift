// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Terminal
import Translation

struct Completion: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "completion",
            abstract: translated("Write a shell's completion script for commands, options and tokens."),
            discussion: translated(
                """
                bash: kanal completion bash > ~/.local/share/bash-completion/completions/kanal
                zsh:  kanal completion zsh > a directory of $fpath, as _kanal
                fish: kanal completion fish > ~/.config/fish/completions/kanal.fish
                """))
    }

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish
    }

    @Argument(help: .saying("The shell.", valueName: "shell"))
    var shell: Shell

    func run() async throws {
        guard let kind = CompletionShell(rawValue: shell.rawValue) else { return }
        try OutputStream.output.write(CompletionScript.text(for: kind) + "\n")
    }
}
