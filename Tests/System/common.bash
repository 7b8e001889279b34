# SPDX-License-Identifier: Apache-2.0
# Shared by all files of checks, which load it: a directory, programs, pcscd, and emulated tokens in its virtual readers.
# A file's setup_file begins with "prepare". Each test begins in $work, with the variables that "keep" has kept, and with what
# setup_file has exported. All that was launched is stopped when the file ends.

set -u -o pipefail
root=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
work=${BATS_FILE_TMPDIR:-${work:-}}
products=$root/.build/${KANAL_CONFIGURATION:-release}
module=$products/libkanal-pkcs11.so
emulator=$products/kanal-emulator
kanal=${KANAL:-$products/kanal}
# Tries the files of installed packages in place of the built ones.
if [ -n "${KANAL_INSTALLED:-}" ]; then
    module=$(pkg-config --variable=libdir kanal-pkcs11)/libkanal-pkcs11.so
    emulator=$(command -v kanal-emulator || true)
    kanal=$(command -v kanal || true)
fi
pin=12345678
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
pcscd=
token=
# A test's own make is not a part of the make that runs the test.
unset MAKEFLAGS
# Independent of the user's language.
export LC_ALL=C.UTF-8 LANGUAGE=

setup() {
    cd "$work"
    # shellcheck source=/dev/null
    [ ! -e .state ] || . ./.state
    [ -z "${no_tests:-}" ] || skip "$no_tests"
}

teardown_file() { clean_up; }

# ---- State and processes ----

# The tests that follow have these variables, too.
keep() { declare -p "$@" | sed 's/^declare/declare -g/' >> "$work/.state"; }

# No test of the file can run, for this reason. setup_file ends behind it.
skip_all() {
    no_tests=$1
    keep no_tests
}

# Why this Debian lacks a package, if it does: roots.sh writes the file. The package is a pattern of sed.
absence() { [ ! -e /absent ] || sed -n "/^$1 /{ s///p; q }" /absent; }

# Has a process stopped when the file ends, unless it has ended: its number may be another process's by then.
adopt() {
    [[ ${1:-} =~ ^[1-9][0-9]*$ ]] || fail "not a process: ${1:-}"
    echo "$1 $(born "$1")" >> "$work/.processes"
}

# The moment at which a process began, in clock ticks; "ended" if there is none.
born() { sed 's/.*) //' "/proc/$1/stat" 2> /dev/null | cut -d ' ' -f 20 | grep . || echo ended; }

# Whether a process goes on, an adopted one as itself.
goes_on() {
    local began
    began=$(sed -n "s/^$1 //p" "$work/.processes" 2> /dev/null | tail -n 1)
    if [ -z "$began" ]; then $sudo kill -0 "$1" 2> /dev/null; else [ "$began" != ended ] && [ "$(born "$1")" = "$began" ]; fi
}

# Starts a command beside the test, with the standard input that it is given; sets $launched, its process.
launch() {
    "$@" <&0 3>&- &
    launched=$!
    adopt $launched
}

# Ends a process that a test has started, by force after ten seconds. It may be sudo, which passes the signal on.
stop() {
    local signal
    for signal in TERM KILL; do
        if ! goes_on "$1" || ! $sudo kill "-$signal" "$1" 2> /dev/null; then break; fi
        for _ in {1..100}; do
            goes_on "$1" || break 2
            sleep 0.1
        done
    done
    [ ! -e "$work/.processes" ] || sed -i "/^$1 /d" "$work/.processes"
}

# Stops the processes, the last first.
clean_up() {
    local process
    [ -e "$work/.processes" ] || return 0
    for process in $(tac "$work/.processes" | cut -d ' ' -f 1); do stop "$process"; done
}

# ---- Results ----

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Runs a command and compares its exit status with the expected one. Its output is in the file "output".
expect() {
    local wanted=$1 status=0
    shift
    timeout 120 "$@" > output 2>&1 3>&- || status=$?
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted from: $*"$'\n'"$(cat output)"
}

# A file, "output" unless another is named, has lines like this, or none.
printed() { grep -q -e "$1" "${2:-output}" || fail "no \"$1\" in:"$'\n'"$(cat "${2:-output}")"; }
not_printed() { ! grep -q -e "$1" "${2:-output}" || fail "\"$1\" in:"$'\n'"$(cat "${2:-output}")"; }

# A command fails. A mere "!" does not fail a test.
refute() { ! "$@" || fail "succeeds: $*"; }

# Waits up to 20 seconds until a command succeeds. In a teardown behind a failure, a mere "return" would fail.
wait_until() {
    for _ in {1..100}; do
        if timeout 20 "$@" > /dev/null 2>&1 3>&-; then return 0; fi
        sleep 0.2
    done
    return 1
}

