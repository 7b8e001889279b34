#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a message signed by RSA-PSS states the length of its salt in the parameters of the signature (RFC 4056).
# DER leaves out the default, 20 bytes (RFC 4055, 3.1), so verifiers accept 20 as they accept 32 for SHA-256.
# Seen: with a salt of 20 bytes gpgsm prints "Bad signature" and GnuTLS "Public key signature verification has failed",
# with one of 32 both print "good". They accept only salts as long as the hash, and do not name the salt as the cause.
# Consequence: a good signature looks forged. Signers choose a salt as long as the hash ("rsa_pss_saltlen:-1"; OpenSSL
# 3.0's own choice for messages is the longest possible one), and receivers of a "bad" signature check the salt first.
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
timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=Signer -days 2 -out cert.pem \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,digitalSignature,keyCertSign 2> log
timeout 60 gpgsm --batch --disable-dirmngr --import cert.pem 2> log
timeout 20 openssl x509 -in cert.pem -noout -fingerprint -sha1 | sed 's/.*=//; s/$/ S relax/' > gnupg/trustlist.txt
printf 'a message' > message

echo "gpgsm 2.2.40, libksba 1.6.3, GnuTLS 3.7.9, $(openssl version)"
echo "expected: good with both lengths"
for salt in 32 20; do
    timeout 20 openssl cms -sign -in message -binary -nodetach -signer cert.pem -inkey key.pem -md sha256 \
        -keyopt rsa_padding_mode:pss -keyopt rsa_pss_saltlen:$salt -outform DER -out message.der
    seen=$(timeout 20 openssl cms -verify -inform DER -in message.der -CAfile cert.pem 2>&1 > log || true)
    seen+=$'\n'$(timeout 60 gpgsm --batch --disable-dirmngr --disable-crl-checks --verify message.der 2>&1 |
        sed -n 's/^gpgsm: \(Good signature\|invalid signature: .*\).*/gpgsm: \1/p' || true)
    seen+=$'\n'$(timeout 60 certtool --p7-verify --inder --load-ca-certificate cert.pem --infile message.der 2>&1 |
        sed -n 's/^.*Signature status: /certtool: /p' || true)
    echo "salt of $salt octets:"; echo "$seen"
    stated="CMS Verification successful
gpgsm: Good signature
certtool: ok"
    [ $salt = 32 ] || stated="CMS Verification successful
gpgsm: invalid signature: Bad signature
certtool: verification failed: Public key signature verification has failed."
    [ "$seen" = "$stated" ] || { echo "differs: it was
$stated"; exit 1; }
done
echo "still so: a salt of 20 octets is bad for two of three"
