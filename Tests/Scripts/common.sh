# SPDX-License-Identifier: Apache-2.0
# What the scripts share: a temporary directory, programs, pcscd, and emulated tokens in its virtual readers. To be sourced
# from the project's root. All that was started is stopped, and all files are removed, when the script ends.

root=$PWD
products=$root/.build/${KANAL_CONFIGURATION:-release}
module=$products/libkanal-pkcs11.so
emulator=$products/kanal-emulator
kanal=${KANAL:-$products/kanal}
# What packages have installed is tried in place of what was built.
if [ -n "${KANAL_INSTALLED:-}" ]; then
    module=$(pkg-config --variable=libdir kanal-pkcs11)/libkanal-pkcs11.so
    emulator=$(command -v kanal-emulator)
    kanal=$(command -v kanal)
fi
pin=12345678
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
work=$(mktemp -d)
pcscd=
token=
others=()
leftovers=()
# What a script makes is no part of the make that runs the script.
unset MAKEFLAGS
# Whatever the language of who runs it.
export LC_ALL=C.UTF-8 LANGUAGE=

# Ends a process that the script has started, by force after ten seconds. It may be sudo, which passes the signal on.
stop() {
    for signal in TERM KILL; do
        $sudo kill "-$signal" "$1" 2> /dev/null || return 0
        for _ in {1..50}; do
            $sudo kill -0 "$1" 2> /dev/null || return 0
            sleep 0.2
        done
    done
}

