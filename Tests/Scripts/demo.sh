#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The main job, from an empty machine to signatures that another program verifies, on an emulated token. "make demo"
# installs and builds what it needs; docs/demo.svg shows what it prints.
#
# It leaves nothing behind: the token, the pairing with it and all files are in a temporary directory, and what the
# script has started, it stops.
#
#   demo.sh [--installed]
#
# With "--installed" it shows what packages have installed, and not what was built.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "${1:-}" = --installed ]; then export KANAL_INSTALLED=yes; fi
. Tests/Scripts/common.sh

step=0
heading() {
    step=$((step + 1))
    printf '\n%d. %s\n' "$step" "$*"
}

# Shows a command, indented and in lines of at most 92 columns, and runs it; a command that hangs is ended.
show() {
    local line='   $' word
    for word in "$@"; do
        if ((${#line} + ${#word} > 90)); then
            printf '%s \\\n' "$line"
            line='      '
        fi
        line+=" $word"
    done
    printf '%s\n' "$line"
    timeout 120 "$@" 2>&1 | sed 's/^/   /'
}

prepare
# Programs find the command, and the library by its name alone, as if they were installed.
PATH=${kanal%/*}:$PATH
export LD_LIBRARY_PATH=${module%/*}

heading "Start pcscd, the service through which programs reach smart cards"
start_pcscd
[ -n "$pcscd" ] && echo "   Started; it ends with this demonstration." || echo "   It is running."

heading "Attach an emulated Rutoken ECP with Bluetooth"
attach bt state
sed 's/^/   /' emulator.log

heading "The token wants its secure channel activated"
status=0
show kanal random 8 || status=$?
[ "$status" = 7 ] || fail "expected exit status 7, and not $status"

heading "Activate the channel with the activation password"
echo "$password" > password.txt
show kanal pair --password-source file:password.txt
show kanal readers

heading "Make a GOST R 34.10-2012 key on it"
echo "$pin" > pin.txt
show kanal key generate --pin-source file:pin.txt --label demonstration

heading "Sign a file with it"
echo "This was signed on $(date --iso-8601=seconds)." > document.txt
show kanal sign --pin-source file:pin.txt document.txt

signatures=(document.txt.sig)
which=it
# With OpenSSL 4 alone Debian's OpenSC does not start, as if it were missing.
status=0
pkcs11-tool --help > /dev/null 2>&1 || status=$?
if [ $status != 127 ]; then
    heading "Any program that speaks PKCS #11 signs with the same key: pkcs11-tool of OpenSC"
    show pkcs11-tool --module libkanal-pkcs11.so --login --pin $pin --sign --id 01 \
        --mechanism GOSTR3410-WITH-GOSTR3411-12-256 -i document.txt -o document.txt.tool
    signatures+=(document.txt.tool)
    which=both
fi

# A verifier that knows nothing of the token: OpenSSL where its gost engine is installed, else GnuTLS. "verification" makes
# the command for a signature and a document.
if openssl dgst -md_gost12_256 pin.txt > /dev/null 2>&1; then
    heading "Verify $which with OpenSSL and its gost engine, which know nothing of the token"
    verifier="OpenSSL's gost engine"
    show kanal key export --pin-source file:pin.txt --output key.pem
    verification() { command=(openssl dgst -md_gost12_256 -verify key.pem -signature "$1" "$2"); }
elif command -v certtool > /dev/null; then
    heading "Verify with GnuTLS, which knows nothing of the token: this OpenSSL has no gost engine"
    verifier=GnuTLS
    # GnuTLS's command verifies signed messages alone, whose signer has a certificate.
    printf 'cn = "Authority"\nca\ncert_signing_key\nexpiration_days = 30\n' > authority.txt
    certtool --generate-privkey --key-type ecdsa --outfile authority.key > certtool.log 2>&1
    certtool --generate-self-signed --load-privkey authority.key --template authority.txt --outfile authority.pem \
        >> certtool.log 2>&1
    show kanal cert request --pin-source file:pin.txt --subject CN=Demonstration --output request.pem
    printf 'signing_key\nexpiration_days = 30\n' > certificate.txt
    certtool --generate-certificate --load-request request.pem --load-ca-certificate authority.pem \
        --load-ca-privkey authority.key --template certificate.txt --outfile certificate.pem >> certtool.log 2>&1
    echo "   An authority of this demonstration has signed the request: certificate.pem."
    kanal cert import --pin-source file:pin.txt certificate.pem > import.log
    show kanal sign --cms --detached --pin-source file:pin.txt document.txt
    signatures=(document.txt.p7s)
    verification() {
        command=(certtool --p7-verify --inder --load-ca-certificate authority.pem --infile "$1" --load-data "$2")
    }
else
    heading "Verify $which with Kanal, by the public key alone: OpenSSL's gost engine and GnuTLS's certtool are missing"
    verifier="kanal, without the token,"
    show kanal key export --pin-source file:pin.txt --output key.pem
    verification() { command=(kanal verify --public-key key.pem --signature "$1" "$2"); }
fi
echo "This was not signed." > forged.txt
for signature in "${signatures[@]}"; do
    verification "$signature" document.txt
    show "${command[@]}"
    verification "$signature" forged.txt
    if "${command[@]}" > /dev/null 2>&1; then fail "another document passes for the signed one"; fi
done
echo "   Another document fails, as it must."

[ ${#signatures[@]} = 2 ] && verified="both signatures" || verified="the signature"
printf '\n%s verified %s.\n' "${verifier^}" "$verified"
