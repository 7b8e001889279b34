#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: GnuTLS reads a PFX or PKCS #8 file with a P-256 key that Java has written: the public key within an
# ECPrivateKey is optional (RFC 5915, 3), and it can be computed from the private number.
# Seen: keytool writes the number alone. OpenSSL and Python's cryptography read it; certtool ends with "Element was not
# found", and reads the same key with its public half. OpenSSL remembers that the half was missing, and does not write it
# either, so that "openssl pkey" or a new PFX does not help; cryptography writes both.
# Consequence: an intact key counts as damaged; so do keys that a token's backup or a script made of the number alone.
# Write it again by cryptography, or compute the public key and put it in.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OPENSSL_CONF=

for package in openjdk-17-jre-headless=17.0.15+6-1~deb12u1 gnutls-bin=3.7.9-2+deb12u7; do
    has=$(dpkg-query -W -f '${Version}' "${package%%=*}")
    [ "$has" = "${package#*=}" ] || { echo "differs: the version is $has, not $package"; exit 1; }
done
timeout 60 keytool -genkeypair -keyalg EC -groupname secp256r1 -alias key -dname CN=Owner -keystore java.p12 \
    -storetype PKCS12 -storepass password 2> log
timeout 20 openssl pkcs12 -in java.p12 -passin pass:password -nodes -nocerts 2> log |
    sed -n '/^-----BEGIN/,/^-----END/p' > java.pem
timeout 20 openssl pkey -in java.pem -out again.pem
timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2
cat > write.py <<'P'
from cryptography.hazmat.primitives import serialization as form

key = form.load_pem_private_key(open("java.pem", "rb").read(), None)
text = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
open("whole.pem", "wb").write(text)
P
timeout 60 venv/bin/python write.py

# The answer of certtool to a key.
certtool_says() { timeout 20 certtool --key-info --infile "$1" 2>&1 | grep -m1 'Public Key Info\|error'; }
same() { echo "$1: $3"; [ "$2" = "$3" ] || { echo "differs: it was \"$2\""; exit 1; }; }
echo "OpenJDK 17.0.15+6-1~deb12u1, GnuTLS $has, cryptography 50.0.2, $(openssl version)"
echo "expected: all read it"
same "OpenSSL, public key" "$(timeout 20 openssl pkey -in whole.pem -pubout | sha1sum)" \
    "$(timeout 20 openssl pkey -in java.pem -pubout | sha1sum)"
same "certtool, Java's key" "import error: ASN1 parser: Element was not found." "$(certtool_says java.pem)"
same "certtool, written again by OpenSSL" "import error: ASN1 parser: Element was not found." \
    "$(certtool_says again.pem)"
same "certtool, written again by cryptography" "Public Key Info:" "$(certtool_says whole.pem)"
echo "still so: without the public key it is refused"
