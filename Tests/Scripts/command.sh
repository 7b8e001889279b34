#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command kanal as a person meets it: the guided first start in a terminal of 80 and of 40 columns, with and without
# colour; its exit statuses; what it writes as JSON; full disks, closed pipes, and interruptions.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh
. Tests/Scripts/terminal.sh
prepare
start_pcscd

# The screen of the guided first start of a new token: columns, more environment.
first_start() {
    local columns=$1
    shift
    rm -rf state home/.local
    open_terminal "$columns" "$@"
    type_line kanal
    wait_for_screen 'Put the token in'
    insert bt state
    wait_for_screen 'Activation password:'
    # One symbol is another one, of those that passwords have.
    local last=${password: -1}
    type_line "${password%?}$([ "$last" = 2 ] && echo 3 || echo 2)"
    wait_for_screen 'is wrong'
    type_line "$password"
    wait_for_screen 'file:PATH'
    type_line kanal
    wait_for_screen 'is ready'
}

# Compares the screen with what standard input says, where SERIAL stands for the token's.
screen_is() {
    sed "s/SERIAL/$serial/" > expected
    diff -u expected <(screen "$@" | sed '/^Waiting for a token/d') || fail "the screen is another one"
}

first_start 80 NO_COLOR=1
screen_is << 'END'
$ kanal
There is no token in Virtual PCD 00 00, Virtual PCD 00 01. Put the token in.
Found: Rutoken ECP SERIAL in Virtual PCD 00 00
Its secure channel is not activated for this user. The password is on the card
that came with the token.
Tries left: 5.
Activation password:
The password is wrong. 4 tries are left.
Activation password:
This token now works with every program of this user.
The same without questions:
  kanal pair SERIAL --password-source file:PATH
$ kanal
Rutoken ECP SERIAL is ready.
$
END
[ "$(screen --colors | grep -c $'\e\\[32m')" = 0 ] || fail "colours in spite of NO_COLOR"
passed "guided first start, and a second start of one line, on 80 columns"
close_terminal
detach

first_start 40
screen_is << 'END'
$ kanal
There is no token in Virtual PCD 00 00,
Virtual PCD 00 01. Put the token in.
Found: Rutoken ECP SERIAL in Virtual
PCD 00 00
Its secure channel is not activated for
this user. The password is on the card
that came with the token.
Tries left: 5.
Activation password:
The password is wrong. 4 tries are left.
Activation password:
This token now works with every program
of this user.
The same without questions:
  kanal pair SERIAL
  --password-source file:PATH
$ kanal
Rutoken ECP SERIAL is ready.
$
END
screen --colors | grep -q $'\e\\[32mready' || fail "no colour"
passed "the same on 40 columns, in colour"
close_terminal

# --- Exit statuses, and JSON.

# Runs the command, and compares its exit status. What it prints is in the files "output" and "errors".
run() {
    local wanted=$1 status=0
    shift
    timeout 60 "$kanal" "$@" > output 2> errors || status=$?
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted: kanal $*"$'\n'"$(cat output errors)"
}

# The same with --json, which must be as the schema says.
run_json() {
    run 0 "$@" --json
    "$python" "$root/Tests/Programs/Schema/validate.py" "$root/docs/kanal.schema.json" < output \
        || fail "not as the schema says: kanal $* --json"$'\n'"$(cat output)"
}
