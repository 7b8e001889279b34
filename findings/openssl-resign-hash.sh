#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: "openssl cms -resign" adds a signer to a signed message ("Resign a message: take an existing message and
# one or more new signers", its manual); each signer has a hash of its own (RFC 5652, 5.3), so that a GOST signature can
# be added to one by RSA with SHA-256, at least where the content is in the message or passed by -content.
# Seen: OpenSSL 3.0.19 hashes nothing in -resign: it copies the digest of a present signer who has the same hash, and
# ends with "no matching digest" if none has, with the content in the message and with -content, too.
# Consequence: the second party to a contract cannot add its Streebog signature to a SHA-256 one by this command. Both
# sign at once ("-signer" twice), or a library adds the signer.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

for package in openssl=3.0.19-1~deb12u2 libssl3=3.0.19-1~deb12u2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}")
    [ "$has" = "${package#*=}" ] || { echo "differs: the version is $has, not $package"; exit 1; }
done
timeout 120 apt-get -qq -o APT::Sandbox::User=root download libengine-gost-openssl=3.0.1-2+b1
dpkg-deb -x ./libengine-gost-openssl_*.deb .
export OPENSSL_ENGINES=$dir/usr/lib/x86_64-linux-gnu/engines-3 OPENSSL_CONF=$dir/gost.cnf
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' > gost.cnf
printf '[req]\ndistinguished_name = n\n[n]\n' >> gost.cnf
timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout rsa.key -subj /CN=First -days 2 -out rsa.pem 2> log
timeout 60 openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ec.key -subj /CN=Second \
    -days 2 -out ec.pem 2> log
timeout 60 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:TCA -nodes -keyout gost.key -subj /CN=Third \
    -days 2 -out gost.pem 2> log
printf 'a contract' > content
first=(-in content -binary -signer rsa.pem -inkey rsa.key -outform DER)
timeout 20 openssl cms -sign "${first[@]}" -nodetach -out inside.der
timeout 20 openssl cms -sign "${first[@]}" -out beside.der

# The message of -resign, and whether the result verifies.
resign() {
    timeout 20 openssl cms -resign -inform DER -in "$1" -content content -binary -signer "$2.pem" -inkey "$2.key" \
        ${3:+-md "$3"} -outform DER -out both.der 2> log || { grep -o 'no matching digest' log; return; }
    timeout 20 openssl cms -verify -inform DER -in both.der -content content -binary -noverify -out result 2> log
    timeout 20 openssl cms -cmsout -noout -print -inform DER -in both.der > text
    echo "verifies, signers: $(grep -c d.issuerAndSerial text)"
}
same() { echo "$1: $3"; [ "$2" = "$3" ] || { echo "differs: it was \"$2\""; exit 1; }; }
echo "OpenSSL $has, gost-engine 3.0.1-2+b1"
echo "expected: all verify"
same "same hash, content beside" "verifies, signers: 2" "$(resign beside.der ec sha256)"
for place in inside beside; do
    same "SHA-512, content $place" "no matching digest" "$(resign $place.der ec sha512)"
    same "Streebog, content $place" "no matching digest" "$(resign $place.der gost)"
done
timeout 20 openssl cms -sign "${first[@]}" -signer gost.pem -inkey gost.key -nodetach -out both.der
same "both at once" "CMS Verification successful" \
    "$(timeout 20 openssl cms -verify -inform DER -in both.der -noverify -out result 2>&1)"
echo "still so: only a hash that is there can be used"
