# SPDX-License-Identifier: Apache-2.0
# A terminal: a window of tmux with a shell in it, for files that have loaded common.bash.

# Counts terminals: a just closed one may still be there under its name.
terminals=0

tmux_() { TMUX_TMPDIR=$work tmux -L "$$-$terminals" "$@"; }

# Opens a terminal: its columns, and variables for its environment. Its shell has the prompt "$ ".
open_terminal() {
    local columns=$1
    shift
    terminals=$((terminals + 1))
    tmux_ -f /dev/null new-session -d -x "$columns" -y 50 \
        env -u NO_COLOR "HOME=$HOME" "PATH=${kanal%/*}:$PATH" PS1='$ ' LC_ALL=C.UTF-8 "$@" bash --norc --noprofile 3>&-
    adopt "$(tmux_ display-message -p '#{pid}')"
    wait_for_prompt
}

close_terminal() { tmux_ kill-server; }

# The text on the screen, without empty lines at its end, and without the remark on a pcscd that is just starting; with
# --colors also its colours.
# shellcheck disable=SC2120
screen() {
    tmux_ capture-pane -p ${1:+-e} | sed -e '/^kanal: pcscd, or a reader, has not\|^kanal: pcscd или считыватель/,+1d' \
        -e 's/ *$//' -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

type_line() { tmux_ send-keys -l "$1"; tmux_ send-keys Enter; }

# Waits up to 20 seconds until the screen shows a text.
wait_for_screen() {
    for _ in {1..100}; do
        if screen | grep -q -e "$1"; then return; fi
        sleep 0.2
    done
    fail "no \"$1\" on the screen:"$'\n'"$(screen)"
}

# Waits until the shell asks for the next command.
wait_for_prompt() {
    for _ in {1..100}; do
        if [ "$(screen | tail -n 1)" = '$' ]; then return; fi
        sleep 0.2
    done
    fail "no prompt on the screen:"$'\n'"$(screen)"
}
