#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a message whose signer is named by the identifier of the key instead of issuer and number (RFC 5652, 5.3:
# a choice; receivers must support both) is verified, or its certificates read, as any other.
# Seen: gpgsm ends with "BER error", though the message is in DER; Python's cryptography cannot parse it, though only
# the certificates are wanted; "openssl smime" fails, too. They expect PKCS #7, which had no such choice. "openssl cms"
# and certtool verify it.
# Consequence: an error of encoding may mean this. Signers for unknown receivers name issuer and number ("openssl cms
# -sign" without -keyid).
set -euo pipefail
dir=$(mktemp -d)
export GNUPGHOME=$dir/gnupg OPENSSL_CONF=
trap 'timeout 20 gpgconf --kill all || true; rm -rf "$dir"' EXIT
cd "$dir"
mkdir -m 700 gnupg

for package in gpgsm=2.2.40-1.1+deb12u2 libksba8=1.6.3-2 gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}")
    [ "$has" = "${package#*=}" ] || { echo "differs: the version is $has, not $package"; exit 1; }
done
timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2
timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=Signer -days 2 -out cert.pem \
    -addext subjectKeyIdentifier=hash -addext basicConstraints=critical,CA:TRUE \
    -addext keyUsage=critical,digitalSignature,keyCertSign 2> log
timeout 60 gpgsm --batch --disable-dirmngr --import cert.pem 2> log
timeout 20 openssl x509 -in cert.pem -noout -fingerprint -sha1 | sed 's/.*=//; s/$/ S relax/' > gnupg/trustlist.txt
printf 'a message' > message
cat > load.py <<'P'
import sys
from cryptography.hazmat.primitives.serialization import pkcs7

print(len(pkcs7.load_der_pkcs7_certificates(open(sys.argv[1], "rb").read())), "certificate")
P

# The answer of each program to a message.
answers() {
    timeout 60 gpgsm --batch --disable-dirmngr --disable-crl-checks --verify "$1" 2>&1 |
        sed -n 's/^gpgsm: \(Good signature\|ksba_cms_parse failed: .*\).*/gpgsm: \1/p' || true
    timeout 60 venv/bin/python -W ignore load.py "$1" 2>&1 | sed -n '$s/^/cryptography: /p' || true
    timeout 60 openssl smime -verify -inform DER -in "$1" -CAfile cert.pem > log 2>&1 && echo "smime: good" ||
        echo "smime: refused"
    timeout 60 openssl cms -verify -inform DER -in "$1" -CAfile cert.pem > log 2>&1 && echo "cms: good"
    timeout 60 certtool --p7-verify --inder --load-ca-certificate cert.pem --infile "$1" 2>&1 |
        sed -n 's/^.*Signature status: /certtool: /p' || true
}
echo "gpgsm 2.2.40, libksba 1.6.3, cryptography 50.0.2, $(openssl version), GnuTLS 3.7.9"
for name in "" -keyid; do
    timeout 20 openssl cms -sign -in message -binary -nodetach $name -signer cert.pem -inkey key.pem \
        -outform DER -out "message$name.der"
    answers "message$name.der" > "answers$name"
done
echo "expected, and seen by issuer and number:"; cat answers
echo "seen by the key's identifier:"; cat answers-keyid
[ "$(cat answers)" = "gpgsm: Good signature
cryptography: 1 certificate
smime: good
cms: good
certtool: ok" ] || { echo "differs: a message by issuer and number is not read by all"; exit 1; }
[ "$(cat answers-keyid)" = "gpgsm: ksba_cms_parse failed: BER error
cryptography: ValueError: Unable to parse PKCS7 data
smime: refused
cms: good
certtool: ok" ] || { echo "differs: others read a key's identifier now, or with other words"; exit 1; }
echo "still so: three of five do not read it"
