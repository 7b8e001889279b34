#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Questions that people answer: pinentry-curses and pinentry-tty in a terminal, pinentry-gtk2 on a display, systemd-ask-password
# with an agent; and a program that has more rights than its user.
# bats file_tags=alone
load ../common
load ../Command/terminal

host=$root/.build/release/asking-host

setup_file() {
    swift build --package-path "$root" -c release --disable-local-rpath --product asking-host > "$work/build.log" 2>&1 \
        || fail "$(cat "$work/build.log")"
    prepare
    unset GPG_TTY DISPLAY WAYLAND_DISPLAY
    cat > agent.py << 'END'
import glob, socket, sys, time
for _ in range(100):
    for name in glob.glob('/run/systemd/ask-password/ask.*'):
        text = open(name).read()
        path = [line[7:] for line in text.splitlines() if line.startswith('Socket=')][0]
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(sys.argv[1].encode(), path)
        print(text)
        sys.exit()
    time.sleep(0.1)
END
}

# The process numbers of the authenticators that are asking; zombies have no environment.
asking() {
    for process in $(pgrep -x 'pinentry.*'); do
        ! grep -qsz "^HOME=$HOME\$" "/proc/$process/environ" || echo "$process"
    done
}

nobody_asks() { [ -z "$(asking)" ]; }

# The terminal has a shell's modes, and no authenticator is left.
in_order() {
    type_line 'stty -a > modes; clear'
    wait_for_prompt
    grep -q ' icanon' modes && grep -q ' echo ' modes || fail "the terminal is left as: $(cat modes)"
    nobody_asks || fail "somebody still asks: $(asking)"
}

# Types a command in a terminal of the test.
in_terminal() {
    open_terminal 80
    type_line "$1"
}
# Asks in the terminal: the setting, seconds, purpose.
ask() { in_terminal "clear; $host $*"; }

# Waits for a question. Keys before its window is drawn are lost.
asked() {
    wait_for_screen "$1"
    sleep 0.5
}

@test "pinentry-curses asks for a PIN" {
    ask pinentry:pinentry-curses 60 secret
    asked 'PIN: ____'
    wait_for_screen 'for ?\[31masking-host'
    type_line '12%34'
    wait_for_screen '^answer 3132253334'
    in_order
}

@test "pinentry-curses is cancelled" {
    ask pinentry:pinentry-curses 60 secret
    asked 'PIN: ____'
    tmux_ send-keys Tab Tab Enter
    wait_for_screen '^cancelled'
    in_order
}

@test "pinentry-curses asks for consent" {
    ask pinentry:pinentry-curses 60 confirm
    asked '<Sign>'
    tmux_ send-keys Enter
    wait_for_screen '^confirmed'
    in_order
}

@test "pinentry-curses gives up when the time runs out" {
    ask pinentry:pinentry-curses 3 secret
    asked 'PIN: ____'
    wait_for_screen 'the time ran out'
    in_order
}

@test "a new PIN is typed twice, until both are the same" {
    ask pinentry:pinentry-curses 60 new
    asked 'PIN: ____'
    type_line 111
    asked 'Again: ____'
    type_line 112
    asked 'The two do not match'
    type_line 111
    asked 'Again: ____'
    type_line 111
    wait_for_screen '^answer 313131'
    in_order
}

@test "a question that is repeated says why" {
    ask pinentry:pinentry-curses 60 wrong
    asked 'Wrong PIN'
    type_line 1
    wait_for_screen '^answer 31'
    in_order
}

@test "the controlling terminal is found if descriptors 0 to 2 lead elsewhere" {
    in_terminal "clear; $host pinentry:pinentry-curses 60 secret < /dev/null 2> /dev/null | cat"
    asked 'PIN: ____'
    type_line 99
    wait_for_screen '^answer 3939'
    in_order
}

@test "two processes at one terminal take turns" {
    in_terminal "clear; $host pinentry:pinentry-curses 60 secret & $host pinentry:pinentry-curses 60 secret; wait"
    asked 'PIN: ____'
    sleep 1
    [ "$(asking | wc -l)" = 1 ] || fail "two ask at once: $(asking)"
    type_line 11
    wait_for_screen '^answer 3131\|PIN: ____'
    sleep 1
    type_line 22
    wait_for_screen '^answer 3232'
    in_order
}

