#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Expectation: a common name has at most 64 characters (RFC 5280, A.1: ub-common-name; UTF8String (SIZE (1..64)) counts
# characters), so that the name of a company in 64 Cyrillic letters fits into a request.
# Seen: cryptography 50.0.2 counts the bytes of UTF-8: 32 Cyrillic letters fit, 33 raise ValueError, whose message
# reports twice the length. OpenSSL makes the same request with 64 letters, and refuses 65; cryptography reads it.
# Consequence: names that other authorities certify cannot be put into requests by this library; a short name in CN and
# the full one in O, which is not counted, works.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

timeout 120 python3 -m venv venv
timeout 300 venv/bin/pip -q --disable-pip-version-check install cryptography==50.0.2
cat > name.py <<'P'
import sys
from cryptography import x509
from cryptography.x509.oid import NameOID

letters = "Ж" * int(sys.argv[1])
try:
    x509.NameAttribute(NameOID.COMMON_NAME, letters)
    print("accepted")
except ValueError as error:
    print(error)
P
cat > read.py <<'P'
from cryptography import x509

request = x509.load_pem_x509_csr(open("request.pem", "rb").read())
print(len(list(request.subject)[0].value))
P
printf '[req]\ndistinguished_name = n\nprompt = no\nutf8 = yes\nstring_mask = utf8only\n[n]\n' > base.cnf

# The answer of OpenSSL to a number of letters.
request() {
    { cat base.cnf; printf 'CN = %s\n' "$(printf 'Ж%.0s' $(seq "$1"))"; } > req.cnf
    if timeout 60 openssl req -new -newkey rsa:2048 -nodes -keyout key.pem -config req.cnf -out request.pem 2> log
    then echo accepted; else echo refused; fi
}

same() { echo "$1: $3"; [ "$2" = "$3" ] || { echo "differs: it was \"$2\""; exit 1; }; }
echo "cryptography 50.0.2, $(openssl version)"
echo "expected: both accept 64 letters"
same "OpenSSL, 65 letters" refused "$(request 65)"
same "OpenSSL, 64 letters" accepted "$(request 64)"
same "cryptography reads from that request, letters" 64 "$(timeout 60 venv/bin/python -W ignore read.py)"
same "cryptography, 32 letters" accepted "$(timeout 60 venv/bin/python name.py 32)"
same "cryptography, 33 letters" "Attribute's length must be >= 1 and <= 64, but it was 66" \
    "$(timeout 60 venv/bin/python name.py 33)"
echo "still so: octets are counted, not characters"
