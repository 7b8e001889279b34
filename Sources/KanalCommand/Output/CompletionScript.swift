// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// A script by which a shell completes command lines: ArgumentParser's, with sources of secrets kept in one piece.
enum CompletionScript {
    private struct Change {
        let old: String
        let new: String

        init(_ old: String, _ new: String) { (self.old, self.new) = (old, new) }
    }

    static func text(for shell: CompletionShell) -> String {
        let script = Kanal.completionScript(for: shell)
        let change: Change? =
            switch shell {
            case .bash: bash
            case .zsh: zsh
            default: nil
            }
        return change.map { script.replacing($0.old, with: $0.new) } ?? script
    }

    /// Readline ends words at ":" and begins a new one behind it.
    private static let bash: Change = .init(
        "complete -o filenames -F _kanal kanal",
        """
        _kanal_whole_words() {
            local -a words=()
            local word last=
            for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
                if [[ -n ${word} && ( ${last} =~ ^(file|env|fd)$ && ${word} = : || ${last} =~ ^(file|env|fd): ) ]] &&
                    [[ ${COMP_LINE} = *"${last}${word}"* ]]
                then
                    words[${#words[@]}-1]+=${word}
                else
                    words+=("${word}")
                fi
                last=${words[${#words[@]}-1]}
            done
            COMP_WORDS=("${words[@]}" "${COMP_WORDS[@]:COMP_CWORD+1}")
            COMP_CWORD=$((${#words[@]} - 1))
            _kanal "${1}" "${last}" "${words[@]: -2:1}"
            # The text before the last ":" stays.
            [[ ${last} =~ ^(file|env|fd): && ${COMP_WORDBREAKS} = *:* ]] &&
                COMPREPLY=("${COMPREPLY[@]#"${last%"${last##*:}"}"}")
            # The start of a source, or of a path, goes on. As a file's name it would be quoted.
            [[ "${COMPREPLY[*]} " = *": "* ]] && compopt +o filenames
            [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} = *[:/] ]] && compopt -o nospace
            return 0
        }

        complete -o filenames -F _kanal_whole_words kanal
        """)

    /// The start of a source, or of a path, goes on.
    private static let zsh: Change = .init(
        "_describe -V '' non_empty_completions --",
        """
        local -ar open_completions=("${(M)non_empty_completions[@]:#*(:|/)}")
            local -ar closed_completions=("${non_empty_completions[@]:#*(:|/)}")
            _describe -V '' open_completions -S '' -- closed_completions --
        """)
}