# The number of a process's open descriptors, and its memory in kilobytes.
used_by() { echo "$(ls "/proc/$1/fd" | wc -l) $(awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status")"; }

# The number of times or seconds: by day, and by night.
amount() { if [ -n "${KANAL_NIGHT:-}" ]; then echo "$2"; else echo "$1"; fi; }

# ---- The machine ----

# Builds the programs that all files use, and the named ones, of Tests/Programs/Token, or uses the ones in the
# directory $built. Makes sure that nothing reads or writes what belongs to the user.
prepare() {
    local program
    for program in "$root"/Examples/{activate,public_key} $(printf "$root/Tests/Programs/Token/%s " readers "$@"); do
        if [ -n "${built:-}" ]; then
            ln -s "$built/${program##*/}" "$work"
            continue
        fi
        cc -pthread -I"$root/Include/CCryptoki" -I/usr/include/PCSC "$program.c" -o "$work/${program##*/}" \
            -L"${module%/*}" -Wl,-rpath,"${module%/*}" -lkanal-pkcs11 -lpcsclite
    done
    unset KANAL_LOG
    export HOME=$work/home
    export XDG_CONFIG_HOME=$HOME/.config XDG_DATA_HOME=$HOME/.local/share XDG_STATE_HOME=$HOME/.local/state
    mkdir -p "$HOME"
    cat > "$work/openssl.cnf" << 'END'
openssl_conf = main
[main]
engines = engines
[engines]
gost = gost
[gost]
engine_id = gost
default_algorithms = ALL
[req]
distinguished_name = name
[name]
END
    export OPENSSL_CONF=$work/openssl.cnf
    cd "$work"
}

# Writes the user's kanal.conf, of these lines.
configure() {
    mkdir -p "$XDG_CONFIG_HOME/kanal"
    printf '%s\n' "$@" > "$XDG_CONFIG_HOME/kanal/kanal.conf"
}

unconfigure() { rm -f "$XDG_CONFIG_HOME/kanal/kanal.conf"; }

# Writes a program that answers as pinentry with a PIN, and does something beside: file, PIN, command.
pinentry() {
    cat > "$1" << END
#!/bin/sh
echo OK
while read -r line; do
    case \$line in
        GETPIN) ${3:-:}; printf 'D $2\nOK\n' ;;
        BYE) echo OK; exit ;;
        *) echo OK ;;
    esac
done
END
    chmod 755 "$1"
}

# Becomes pcscd, with more options.
be_pcscd() {
    # Without a system bus, polkit would admit no user.
    if [ ! -S /run/dbus/system_bus_socket ] && grep -q disable-polkit <<< "$(pcscd --help)"; then
        set -- --disable-polkit "$@"
    fi
    exec $sudo pcscd --foreground "$@"
}

# Starts pcscd, with more options, unless it runs; $pcscd is set if a test has started it.
start_pcscd() {
    if ! ./readers > /dev/null; then
        [ -z "$sudo" ] || sudo -v
        launch be_pcscd "$@" > pcscd.log 2>&1
        pcscd=$launched
        keep pcscd
        wait_until ./readers || fail "pcscd does not start: $(cat pcscd.log)"
    fi
    wait_until sh -c './readers | grep -q "Virtual PCD"' \
        || fail "pcscd lacks the virtual reader: restart it, it has run since before vsmartcard-vpcd was installed"
}

# The test needs a pcscd of its own.
needs_own_pcscd() { [ -n "$pcscd" ] || skip "pcscd runs, which no test may end: Tests/System/apart bats …"; }

# For root, p11-kit reads its own directory of modules and no other: hides the machine's from tests with mounts of their own.
hide_p11_kit_modules() {
    [ "$(id -u)" != 0 ] || [ "${KANAL_APART:-}" != yes ] \
        || mount -t tmpfs tmpfs "$(pkg-config p11-kit-1 --variable=p11_module_configs)"
}

# ---- Tokens ----

# Whether a card is in the first reader.
card_is_there() { ./readers | grep -q '^card .*Virtual PCD 00 00'; }
no_card_is_there() { ! card_is_there; }
export -f card_is_there no_card_is_there

# Puts a token into the reader: identity, directory of its state, more options. Sets $token, $serial and, for a new
# token with a channel, $password.
insert() {
    rm -f emulator.log
    launch "$emulator" --identity "$1" --state "$2" "${@:3}" > emulator.log 2>&1
    token=$launched
    wait_until grep -q '^attached:' emulator.log || fail "the token is not attached: $(cat emulator.log)"
    serial=$(sed -n 's/^serial: \([0-9a-f]*\).*/\1/p' emulator.log)
    local new
    new=$(sed -n '/^activation password: /{s///p;q}' emulator.log)
    password=${new:-${password:-}}
    keep token serial password
    wait_until bash -c card_is_there || fail "the token does not appear in its reader"
}