clean_up() {
    trap - EXIT
    for process in "$token" "${others[@]}"; do [ -z "$process" ] || stop "$process"; done
    [ -z "$pcscd" ] || stop "$pcscd"
    rm -rf "$work" "${leftovers[@]}"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    printf '\n%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

passed() { printf 'ok: %s\n' "$*"; }
skipped() { printf 'skipped: %s\n' "$*"; }

# Runs a command and compares its exit status with the expected one. What it prints is in the file "output".
expect() {
    local wanted=$1 status=0
    shift
    timeout 120 "$@" > output 2>&1 || status=$?
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted from: $*"$'\n'"$(cat output)"
}

printed() { grep -q -e "$1" output || fail "no \"$1\" in:"$'\n'"$(cat output)"; }

# How many descriptors a process has open, and its memory in kilobytes.
used_by() { echo "$(ls "/proc/$1/fd" | wc -l) $(awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status")"; }

# Waits up to 20 seconds until a command succeeds.
wait_until() {
    for _ in {1..100}; do
        if timeout 20 "$@" > /dev/null 2>&1; then return; fi
        sleep 0.2
    done
    return 1
}

# Builds the programs that all scripts use, and those that are named, of Tests/Programs/Token, or takes those that are in the
# directory $built. Makes sure that nothing reads or writes what belongs to the user.
prepare() {
    local program
    for program in Examples/{activate,public_key} $(printf 'Tests/Programs/Token/%s ' readers "$@"); do
        if [ -n "${built:-}" ]; then
            ln -s "$built/${program##*/}" "$work"
            continue
        fi
        cc -pthread -IInclude/CCryptoki -I/usr/include/PCSC "$program.c" -o "$work/${program##*/}" \
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

unconfigure() { rm "$XDG_CONFIG_HOME/kanal/kanal.conf"; }

# Becomes pcscd, with more options.
be_pcscd() {
    # Where there is no system bus, polkit would let nobody in.
    if [ ! -S /run/dbus/system_bus_socket ] && grep -q disable-polkit <<< "$(pcscd --help)"; then
        set -- --disable-polkit "$@"
    fi
    exec $sudo pcscd --foreground "$@"
}

# Starts pcscd, with more options, unless it runs; $pcscd is set if the script has started it.
start_pcscd() {
    if ! ./readers > /dev/null; then
        [ -z "$sudo" ] || sudo -v
        (be_pcscd "$@") > pcscd.log 2>&1 &
        pcscd=$!
        wait_until ./readers || fail "pcscd does not start: $(cat pcscd.log)"
    fi
    wait_until sh -c './readers | grep -q "Virtual PCD"' \
        || fail "pcscd lacks the virtual reader: restart it, it has run since before vsmartcard-vpcd was installed"
}

# Puts a token into the reader: identity, directory of its state, more options. Sets $token, $serial and, for a new
# token with a channel, $password.
insert() {
    rm -f emulator.log
    "$emulator" --identity "$1" --state "$2" "${@:3}" > emulator.log 2>&1 &
    token=$!
    wait_until grep -q '^attached:' emulator.log || fail "the token is not attached: $(cat emulator.log)"
    serial=$(sed -n 's/^serial: \([0-9a-f]*\).*/\1/p' emulator.log)
    local new=$(sed -n '/^activation password: /{s///p;q}' emulator.log)
    password=${new:-${password:-}}
    wait_until sh -c './readers | grep -q "^card .*Virtual PCD"' || fail "the token does not appear in its reader"
}

# Inserts a token, and sets $slot when the library shows it.
attach() {
    insert "$@"
    wait_until sh -c './activate "$0" | grep -q ^slot:' "$serial" || fail "the token does not appear in a slot"
    slot=$({ ./activate "$serial" || true; } | sed -n 's/^slot: //p')
}

# Puts a second token into the second reader: identity, directory of its state, more options. Sets $second_token,
# $second_serial and $second_slot.
attach_second() {
    "$emulator" --identity "$1" --state "$2" --port 35964 "${@:3}" > second.log 2>&1 &
    second_token=$!
    others+=($second_token)
    wait_until sh -c '[ "$(./readers | grep -c "^card .*Virtual PCD")" = 2 ]' || fail "no second token: $(cat second.log)"
    second_serial=$(sed -n 's/^serial: \([0-9a-f]*\).*/\1/p' second.log)
    wait_until sh -c './activate "$0" | grep -q ^slot:' "$second_serial" || fail "the second token has no slot"
    second_slot=$({ ./activate "$second_serial" || true; } | sed -n 's/^slot: //p')
}

# Takes the token away, and waits until pcscd has seen that: it looks every 400 ms, and would hold another token that
# comes sooner for this one.
detach() {
    stop "$token"
    token=
    wait_until sh -c '! ./readers | grep -q "^card .*Virtual PCD 00 00"' || fail "the token does not leave its reader"
}

# Makes a private key of 2048 bits. OpenSC refuses one in which a number begins with a zero octet, as one in 85 does.
rsa_key() {
    for _ in {1..20}; do
        openssl genrsa -traditional -out "$1" 2048 2> /dev/null
        if openssl asn1parse -in "$1" | awk -F: '/INTEGER/ && ++number > 4 && length($NF) != 256 { exit 1 }'; then
            return 0
        fi
    done
    fail "openssl makes no key of RSA whose numbers are all of full length"
}

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
    ssh-agent -D -a "$work/agent" -P "$(realpath "$module")" > agent.log 2>&1 &
    agent=$!
    others+=($agent)
    export SSH_AUTH_SOCK=$work/agent
    wait_until test -S "$SSH_AUTH_SOCK"
    SSH_ASKPASS=$work/askpass SSH_ASKPASS_REQUIRE=force expect 0 setsid --wait ssh-add -s "$module" < /dev/null
}

stop_agent() {
    stop $agent
    wait $agent 2> /dev/null || true
    rm -f "$SSH_AUTH_SOCK"
    unset SSH_AUTH_SOCK
}

# The objects of targets: the directory of a build, targets. Those of sources that are gone lie there, too.
objects() {
    local target map
    for target in "${@:2}"; do
        map=$1/$target.build/output-file-map.json
        if [ -e "$map" ]; then sed -n 's/.*"object": *"\(.*\.swift\.o\)".*/\1/p' "$map"; else find "$1/$target.build" -name "*.o"; fi
    done
}

# What is built with a sanitizer to run for so many seconds: to optimise it for a few of them takes longer than it saves.
configuration_for() { if [ "$1" -gt 10 ]; then echo release; else echo debug; fi; }
optimisation_for() { if [ "$1" = release ]; then echo -O; else echo -Onone; fi; }

# The name that the compiler knows the package by, from a file that "swift build" has left, such as .build/debug.yaml.
# Sources that use what is declared "package" have to be compiled as parts of the package.
package_name() { sed -n 's/.*"-module-name","Secrets",.*"-package-name","\([^"]*\)".*/\1/p; T; q' "$1"; }

# The flags by which the compiler finds the modules in C of a debug build.
c_module_flags() {
    printf -- '-Xcc -fmodule-map-file=%s ' Include/*/module.modulemap \
        .build/debug/{CProcess,COpenSSL,CReserve,GOSTKernels}.build/module.modulemap
    printf -- '-Xcc %s ' $(pkg-config --cflags-only-I libpcsclite)
}
