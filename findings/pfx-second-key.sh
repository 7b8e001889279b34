#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a library that loads a PFX file with two keys, each with its certificate (as of an exchange key and a
# signature key), returns all of it, or refuses the file: a file holds any number of keys (RFC 7292, 4.2), and Java's and
# NSS's programs write such files.
# Seen: Python's cryptography returns the first key with its certificate, and counts the second certificate among the
# further ones, as if it were an authority's; the second key is left out, without a message. "openssl pkcs12" prints both.
# Consequence: a file that is loaded and saved again has lost a key for good, and with it all messages encrypted to it.
# Count keys by "openssl pkcs12 -nocerts" before the original is deleted.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OPENSSL_CONF=

has=$(dpkg-query -W -f '${Version}' openjdk-17-jre-headless)
timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2
for name in exchange signature; do
    timeout 60 keytool -genkeypair -keyalg RSA -keysize 2048 -alias $name -dname CN=$name -keystore two.p12 \
        -storetype PKCS12 -storepass password 2> log
done
cat > load.py <<'P'
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, pkcs12

file = pkcs12.load_pkcs12(open("two.p12", "rb").read(), b"password")
further = [more.certificate for more in file.additional_certs]
own = file.cert.certificate
print("key of", own.subject.rfc4514_string(), file.key.public_key() == own.public_key())
print("further:", *(one.subject.rfc4514_string() for one in further))
again = pkcs12.serialize_key_and_certificates(
    b"again", file.key, own, further, BestAvailableEncryption(b"password"))
open("again.p12", "wb").write(again)
P
keys() {
    timeout 20 openssl pkcs12 -in "$1" -passin pass:password -nodes -nocerts 2> log | grep -c 'BEGIN PRIVATE KEY'
}
same() { echo "$1: $3"; [ "$2" = "$3" ] || { echo "differs: it was \"$2\""; exit 1; }; }
echo "cryptography 50.0.2; the file is made by OpenJDK $has, read by $(openssl version)"
echo "expected: two keys, or an error"
same "OpenSSL, keys in the file" 2 "$(keys two.p12)"
same "cryptography" "key of CN=exchange True
further: CN=signature" "$(timeout 60 venv/bin/python load.py)"
same "OpenSSL, keys in the file that cryptography has saved" 1 "$(keys again.p12)"
echo "still so: the second key is lost"
