#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job, from an empty machine to a signature that another program verifies, on an emulated token.
#
# It leaves nothing behind: the token, the pairing with it and all files live in a temporary directory, and what the
# script has started, it stops.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

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

heading "Install the packages that are missing, and build"
make -s deps
make -s build
prepare
echo "   $module"

heading "Start pcscd, the service through which programs reach smart cards"
start_pcscd
[ -n "$pcscd" ] && echo "   Started; it ends with this script." || echo "   It is running."
./readers | sed 's/^/   reader: /'

heading "Attach an emulated Rutoken ECP with Bluetooth"
attach bt state
sed 's/^/   /' emulator.log

heading "The token refuses a session: its secure channel has not been activated"
status=0
show ./activate "$serial" || status=$?
[ "$status" = 1 ] || fail "expected a refusal"

heading "Activate the channel with the password that came with the token"
show ./activate "$serial" "$password"

heading "From now on any program opens the token: log in and make a GOST R 34.10-2012 key on it"
tool=(pkcs11-tool --module "$module" --slot "$slot")
show "${tool[@]}" --login --pin $pin --keypairgen --key-type GOSTR3410-2012-256:A --id 01 --label demonstration

heading "Sign a file with it"
echo "This was signed on $(date --iso-8601=seconds)." > document.txt
show "${tool[@]}" --login --pin $pin --sign --mechanism GOSTR3410-WITH-GOSTR3411-12-256 --id 01 \
    --input-file document.txt --output-file signature.bin

heading "Verify with OpenSSL and its gost engine, which know nothing of the token"
./public_key "$slot" 01 > public_key.der
verify=(openssl dgst -md_gost12_256 -verify public_key.der -keyform DER -signature signature.bin)
show "${verify[@]}" document.txt

echo "This was not signed." > forged.txt
if "${verify[@]}" forged.txt > /dev/null 2>&1; then fail "another document passes for the signed one"; fi
echo "   Another document fails, as it must."

printf '\nOpenSSL'"'"'s gost engine verified the signature.\n'
