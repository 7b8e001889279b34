#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command kanal as users see it: the guided first start in a terminal of 80 and of 40 columns, with and without colour; its
# exit statuses; its JSON; full disks, closed pipes, and interruptions. The texts and statuses of all subcommands are the
# screens of KanalCommandTests. Here is what a real service and a real home directory have a part in.
# bats file_tags=command
load ../common
load command
load terminal

setup_file() {
    prepare
    start_pcscd
    echo "$pin" > pin
    echo 87654321 > officer-pin
    echo text > text
    openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -subj '/CN=Other' -out other.pem 2> /dev/null
}

teardown() {
    unconfigure
    detach
}

# A new token, with more options, and no pairing.
fresh_token() {
    rm -rf state home/.local
    insert "$1" state "${@:2}"
    echo "$password" > password
}

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
    # One symbol is changed to another symbol of passwords.
    local last=${password: -1}
    type_line "${password%?}$([ "$last" = 2 ] && echo 3 || echo 2)"
    wait_for_screen 'is wrong'
    type_line "$password"
    wait_for_prompt
    type_line kanal
    wait_for_prompt
}

# Compares the screen with standard input, with SERIAL for the token's serial number.
screen_is() {
    # BEGINNING and REST are of a serial number that the terminal's edge cuts in two.
    sed "s/SERIAL/$serial/; s/BEGINNING/${serial:0:5}/; s/^REST/${serial:5}/" > expected
    diff -u expected <(screen | sed '/^Waiting for a token/d') || fail "the screen is another one"
}

@test "the guided first start, and a second start that says the next step, on 80 columns" {
    first_start 80 NO_COLOR=1
    screen_is << 'END'
$ kanal
There is no token in Virtual PCD 00 00, Virtual PCD 00 01. Put the token in.
Found: Rutoken ECP SERIAL in Virtual PCD 00 00
Its secure channel is not activated for this user. The issuer of the token has
its activation password.
Tries left: 5.
Activation password:
The password is wrong. 4 tries are left.
Activation password:
This token now works with every program of this user.
The same without questions:
  kanal pair SERIAL --password-source file:PATH
Next, a PIN of your own:
  kanal pin change
$ kanal
Rutoken ECP SERIAL is ready.
PIN: 10 of 10 tries left, still the maker's
warning pin.factory: the PIN of the token SERIAL is still the maker's, which
  is public
  remedy: kanal pin change --token SERIAL
$
END
    [ "$(screen --colors | grep -c $'\e\\[32m')" = 0 ] || fail "colours in spite of NO_COLOR"
}

@test "the same on 40 columns, in colour" {
    first_start 40
    screen_is << 'END'
$ kanal
There is no token in Virtual PCD 00 00,
Virtual PCD 00 01. Put the token in.
Found: Rutoken ECP SERIAL in Virtual
PCD 00 00
Its secure channel is not activated for
this user. The issuer of the token has
its activation password.
Tries left: 5.
Activation password:
The password is wrong. 4 tries are left.
Activation password:
This token now works with every program
of this user.
The same without questions:
  kanal pair SERIAL --password-source
file:PATH
Next, a PIN of your own:
  kanal pin change
$ kanal
Rutoken ECP SERIAL is ready.
PIN: 10 of 10 tries left, still the
     maker's
warning pin.factory: the PIN of the
  token SERIAL is still the maker's,
  which is public
  remedy: kanal pin change --token BEGINNING
REST
$
END
    screen --colors | grep -q $'\e\\[32mready' || fail "no colour"
}

