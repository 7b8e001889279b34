#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job, from an empty machine to a signature that another program verifies, on an emulated token.
#
# It leaves nothing behind: the token, the pairing with it and all files live in a temporary directory, and what the
# script has started, it stops.
#
#   demo.sh [--installed]
#
# With "--installed" it shows what packages have installed, and neither installs nor builds anything.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "${1:-}" = --installed ]; then export KANAL_INSTALLED=yes; fi
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

if [ -n "${KANAL_INSTALLED:-}" ]; then
    heading "What is installed"
else
    heading "Install the packages that are missing, and build"
    make -s deps
    make -s build
fi
prepare
PATH=${kanal%/*}:$PATH
echo "   $kanal"

heading "Start pcscd, the service through which programs reach smart cards"
start_pcscd
[ -n "$pcscd" ] && echo "   Started; it ends with this script." || echo "   It is running."
show kanal readers

heading "Attach an emulated Rutoken ECP with Bluetooth"
attach bt state
sed 's/^/   /' emulator.log

heading "The token wants its secure channel activated"
status=0
show kanal random 8 || status=$?
[ "$status" = 7 ] || fail "expected exit status 7, and not $status"

heading "Activate the channel with the password that came with the token"
echo "$password" > password.txt
show kanal pair --password-source file:password.txt
show kanal readers

heading "From now on any program opens the token: make a GOST R 34.10-2012 key on it"
echo "$pin" > pin.txt
show kanal key generate --pin-source file:pin.txt --label demonstration
show kanal list --pin-source file:pin.txt

heading "Sign a file with it"
echo "This was signed on $(date --iso-8601=seconds)." > document.txt
show kanal sign --pin-source file:pin.txt document.txt

heading "Verify with OpenSSL and its gost engine, which know nothing of the token"
show kanal key export --pin-source file:pin.txt --output public_key.pem
verify=(openssl dgst -md_gost12_256 -verify public_key.pem -signature document.txt.sig)
show "${verify[@]}" document.txt

echo "This was not signed." > forged.txt
if "${verify[@]}" forged.txt > /dev/null 2>&1; then fail "another document passes for the signed one"; fi
echo "   Another document fails, as it must."

printf '\nOpenSSL'"'"'s gost engine verified the signature.\n'
