#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: signatures of boot files have the form of Authenticode (UEFI, Secure Boot and Driver Signing), so that "osslsigncode
# verify", which is for that form, verifies files that sbsign has signed.
# Seen: osslsigncode 2.5 says "Invalid signature" of such files, signed by sbsign 0.9.4 with key files of RSA and P-256. sbverify
# verifies them. Both programs verify files that osslsigncode has signed.
# Consequence: boot files of sbsign are verified by sbverify, or by osslsigncode 2.9; the message is no reason to sign them again.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in sbsigntool=0.9.4-3.1 binutils=2.40-2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}" || true)
    [ "$has" = "${package#*=}" ] || { echo "differs: ${package%%=*} has the version $has, not ${package#*=}"; exit 1; }
done
timeout 120 apt-get -qq -o APT::Sandbox::User=root download osslsigncode=2.5-4
dpkg-deb -x ./osslsigncode_*.deb .
osslsigncode=$dir/usr/bin/osslsigncode
timeout 20 "$osslsigncode" --version >version 2>&1 || true
grep -q '^osslsigncode 2\.5,' version || { echo "differs: $(head -n 1 version)"; exit 1; }

# A program for EFI that returns at once.
printf '.globl start\nstart: xor %%eax, %%eax\nret\n.data\n.long 1, 2\n' | timeout 20 as -o program.o
timeout 20 ld -s -m i386pep --subsystem 10 -e start program.o -o program.efi
printf '[req]\ndistinguished_name = name\n[name]\n' >name.cnf
export OPENSSL_CONF=$dir/name.cnf

verdicts() { # FILE CERTIFICATE: what sbverify and osslsigncode say of a signed file
    timeout 20 sbverify --cert "$2" "$1" 2>/dev/null || true
    timeout 20 "$osslsigncode" verify -CAfile "$2" -in "$1" >log 2>&1 && status=0 || status=$?
    grep -o '^Invalid signature\|^Signature verification: ok' log || true
    echo "status $status"
}
same() { echo "seen: $1: $2"; [ "$2" = "$3" ] || { echo "differs: it was \"$3\""; exit 1; }; }
echo "osslsigncode 2.5-4, sbsign 0.9.4-3.1"
echo "expected: both programs verify both files"
timeout 60 openssl genpkey -algorithm RSA -out RSA.key 2>log
timeout 20 openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out P-256.key
for name in RSA P-256; do
    timeout 20 openssl req -x509 -key $name.key -out boot.pem -subj /CN=Boot -days 2 -addext extendedKeyUsage=codeSigning
    timeout 20 sbsign --key $name.key --cert boot.pem --output sbsign.efi program.efi 2>log
    timeout 20 "$osslsigncode" sign -certs boot.pem -key $name.key -h sha256 -in program.efi -out own.efi >log 2>&1
    same "$name, of sbsign" "$(verdicts sbsign.efi boot.pem | paste -sd ,)" \
        "Signature verification OK,Invalid signature,status 1"
    same "$name, of osslsigncode" "$(verdicts own.efi boot.pem | paste -sd ,)" \
        "Signature verification OK,Signature verification: ok,status 0"
    rm own.efi sbsign.efi
done
echo "still so: osslsigncode refuses what sbsign has signed"