@test "the JSON of all screens is as the schema says" {
    /usr/bin/python3 - "$root/docs/kanal.schema.json" "$root"/Tests/Unit/KanalCommandTests/Screens/*.txt << 'PROGRAM' \
    || fail "JSON of a screen is not as the schema says"
import json, re, sys
import jsonschema

validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
commands = set()
for name in sys.argv[2:]:
    for screen in open(name).read().split("\n\n$ "):
        line, _, shown = screen.removeprefix("$ ").partition("\n")
        text = "\n".join(row for row in shown.split("\n") if not re.match("[?!] |exit status ", row)).strip()
        if not re.search(r" --json\b", line) or not text.startswith("{"):
            continue
        while text:
            value, end = json.JSONDecoder().raw_decode(text)
            for error in validator.iter_errors(value):
                sys.exit(f"{name}: {line}: {error.message}")
            text = text[end:].strip()
        commands.add(re.split(" -| [^a-z]", line)[0])
wanted = 30
if len(commands) < wanted:
    sys.exit(f"only {len(commands)} commands with JSON: {sorted(commands)}")
PROGRAM
}

@test "there is no token, and no service" {
    kanal_exits 3
    kanal_exits 3 info
    told 'no token in any reader'
    PCSCLITE_CSOCK_NAME=$work/none kanal_exits 3
    told 'pcscd does not run'
    configure 'wireless_readers = Virtual PCD*'
    kanal_exits 3
    told 'Hold the button'
}

life() {
    local identity=$1
    fresh_token "$identity"
    if [ "$identity" = bt ]; then
        kanal_exits 7 random 8
        # Before anything is asked of a user.
        kanal_exits 7 list --pin-source file:missing
        kanal_exits 2 pair
        told 'no terminal'
        echo "${password%?}$([ "${password: -1}" = 2 ] && echo 3 || echo 2)" > wrong
        kanal_exits 4 pair --password-source file:wrong
        kanal_exits 0 pair --password-source file:password
        kanal_exits 0 pairings hosts
        printed "$(whoami)@$(hostname -s) kanal"
    else
        kanal_exits 1 pair --password-source file:password
        told 'no secure channel'
    fi
    kanal_exits 0
    printed "$serial is ready"
    echo "$pin" | "$kanal" label --pin-source - mine > /dev/null || fail "no PIN from standard input"
    "$kanal" label --pin-source fd:5 mine 5<<< "$pin" > /dev/null || fail "no PIN from a descriptor"
    PIN=$pin kanal_exits 0 label --pin-source env:PIN mine
    kanal_exits 0 info mine
    kanal_exits 0 key generate --pin-source file:pin --label mine
    kanal_exits 0 sign --overwrite --pin-source file:pin text
    kanal_exits 0 verify --pin-source file:pin text
    kanal_exits 0 key file --pin-source file:pin --overwrite --output mine.key mine
    openssl asn1parse -in mine.key | grep -q "UTF8STRING *:pkcs11:serial=$serial;id=%01;object=mine;type=private$" \
        || fail "another URI: $(openssl asn1parse -in mine.key)"
    kanal_exits 0 format --pin-source file:officer-pin --new-pin-source file:pin --label Ann --yes
    kanal_exits 0 list --pin-source file:pin
    not_printed mine
    if [ "$identity" = bt ]; then
        cp -a "$XDG_DATA_HOME/kanal" pairings
        kanal_exits 0 pairings revoke "$(whoami)@$(hostname -s) kanal" --yes
        # As after a revocation on another machine: this one still has its record.
        rm -r "$XDG_DATA_HOME/kanal"
        mv pairings "$XDG_DATA_HOME/kanal"
        kanal_exits 0 readers
        not_printed 'rutoken_ecp_\|channel active'
        kanal_exits 7 random 1
        told 'no longer knows this host'
        kanal_exits 1 doctor
        printed 'channel.revoked'
        kanal_exits 0 pair --password-source file:password
        kanal_exits 0 pairings remove "$serial" --yes
        kanal_exits 7 random 1
        kanal_exits 3 pairings remove "$serial" --yes
    fi
}
@test "the life of a token without a channel, with pcscd" { life usb; }
@test "the life of a token with a channel, with pcscd" { life bt; }

@test "a full disk, and a closed pipe" {
    local status
    fresh_token usb
    status=0
    "$kanal" random 32 > /dev/full 2> messages || status=$?
    [ "$status" = 1 ] || fail "exit status $status on a full disk"
    told 'No space left on device'
    status=$({ "$kanal" readers 2> messages; echo $? > status; } | true; cat status)
    [ "$status" = 1 ] && [ ! -s messages ] || fail "exit status $status with a closed pipe: $(cat messages)"
}

@test "Ctrl-C, and a PIN that is typed" {
    fresh_token usb
    open_terminal 80
    type_line 'stty -a > before; kanal label x; echo status $?; stty -a > after'
    wait_for_screen 'PIN of the token'
    tmux_ send-keys -l 1234
    tmux_ send-keys C-c
    wait_for_screen 'status 6'
    wait_until test -s after
    diff before after || fail "the terminal is another one after Ctrl-C"
    ! screen | grep -q 1234 || fail "what was typed is shown"
    wait_for_prompt
    tmux_ send-keys C-l
    type_line 'rm after; kanal label x; echo status $?; stty -a > after'
    wait_for_screen '^PIN of the token'
    tmux_ send-keys -l "$pin" && tmux_ send-keys BSpace C-u && tmux_ send-keys -l "$pin"
    tmux_ send-keys Enter
    wait_until test -s after
    diff before after || fail "the terminal is another one after a PIN"
    screen | grep -q 'status 0' || fail "no PIN from the terminal: $(screen)"
    type_line 'kanal readers --watch'
    wait_for_screen 'present'
    detach
    sleep 1
    tmux_ send-keys C-c
    wait_for_screen 'cancelled'
}

@test "work that waits for its token says so, and goes on when it is back" {
    configure 'reconnect_window_wired = 60'
    fresh_token usb
    open_terminal 80
    wait_until "$kanal" random 1
    "$kanal" key generate --pin-source file:pin > /dev/null
    mkfifo slow
    type_line "kanal sign --pin-source file:pin - < slow > signature; echo status \$?"
    exec 6> slow
    echo begin >&6
    sleep 2
    detach
    exec 6>&-
    wait_for_screen "^Waiting for the token $serial"
    insert usb state
    wait_for_screen 'status 0'
    [ -s signature ] && ! screen | grep -q '^Waiting' || fail "the work has not ended: $(screen)"
}

# Runs a command and pulls the token out after three more commands to it.
pulled_out() {
    local before status=0
    before=$(wc -l < trace)
    timeout 60 "$kanal" "$@" > output 2> messages < /dev/null 3>&- &
    local command=$!
    for _ in {1..500}; do
        [ "$(wc -l < trace)" -lt $((before + 6)) ] || break
        sleep 0.01
    done
    kill -USR1 "$token"
    wait $command || status=$?
    [ "$status" = 3 ] && [ ! -s output ] || fail "exit status $status when pulled out: kanal $*"$'\n'"$(cat output messages)"
    told 'reader'
    wait_until bash -c no_card_is_there || fail "the token does not leave its reader"
    kill -USR2 "$token"
    wait_until bash -c card_is_there || fail "the token does not return"
}

leaves_each() {
    local identity=$1 licence command user=(--pin-source file:pin) officer=(--pin-source file:officer-pin)
    licence=$(printf "%0144d" 17)
    configure 'reconnect_window = 0'
    rm -f trace
    fresh_token "$identity" --latency 20 --trace trace
    if [ "$identity" = bt ]; then
        kanal_exits 0 pair --password-source file:password
        pulled_out pair --password-source file:password
        for command in "pairings hosts" "pairings revoke 1 --yes" \
            "pairings password --pin-source file:officer-pin --number 3 --yes"; do
            pulled_out $command
        done
    fi
    kanal_exits 0 key generate "${user[@]}" --label kept
    kanal_exits 0 cert import "${user[@]}" other.pem
    for command in info "list --public" "random 100" journal "cert show" "cert export"; do pulled_out $command; done
    for command in "label x" list "key generate" "key export kept" "key file kept" "key delete --yes kept" "sign --overwrite text --key kept" \
        "cert import other.pem" "cert request --key kept --subject CN=Ann" "pin change --new-pin-source file:pin" \
        "pin local" "licence 1 --set $licence"; do
        pulled_out $command "${user[@]}"
    done
    for command in "pin unblock" "pin set --new-pin-source file:pin" "format --new-pin-source file:pin --yes"; do
        pulled_out $command "${officer[@]}"
    done
    kanal_exits 0 list "${user[@]}"
    printed kept
}
@test "a token without a channel is pulled out in the middle of each command, and comes back" { leaves_each usb; }
@test "a token with a channel is pulled out in the middle of each command, and comes back" { leaves_each bt; }

# completes SHELL LINE...: a shell that is started by these lines.
completes() {
    local line half
    fresh_token usb
    kanal_exits 0 completion "$1"
    cp output "completion.$1"
    wait_until sh -c "'$kanal' random 1"
    open_terminal 80
    for line in "${@:2}"; do
        type_line "$line"
        sleep 1
    done
    type_line clear
    sleep 1
    tmux_ send-keys -l "kanal info ${serial:0:2}"
    tmux_ send-keys Tab
    wait_for_screen "kanal info $serial"
    # ":" ends a word in bash, and begins a description in zsh.
    for half in "list --pin-source e|HOM|env:HOME" "list --pin-source fi|/etc/hostn|file:/etc/hostname"; do
        tmux_ send-keys C-c
        type_line clear
        sleep 1
        tmux_ send-keys -l "kanal ${half%%|*}"
        tmux_ send-keys Tab
        sleep 1
        half=${half#*|}
        tmux_ send-keys -l "${half%|*}"
        tmux_ send-keys Tab
        wait_for_screen "kanal list --pin-source ${half#*|}"
    done
}
@test "bash completes a token and sources of secrets" { completes bash '. ./completion.bash'; }
@test "zsh completes a token and sources of secrets" {
    completes zsh 'zsh -f' 'autoload -U compinit && compinit -u -D && . ./completion.zsh && compdef _kanal kanal' "PS1='$ '"
}
@test "fish completes a token and sources of secrets" { completes fish 'fish --no-config' 'source completion.fish'; }
