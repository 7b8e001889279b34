#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: gpgsm, which knows no GOST signatures, reports the algorithm of an authority's GOST certificate as not
# supported, and keeps the certificate, as it keeps the certificates of people that are signed so by others.
# Seen: gpgsm 2.2.40 prints "self-signed certificate has a BAD signature: Bug" and does not import it. A certificate that
# the same authority has issued for an RSA key is imported without a word about its GOST signature. The engine gost
# verifies both.
# Consequence: a genuine root counts as forged, and mail that is signed by people below it cannot be verified. The message
# is not a reason to suspect the file: compare its digest with the authority's, and use another program.
set -euo pipefail
dir=$(mktemp -d)
export GNUPGHOME=$dir/gnupg
trap 'timeout 20 gpgconf --kill all || true; rm -rf "$dir"' EXIT
cd "$dir"
mkdir -m 700 gnupg

for package in gpgsm=2.2.40-1.1+deb12u2 libksba8=1.6.3-2; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}")
    [ "$has" = "${package#*=}" ] || { echo "differs: the version is $has, not $package"; exit 1; }
done
timeout 120 apt-get -qq -o APT::Sandbox::User=root download libengine-gost-openssl=3.0.1-2+b1
dpkg-deb -x ./libengine-gost-openssl_*.deb .
export OPENSSL_ENGINES=$dir/usr/lib/x86_64-linux-gnu/engines-3 OPENSSL_CONF=$dir/gost.cnf
printf 'openssl_conf = m\n[m]\nengines = e\n[e]\ngost = g\n[g]\nengine_id = gost\ndefault_algorithms = ALL\n' > gost.cnf
printf '[req]\ndistinguished_name = n\n[n]\n' >> gost.cnf
timeout 60 openssl req -x509 -newkey gost2012_256 -pkeyopt paramset:A -nodes -keyout ca.key -subj /CN=Authority \
    -days 2 -out ca.pem -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign 2> log
timeout 60 openssl req -new -newkey rsa:2048 -nodes -keyout user.key -subj /CN=Owner -out user.csr 2> log
timeout 20 openssl x509 -req -in user.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out user.pem 2> log

# The answer of gpgsm to a certificate.
import() {
    timeout 60 gpgsm --batch --disable-dirmngr --import "$1" > log 2>&1 || true
    sed -n 's/^gpgsm: \(.*BAD signature.*\)/\1, /p; s/^gpgsm: *\(imported\|not imported\): 1$/\1/p' log | tr -d '\n'
}
same() { echo "$1: $3"; [ "$2" = "$3" ] || { echo "differs: it was \"$2\""; exit 1; }; }
echo "gpgsm 2.2.40-1.1+deb12u2, libksba 1.6.3-2, gost-engine 3.0.1-2+b1"
echo "expected: an unsupported algorithm"
same "OpenSSL, both" "ca.pem: OK user.pem: OK" \
    "$(timeout 20 openssl verify -check_ss_sig -CAfile ca.pem ca.pem user.pem | xargs)"
same "gpgsm, the authority's" "self-signed certificate has a BAD signature: Bug, not imported" "$(import ca.pem)"
same "gpgsm, the owner's" "imported" "$(import user.pem)"
echo "still so: a genuine root has a BAD signature"
