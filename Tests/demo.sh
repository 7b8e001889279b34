#!/usr/bin/env bash
# The main job, from an empty machine to a signature that another program verifies, on an emulated token.
#
# It leaves nothing behind: the token, the pairing with it and all files live in a temporary directory, and what the
# script has started, it stops.
set -euo pipefail
cd "$(dirname "$0")/.."
unset KANAL_LOG KANAL_STORE

pin=12345678
module=$PWD/.build/release/libkanal-pkcs11.so
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
work=$(mktemp -d)
started=()

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
    for ((i = ${#started[@]} - 1; i >= 0; i--)); do
        stop "${started[i]}"
    done
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

step=0
heading() {
    step=$((step + 1))
    printf '\n%d. %s\n\n' "$step" "$*"
}

# Shows a command, indented, and runs it; a command that hangs is ended.
show() {
    printf '   $ %s\n' "$*"
    timeout 120 "$@" 2>&1 | sed 's/^/   /'
}

fail() {
    printf '\ndemo.sh: %s\n' "$*" >&2
    exit 1
}

# Waits up to 20 seconds until a command succeeds.
wait_until() {
    for _ in {1..100}; do
        if timeout 20 "$@" > /dev/null 2>&1; then return; fi
        sleep 0.2
    done
    return 1
}

heading "Install the packages that are missing, and build"
make -s deps
make -s build
for program in readers activate public_key; do
    cc -IInclude/CCryptoki -I/usr/include/PCSC "Tests/Demo/$program.c" -o "$work/$program" \
        -L.build/release -Wl,-rpath,"$PWD/.build/release" -lkanal-pkcs11 -lpcsclite
done
echo "   $module"

# From here on, nothing reads or writes what belongs to the user.
export HOME=$work/home
export XDG_CONFIG_HOME=$HOME/.config XDG_DATA_HOME=$HOME/.local/share XDG_STATE_HOME=$HOME/.local/state
mkdir -p "$HOME"
cd "$work"

heading "Start pcscd, the service through which programs reach smart cards"
if ./readers > /dev/null; then
    echo "   It is running."
else
    [ -z "$sudo" ] || sudo -v
    $sudo pcscd --foreground > pcscd.log 2>&1 &
    started+=($!)
    wait_until ./readers || fail "pcscd does not start: $(cat pcscd.log)"
    echo "   Started; it ends with this script."
fi
wait_until sh -c './readers | grep -q "Virtual PCD"' \
    || fail "pcscd does not have the virtual reader: restart it, it was started before vsmartcard-vpcd was installed"
./readers | sed 's/^/   reader: /'

heading "Attach an emulated Rutoken ECP with Bluetooth"
"${module%/*}/kanal-emulator" --identity bt --state token > emulator.log 2>&1 &
started+=($!)
wait_until grep -q '^attached:' emulator.log || fail "the token is not attached: $(cat emulator.log)"
sed 's/^/   /' emulator.log
serial=$(sed -n 's/^serial: \([0-9a-f]*\).*/\1/p' emulator.log)
password=$(sed -n '/^activation password: /{s///p;q}' emulator.log)
wait_until sh -c './activate "$0" | grep -q ^slot:' "$serial" || fail "the token does not appear in a slot"

heading "The token refuses a session: its secure channel has not been activated"
status=0
show ./activate "$serial" || status=$?
[ "$status" = 1 ] || fail "expected a refusal"

heading "Activate the channel with the password that came with the token"
show ./activate "$serial" "$password"
slot=$(./activate "$serial" | sed -n 's/^slot: //p')

heading "From now on any program opens the token: log in and make a GOST R 34.10-2012 key on it"
tool=(pkcs11-tool --module "$module" --slot "$slot")
show "${tool[@]}" --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01 --label demonstration

heading "Sign a file with it"
echo "This was signed on $(date --iso-8601=seconds)." > document.txt
show "${tool[@]}" --login --pin $pin --sign --mechanism GOSTR3410-WITH-GOSTR3411-12-256 --id 01 \
    --input-file document.txt --output-file signature.bin

heading "Verify with OpenSSL and its gost engine, which know nothing of the token"
cat > openssl.cnf << 'END'
openssl_conf = main
[main]
engines = engines
[engines]
gost = gost
[gost]
engine_id = gost
default_algorithms = ALL
END
export OPENSSL_CONF=$work/openssl.cnf
./public_key "$slot" 01 > public_key.der
verify=(openssl dgst -md_gost12_256 -verify public_key.der -keyform DER -signature signature.bin)
show "${verify[@]}" document.txt

echo "This was not signed." > forged.txt
if "${verify[@]}" forged.txt > /dev/null 2>&1; then fail "another document passes for the signed one"; fi
echo "   Another document fails, as it must."

printf '\nOpenSSL'"'"'s gost engine verified the signature.\n'
