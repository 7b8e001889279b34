#!/usr/bin/env bash
# A token that leaves a wireless reader and returns, behind a real pcscd (GSC/1, 15.3), and what is done to a token that
# only an application of the vendor's kind does.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/token.sh

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

# Attaches a token after so many seconds. The number of its process goes to a file.
attach_after() {
    (
        sleep "$1"
        exec "$emulator" --identity bt --state "$2"
    ) > emulator.log 2>&1 &
    token=$!
}

prepare
cc -I"$root/Include/CCryptoki" "$root/Tests/ModuleTests/Programs/steps.c" -o steps \
    -L"${module%/*}" -Wl,-rpath,"${module%/*}" -lkanal-pkcs11
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
