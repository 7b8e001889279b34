#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: Python's cryptography opens an encrypted message whatever the encoding of its outer layers: CMS is BER
# (RFC 5652, 2), of indefinite length where it is written as a stream, and the same module reads certificates of signed
# messages in that form.
# Seen: 50.0.2 opens what "openssl cms -encrypt" writes, and ends with "InvalidLength" at the same text with -stream,
# the form that gpgsm and BouncyCastle write.
# Consequence: a message that one program opens is "invalid" for another. "openssl cms -cmsout -outform DER" writes the
# same message in DER, without any key, and makes it readable.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export OPENSSL_CONF=

timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2
timeout 60 openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=Recipient -days 2 -out cert.pem 2> log
printf 'a message' > message
cat > open.py <<'P'
import sys
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key, pkcs7

certificate = x509.load_pem_x509_certificate(open("cert.pem", "rb").read())
key = load_pem_private_key(open("key.pem", "rb").read(), None)
try:
    print(pkcs7.pkcs7_decrypt_der(open(sys.argv[1], "rb").read(), certificate, key, []).decode())
except ValueError as error:
    print("ValueError:", error)
P
same() { echo "$1: $3"; [ "$2" = "$3" ] || { echo "differs: it was \"$2\""; exit 1; }; }
echo "cryptography 50.0.2, $(openssl version)"
echo "expected: a message, a message"
for option in "" -stream; do
    timeout 20 openssl cms -encrypt -in message -binary -aes256 $option -outform DER -out "message$option.der" cert.pem
    same "OpenSSL opens $option" "a message" \
        "$(timeout 20 openssl cms -decrypt -inform DER -in "message$option.der" -inkey key.pem -recip cert.pem)"
done
same "cryptography opens" "a message" "$(timeout 60 venv/bin/python open.py message.der)"
same "cryptography opens -stream" "ValueError: error parsing asn1 value: ParseError { kind: InvalidLength }" \
    "$(timeout 60 venv/bin/python open.py message-stream.der)"
timeout 20 openssl cms -cmsout -inform DER -in message-stream.der -outform DER -out again.der
same "cryptography opens -stream after -cmsout" "a message" "$(timeout 60 venv/bin/python open.py again.der)"
echo "still so: indefinite lengths are refused"