@test "pinentry ends with its host" {
    ask pinentry:pinentry-curses 60 secret
    asked 'PIN: ____'
    tmux_ send-keys C-c
    for _ in {1..50}; do
        if nobody_asks; then break; fi
        sleep 0.2
    done
    nobody_asks || fail "pinentry stays without its host"
    # The shell's prompt came before pinentry restored the screen.
    type_line ''
    wait_for_prompt
    in_order
}

@test "pinentry-tty asks for a PIN" {
    ask pinentry:pinentry-tty 60 secret
    asked 'PIN:'
    type_line abc
    wait_for_screen '^answer 616263'
}

open_display() {
    for display in {77..87}; do [ -e "/tmp/.X11-unix/X$display" ] || break; done
    # Without -noreset it turns clients away while it resets itself after its last client.
    launch Xvfb ":$display" -noreset -screen 0 800x600x24 > xvfb.log 2>&1
    export DISPLAY=:$display
    wait_until xdotool getdisplaygeometry || fail "no display: $(cat xvfb.log)"
}

# Asks on a display, for a purpose, and waits until the window is there.
ask_there() {
    open_display
    setsid "$host" pinentry:pinentry-gtk-2 60 "$1" < /dev/null > outcome 2>&1 3>&- &
    question=$!
    wait_until xdotool search --onlyvisible --class pinentry || fail "no window: $(cat outcome)"
    sleep 1
}

# The outcome, when the question has ended.
ended() {
    wait "$question"
    [ "$(head -n 1 outcome)" = "$1" ] || fail "instead of \"$1\": $(cat outcome)"
}

@test "pinentry-gtk2 asks for a PIN on a display" {
    ask_there secret
    xdotool type --delay 50 'Gt%2'
    xdotool key Return
    ended "answer 47742532"
}

@test "pinentry-gtk2 is cancelled" {
    ask_there secret
    xdotool key Escape
    ended cancelled
}

@test "pinentry-gtk2 shows two fields" {
    ask_there new
    xdotool type --delay 50 '77'
    xdotool key Tab
    xdotool key Tab
    sleep 0.2
    xdotool key Escape
    ended cancelled
}

@test "pinentry-gtk2 asks for consent" {
    ask_there confirm
    xdotool key alt+s
    ended confirmed
}

# The outcome of a question without a terminal and a display: setting, seconds, purpose.
ask_nowhere() { setsid --wait "$host" "$@" < /dev/null 2>&1 | head -n 1; }

@test "systemd-ask-password asks where there is neither terminal nor display" {
    for setting in systemd-ask-password pinentry; do
        python3 agent.py "+two words" > question 3>&- &
        [ "$(ask_nowhere $setting 20 secret)" = "answer 74776f20776f726473" ] || fail "no answer by an agent"
        wait $!
        printed '^Message=PIN of token 100% for ?\[31masking-host PIN:$' question
    done
}

@test "systemd-ask-password is cancelled" {
    python3 agent.py - > question 3>&- &
    [ "$(ask_nowhere systemd-ask-password 20 secret)" = cancelled ] || fail "not cancelled"
}

@test "systemd-ask-password gives up when the time runs out" {
    ask_nowhere systemd-ask-password 2 secret > outcome
    printed 'the time ran out' outcome
}

@test "nobody gives consent where nobody can be asked" {
    [ "$(ask_nowhere pinentry 5 confirm)" = notConfigured ] || fail "consent from nobody"
}

# The host, with more rights than its user, and without.
install_hosts() {
    [ "$(id -u)" = 0 ] || skip "that takes root"
    chmod 755 "$BATS_RUN_TMPDIR" "$work"
    install -m 4755 "$host" privileged
    install -m 755 "$host" plain
}

@test "a set-user-ID program asks nobody" {
    local setting
    install_hosts
    printf 1234 > pin
    chmod 600 pin
    chown nobody pin
    [ "$(setpriv --reuid nobody --clear-groups ./plain "file:$work/pin" 5 secret | head -n 1)" = "answer 31323334" ] \
        || fail "no answer from a file"
    chown root pin
    for setting in "file:$work/pin" pinentry systemd-ask-password; do
        [ "$(setpriv --reuid nobody --clear-groups ./privileged "$setting" 5 secret | head -n 1)" = notConfigured ] \
            || fail "a set-user-ID program asks"
    done
}

@test "systemd-ask-password of a user other than root has a reason" {
    install_hosts
    setpriv --reuid nobody --clear-groups setsid --wait ./plain systemd-ask-password 5 secret < /dev/null > outcome
    printed 'Permission denied' outcome
}