# Waits until the library shows a token in a slot, and sets $slot.
find_slot() {
    wait_until sh -c './activate "$0" | grep -q ^slot:' "$1" || fail "the token does not appear in a slot"
    slot=$({ ./activate "$1" || true; } | sed -n 's/^slot: //p')
}

# Inserts a token, and sets $slot when the library shows it.
attach() {
    insert "$@"
    find_slot "$serial"
    keep slot
}

# Puts a second token into the second reader: identity, directory of its state, more options. Sets $second_token,
# $second_serial and $second_slot.
attach_second() {
    local slot
    launch "$emulator" --identity "$1" --state "$2" --port 35964 "${@:3}" > second.log 2>&1
    second_token=$launched
    wait_until sh -c '[ "$(./readers | grep -c "^card .*Virtual PCD")" = 2 ]' || fail "no second token: $(cat second.log)"
    second_serial=$(sed -n 's/^serial: \([0-9a-f]*\).*/\1/p' second.log)
    find_slot "$second_serial"
    second_slot=$slot
    keep second_token second_serial second_slot
}

# Removes the token, and waits until pcscd has seen that: it looks every 400 ms, and would hold another token that
# comes sooner for this one.
detach() {
    [ -z "$token" ] || stop "$token"
    token=
    keep token
    wait_until bash -c no_card_is_there || fail "the token does not leave its reader"
}

# Does something with a token of this kind in the reader, which the file's function "bring" puts there and gets ready.
identity=
on() {
    if [ "$identity" != "$1" ]; then
        detach
        identity=$1
        bring
        keep identity
    fi
    "${@:2}"
}

# Puts a token of the kind $identity into the reader, with more options; one with a channel is paired.
attach_paired() {
    attach "$identity" "$identity" "$@"
    unconfigure
    [ "$identity" = bt ] || return 0
    configure 'wireless_readers = Virtual PCD *'
    PASSWORD=$password expect 0 "$kanal" pair --password-source env:PASSWORD
}

# Makes a private key of 2048 bits. OpenSC refuses one in which a number begins with a zero byte, as one in 85 does.
rsa_key() {
    for _ in {1..20}; do
        openssl genrsa -traditional -out "$1" 2048 2> /dev/null
        if openssl asn1parse -in "$1" | awk -F: '/INTEGER/ && ++number > 4 && length($NF) != 256 { exit 1 }'; then
            return 0
        fi
    done
    fail "openssl makes no key of RSA whose numbers are all of full length"
}

# Runs a command of kanal for a user who knows the PIN.
by_kanal() { PIN=$pin expect 0 "$kanal" "$@" --pin-source env:PIN; }

# Logs in, which restores the PIN's tries.
log_in() { pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin -O > /dev/null 2>&1; }

# The tries that the PIN of the token in the reader has.
tries() { "$kanal" info 2> /dev/null | sed -n 's/^PIN: *\([0-9]*\) of .*/\1/p; s/^PIN: *locked.*/0/p'; }
has_tries() { [ "$(tries)" = "$1" ] || fail "$(tries) tries are left, and not $1"; }

# The label that the library shows.
token_label() {
    pkcs11-tool --module "$module" -L | sed -n "/serial num *: $serial/q; s/^ *token label *: //p" | tail -n 1
}

# Copies a file of Examples, with this library and this PIN.
example() {
    sed "s|/usr/local/lib/libkanal-pkcs11.so|$module|; s|^PIN = .*|PIN = $pin|" "$root/Examples/$1" > "$1"
}

# Starts an agent of OpenSSH that has the token's keys; sets $agent and SSH_AUTH_SOCK. The public key is in key.pub.
start_agent() {
    expect 0 ssh-keygen -D "$module"
    grep '^ssh-rsa' output > key.pub
    printf '#!/bin/sh\necho %s\n' $pin > askpass
    chmod 700 askpass
    launch ssh-agent -D -a "$work/agent" -P "$(realpath "$module")" > agent.log 2>&1
    agent=$launched
    export SSH_AUTH_SOCK=$work/agent
    wait_until test -S "$SSH_AUTH_SOCK"
    SSH_ASKPASS=$work/askpass SSH_ASKPASS_REQUIRE=force expect 0 setsid --wait ssh-add -s "$module" < /dev/null
}

stop_agent() {
    stop "$agent"
    rm -f "$SSH_AUTH_SOCK"
    unset SSH_AUTH_SOCK
}
