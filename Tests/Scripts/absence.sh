#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A token that leaves its reader and returns, one that is replaced by another, and a restarted pcscd, behind a real
# pcscd (GSC/1, 15.3); and operations on a token that only an application of the vendor's kind uses.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

# One step of the application, and the return value that it must have.
step() {
    local wanted=$1 answer=
    shift
    echo "$*" >&"${application[1]}"
    while read -r -t 60 answer <&"${application[0]}"; do
        case $answer in
            "$1 $wanted") return ;;
            "password "*) new_password=${answer#password } ;;
            *) break ;;
        esac
    done
    fail "\"$answer\" instead of $wanted from: $*"
}

begin() {
    coproc application { ./steps "$slot"; }
    step 0x0 open
    step 0x0 login $pin
    step 0x0 keys
    step 0x0 sign
}

end() {
    local ended=$application_PID
    eval "exec ${application[1]}>&-"
    wait "$ended" || fail "the application fails at its end"
}

log_says() { grep -q "$1" log || fail "no \"$1\" in the log: $(cat log)"; }

# Attaches a token after a number of seconds. Its process number goes to a file.
attach_after() {
    (
        sleep "$1"
        exec "$emulator" --identity bt --state "$2"
    ) > emulator.log 2>&1 &
    token=$!
}

# Sets "answer" to the result of the application's next step.
answer_to() {
    echo "$*" >&"${application[1]}"
    read -r -t 60 answer <&"${application[0]}" || fail "no answer to: $*"
}

# A token without channel is logged in to while another one of its kind waits for its place, and takes it as soon as it
# is free: within one look of pcscd, which reports nothing. The commands to the other one are in the file "trace".
swap() {
    local other
    attach usb3 first
    begin
    rm -f trace
    "$emulator" --identity usb3 --state second --trace "$work/trace" > other.log 2>&1 &
    other=$!
    others+=("$other")
    # Two tokens are connected to the port of the reader, 35963.
    wait_until sh -c '[ "$(grep -c " [0-9A-F]*:8C7B 01 " /proc/net/tcp)" = 2 ]' \
        || fail "the other token does not wait: $(cat other.log)"
    kill "$token"
    for _ in {1..40}; do
        answer_to sign
        case $answer in
            "sign 0x30" | "sign 0x32") ;;
            "sign 0xB3") break ;;
            *) fail "\"$answer\" from a signature with a token that is not there" ;;
        esac
        [ -z "$1" ] || sleep "$1"
    done
    [ "$answer" = "sign 0xB3" ] || fail "the session has not ended: $(tail -n 40 log)"
    end
    wait_until grep -q '^attached:' other.log || fail "the other token does not come: $(cat other.log)"
    token=$other
    detach
    ! grep -q '^> ..\(20\|24\|2c\)' trace || fail "the other token got a PIN: $(cat trace)"
}

# Restarts the pcscd that this script has started, and waits until it shows the token.
restart_pcscd() {
    stop "$pcscd"
    pcscd=
    start_pcscd
    wait_until sh -c './readers | grep -q "^card .*Virtual PCD"' || fail "the token does not come back"
}

# An application's session outlives two restarts of pcscd, in the middle of a call and between two, and an absence of the
# token between two calls.
outlive() {
    begin
    if [ -n "$pcscd" ]; then
        stop "$pcscd"
        # It comes back while the application waits.
        (
            sleep 1
            exec $sudo pcscd --foreground
        ) > pcscd.log 2>&1 &
        pcscd=$!
        step 0x0 sign
        step 0x0 find
        restart_pcscd
        step 0x0 sign
        passed "$1: a session and its login outlive two restarts of pcscd"
    else
        skipped "$1: the restart of pcscd, which this script has not started"
    fi
    kill -USR1 "$token"
    wait_until sh -c '! ./readers | grep -q "^card .*Virtual PCD 00 00"' || fail "the token does not leave its reader"
    (
        sleep 1
        kill -USR2 "$token"
    ) &
    step 0x0 sign
    step 0x0 find
    end
    passed "$1: a session and its login outlive a token's absence"
}

# An agent of OpenSSH, which keeps its session for as long as it has the token's keys.
agent() {
    if ! [ -x "$(command -v ssh-agent)" ] || [ -z "$pcscd" ]; then
        skipped "an agent of OpenSSH, which is not there, or pcscd, which this script has not started"
        return
    fi
    expect 0 pkcs11-tool --module "$module" --login --pin $pin --keypairgen --key-type rsa:2048 --id 02
    start_agent
    expect 0 ssh-add -T key.pub
    restart_pcscd
    expect 0 ssh-add -T key.pub
    stop_agent
    passed "an agent of OpenSSH signs before and after a restart of pcscd"
}

prepare steps
mkdir -p "$XDG_CONFIG_HOME/kanal"
cat > "$XDG_CONFIG_HOME/kanal/kanal.conf" << 'END'
wireless_readers = Virtual PCD *
reconnect_window = 8
END
export KANAL_LOG=$work/log
start_pcscd
attach bt bluetooth
timeout 60 ./activate "$serial" "$password" > /dev/null || fail "activation fails"

begin
for call in sign find; do
    detach
    attach_after 2 bluetooth
    step 0x0 "$call"
    step 0x0 sign
done
log_says "waiting for token"
log_says "completed"
passed "N74: a token back within the window goes on with its session and login"

detach
step 0x32 sign
step 0xB3 sign
end
passed "N77: after the window the session has ended"

attach bt bluetooth
begin
detach
attach_after 1 another
step 0x32 sign
log_says "wrong token"
end
stop "$token"
detach
passed "N76: another token ends the session, and gets no PIN"

attach bt bluetooth
begin
echo sign >&"${application[1]}"
read -r -t 20 answer <&"${application[0]}"
for _ in {1..5}; do
    for _ in {1..20}; do echo sign; done >&"${application[1]}"
    stop "$token"
    attach_after 1 bluetooth
    for _ in {1..20}; do
        read -r -t 60 answer <&"${application[0]}" || fail "no answer"
        case $answer in
            "sign 0x0" | "sign 0x32") ;;
            *) fail "\"$answer\" from a signature during which the token left: $(tail -n 40 log)" ;;
        esac
    done
    step 0x0 sign
done
end
passed "N53: a signature during which the token leaves succeeds or ends as CKR_DEVICE_REMOVED, and the next goes on"

outlive "with a channel"
detach

attach bt bluetooth
coproc application { ./steps "$slot"; }
step 0x0 format 87654321
step 0x0 open
step 0x0 administer 87654321
step 0x0 generate
step 0x0 close
end
XDG_DATA_HOME=$work/another timeout 60 ./activate "$serial" "$new_password" > /dev/null \
    || fail "the token's new password does not activate"
passed "C_EX_InitToken formats by the shorter structure; the token's new activation password activates another user"
detach

configure 'reconnect_window_wired = 8'
attach usb3 plain
outlive "without a channel"
agent
detach

swap ""
echo 'reconnect_window_wired = 0' > "$XDG_CONFIG_HOME/kanal/kanal.conf"
swap 0.1
passed "N76a: a token that takes another's place, however fast, gets no PIN, and the session ends"
